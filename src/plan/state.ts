// The `state` block of gateway.yaml: where the state of the worlds is kept.

import { resolve } from 'node:path'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/file/source.ts'
import { parseDuration } from '../kernel/text/units.ts'
import { type EngineSettings, parseRedisUrl } from '../world/engines/engine.ts'
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
  const wrong = (path: readonly string[], message: string, hint: string) =>
    report.error('conflicting-state', message, source.locate(['state', ...path], 'key'), hint)
  if (file.file !== undefined && file.redis !== undefined) {
    wrong(['redis'], '"file" and "redis" exclude each other', 'remove one of them')
  }
  if (file.redis !== undefined && parseRedisUrl(file.redis) === undefined) {
    const hint = 'write redis://[user:password@]host[:port][/database], or rediss:// for TLS'
    wrong(['redis'], '"redis" must be the URL of a Redis database', hint)
  }
  if (file.sync !== undefined && parseDuration(file.sync) === 0) {
    wrong(['sync'], '"sync" must be more than 0', 'write always')
  }
  for (const [key, needed] of [
    ['sync', 'file'],
    ['prefix', 'redis'],
    ['reads', 'redis'],
  ] as const) {
    if (file[key] !== undefined && file[needed] === undefined) {
      wrong([key], `"${key}" has no effect without "${needed}"`, 'remove it')
    }
  }
  if (file.file === undefined && file.redis === undefined && file.history === undefined) {
    wrong([], '"state" must name a file or a Redis database', 'write state: { file: ./understudy.state }')
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
