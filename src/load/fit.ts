// Fits the settings of a gateway file to another contract than the one that they were written for: leaves out those that name
// operations, schemas and other parts that it lacks.

import { type Diagnostic, Diagnostics } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/file/source.ts'
import { parsePointer, pointer } from '../kernel/json.ts'
import type { Plan } from '../plan/plan.ts'
import { leaveOut } from '../plan/simulation.ts'
import type { SimulationFile } from '../plan/simulation-file.ts'

/** Leaving out a setting may make another one unfit: a resource, then what responds with it, then the rules about that. */
const MOST_ROUNDS = 10

/** The settings of a gateway file, and the file. */
export interface WrittenSettings {
  readonly settings: SimulationFile
  readonly source: Source
}

/**
 * Compiles settings without those that do not fit, which become warnings.
 *
 * @param isOfContract whether a diagnostic is about the contract itself: it is reported unchanged
 */
export function leaveOutUnfit(
  compile: (report: Diagnostics, written: WrittenSettings) => Plan,
  written: WrittenSettings,
  isOfContract: (one: Diagnostic) => boolean,
  report: Diagnostics,
): Plan {
  let { settings, source } = written
  for (let round = 1; ; round++) {
    const found = new Diagnostics()
    const plan = compile(found, { settings, source })
    const unfit = found.unsorted.filter(one => one.severity === 'error' && !isOfContract(one))
    // Added as they are: a strict load makes errors of other warnings only.
    for (const one of unfit) report.add({ ...one, severity: 'warning' })
    const gone = new Set(unfit.flatMap(one => unfitParts(one, source, settings)))
    if (gone.size === 0 || round === MOST_ROUNDS) {
      for (const one of found.unsorted.filter(isOfContract))
        report[one.severity](one.code, one.message, one.place, one.hint)
      return plan
    }
    settings = leaveOut(settings, gone) as SimulationFile
    source = source.derive(leaveOut(source.value, gone))
  }
}

/** Returns pointers to the settings that a mistake makes useless. One in a fixture makes the seeds of its resource useless. */
function unfitParts({ place }: Diagnostic, source: Source, { resources = {} }: SimulationFile): string[] {
  const [, within = ''] = /#(?:key|value)(.*?)(?:@\d+-\d+)?$/s.exec(place.id ?? '') ?? []
  const path = parsePointer(within) ?? []
  // A setting has the same path in each file that is included.
  if (place.file !== source.locate(path).file) {
    const seeded = Object.entries(resources).filter(
      ([, { seed }]) => typeof seed === 'string' && endsAlike(place.file, seed),
    )
    return seeded.map(([name]) => pointer(['resources', name, 'seed']))
  }
  return path.length < 2 ? [] : [pointer(path.slice(0, depthOf(path)))]
}

const endsAlike = (path: string, name: string): boolean => `/${path}`.endsWith(`/${name.replace(/^(?:\.\.?\/)+/, '')}`)

/** Returns the length of the path of a setting that can be left out, by the path of a mistake within it. */
function depthOf(path: readonly string[]): number {
  const [block, , key] = path
  if (block === 'weather') return 2 + depthOf(path.slice(2))
  // A resource has a schema and an id, or is none.
  if (block === 'resources') return key === undefined || key === 'schema' || key === 'id' ? 2 : 4
  const rules = path.indexOf('rules')
  if (rules !== -1) return rules + 2
  return block === 'defaults' ? 2 : 3
}
