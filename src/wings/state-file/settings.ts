// The keys of `state` that choose a file.

import { resolve } from 'node:path'
import { setting } from '../../behaviours/behaviour.ts'
import type { Schema } from '../../kernel/schema/schema.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { EngineMistake } from '../../plan/house.ts'
import type { StateBlock } from '../../plan/simulation-file.ts'

/** The keys of the block. */
interface FileBlock extends StateBlock {
  readonly file?: string
  readonly sync?: string
}

export interface FileSettings {
  /** An absolute path. */
  readonly file: string
  /** Milliseconds between two writes to the disk: 0 writes before each reply. */
  readonly sync: number
  /** Whether a damaged line in the middle, and all after it, may be dropped. */
  readonly recover: boolean
}

export const KEYS: Readonly<Record<string, Schema>> = {
  file: setting.some('The path of the file, relative to this one. Only one process can use it.'),
  sync: setting.text(
    'How often the file is synced to the disk. `always`: before each reply, so that no acknowledged change is lost. A duration: a crash loses at most the changes of that time. Default: 1s.',
    { format: 'duration or "always"' },
  ),
}

export const mistakesIn = ({ sync = '1s' }: FileBlock): readonly EngineMistake[] =>
  parseDuration(sync) === 0 ? [{ key: 'sync', message: 'must be more than 0', hint: 'write always' }] : []

/** @param folder the folder of gateway.yaml */
export function settingsOf({ file = '', sync = '1s' }: FileBlock, folder: string, recover: boolean): FileSettings {
  const milliseconds = sync === 'always' ? 0 : Math.max(1, Math.round(parseDuration(sync) as number))
  return { file: resolve(folder, file), sync: milliseconds, recover }
}
