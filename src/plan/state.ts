// The `state` block of gateway.yaml: where the state of the worlds is kept.

import { resolve } from 'node:path'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/source.ts'
import { parseDuration } from '../kernel/units.ts'
import type { EngineSettings } from '../world/engines/engine.ts'
import { parseRedisUrl } from '../world/engines/redis-address.ts'
import type { StateFile } from './simulation-file.ts'

export interface StateSettings {
  readonly engine: EngineSettings
  /** Whether a request reads the changes of other processes from the engine before it is answered. */
  readonly reads: 'strong' | 'local'
  /** The records of a resource whose seeds are others than those that the state began with. */
  readonly onSeedChange: 'keep' | 'reset'
}

/** Reports keys that do not go together. */
export function checkState(file: StateFile | undefined, source: Source, report: Diagnostics): void {
  if (typeof file !== 'object') return
  const at = (key: string) => source.locate(['state', key], 'key')
  const wrong = (key: string, message: string, hint: string) =>
    report.error('conflicting-state', message, at(key), hint)
  if (file.file !== undefined && file.redis !== undefined) {
    wrong('redis', '"file" and "redis" exclude each other', 'remove one of them')
  }
  if (file.redis !== undefined && parseRedisUrl(file.redis) === undefined) {
    const message = '"redis" must be the URL of a Redis database'
    wrong('redis', message, 'write redis://[user:password@]host[:port][/database], or rediss:// for TLS')
  }
  if (file.sync !== undefined && file.file === undefined)
    wrong('sync', '"sync" has no effect without "file"', 'remove it')
  if (file.sync !== undefined && parseDuration(file.sync) === 0) {
    wrong('sync', '"sync" must be more than 0', 'write always')
  }
  for (const key of ['prefix', 'reads'] as const) {
    if (file[key] !== undefined && file.redis === undefined)
      wrong(key, `"${key}" has no effect without "redis"`, 'remove it')
  }
  if (file.file === undefined && file.redis === undefined && file.history === undefined) {
    const message = '"state" must name a file or a Redis database'
    report.error(
      'conflicting-state',
      message,
      source.locate(['state'], 'key'),
      'write state: { file: ./understudy.state }',
    )
  }
}

/** @param folder the folder of gateway.yaml; returns `undefined` if changes are not recorded */
export function stateSettings(file: StateFile | undefined, folder: string): StateSettings | undefined {
  if (file === undefined || typeof file === 'string') return undefined
  const { reads = 'strong', onSeedChange = 'keep' } = file
  return { engine: engineOf(file, folder), reads, onSeedChange }
}

function engineOf(file: Exclude<StateFile, string>, folder: string): EngineSettings {
  if (file.redis !== undefined) return { kind: 'redis', url: file.redis, prefix: file.prefix ?? 'understudy' }
  if (file.file === undefined) return { kind: 'memory' }
  const { sync = '1s' } = file
  const milliseconds = sync === 'always' ? 0 : Math.max(1, Math.round(parseDuration(sync) as number))
  return { kind: 'file', file: resolve(folder, file.file), sync: milliseconds, recover: false }
}

/** The password in the URL of the state, encoded and decoded; empty if there is none. */
export function passwordsOf(file: StateFile | undefined): readonly string[] {
  const url = typeof file === 'object' ? file.redis : undefined
  const written = /\/\/[^/]*?:(.*)@/.exec(url ?? '')?.[1]
  if (url === undefined || written === undefined || written === '') return []
  return [...new Set([written, parseRedisUrl(url)?.password ?? written])]
}
