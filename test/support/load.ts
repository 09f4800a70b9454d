// Loading with all wings of the program.

import type { CommandLine, LoadConfiguration } from '../../src/cli/command.ts'
import { type Loaded, type LoadOptions, loadPlan as loadWith } from '../../src/load/load.ts'
import { WINGS } from '../../src/wings.ts'

type Environment = Parameters<typeof loadWith>[2]

/** As `loadPlan` of the program: the file may have the blocks of all wings. */
export const loadPlan = (path: string, home: string, environment: Environment, options: LoadOptions = {}): Loaded =>
  loadWith(path, home, environment, { wings: WINGS, ...options })

const STATEFUL: CommandLine = { command: 'serve', file: '', values: {}, lists: {}, switches: new Set(['stateful']) }

/** As `loadPlan`; a bare OpenAPI document gets the state that a wing infers from it. */
export async function loadInferred(
  ...[path, home, environment, options = {}]: Parameters<LoadConfiguration>
): Promise<Loaded> {
  const [load] = WINGS.flatMap(({ reading }) => reading?.loader?.(STATEFUL) ?? [])
  if (load === undefined) throw new Error('no wing infers state')
  return load(path, home, environment, { wings: WINGS, ...options })
}
