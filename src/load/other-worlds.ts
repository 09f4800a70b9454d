// The worlds on another contract: each has a plan of the same gateway file over another document.

import { dirname, relative, resolve } from 'node:path'
import { type Diagnostic, type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/file/source.ts'
import { isObject, mapValues } from '../kernel/json.ts'
import type { Plan } from '../plan/plan.ts'
import type { NamedWorldFile, SimulationFile } from '../plan/simulation-file.ts'
import { readClockChange, realClock } from '../world/clock.ts'

/** A path, a path and those of its overlays, or a text with the name that its mistakes are reported under. */
export type ContractChoice = string | readonly string[] | { readonly text: string; readonly name: string }

/** Returns the contracts by the name of their world. @param file the gateway file, which paths are relative to */
export function contractsOfWorlds(
  { worlds }: SimulationFile,
  file: string,
  added: Readonly<Record<string, ContractChoice>> = {},
): ReadonlyMap<string, ContractChoice> {
  const written = Object.entries(worlds?.named ?? {}).map(
    ([name, { contract }]) => [name, [contract].flat().map(one => resolve(dirname(file), one))] as const,
  )
  return new Map<string, ContractChoice>([...written, ...Object.entries(added)])
}

/** Reports the mistakes in the settings of worlds on another contract, and a state that lasts: it is kept by those of one contract. */
export function checkWorlds(
  { worlds, weather = {}, resources = {}, state = 'memory' }: SimulationFile,
  source: Source,
  report: Diagnostics,
): void {
  if (state !== 'memory') {
    const message = 'worlds with a contract of their own are kept in memory only'
    report.error(
      'lasting-world',
      message,
      source.locate(['state'], 'key'),
      'remove "state", or the contracts of worlds',
    )
  }
  for (const [world, own] of Object.entries(worlds?.named ?? {})) {
    const placeAt = (...path: readonly string[]) => source.locate(['worlds', 'named', world, ...path])
    const find = (kind: string, name: string, known: object, ...path: readonly string[]) => {
      if (Object.hasOwn(known, name)) return
      const hint = suggest(name, Object.keys(known))
      report.error(`unknown-${kind}`, `there is no ${kind} "${name}"`, placeAt(...path), hint)
    }
    const fault = own.clock && readClockChange(own.clock, realClock)
    if (typeof fault === 'string') report.error('invalid-value', fault, placeAt('clock'))
    if (own.weather !== undefined) find('weather', own.weather, weather, 'weather')
    for (const name of Object.keys(own.seeds ?? {})) find('resource', name, resources, 'seeds', name)
  }
}

/** Returns a gateway file whose resources have the seeds of a world. Their mistakes are reported at the seeds of the resources. */
export function withSeeds(source: Source, seeds: NamedWorldFile['seeds'] = {}): Source {
  const { value } = source
  if (Object.keys(seeds).length === 0 || !isObject(value) || !isObject(value.resources)) return source
  const resources = mapValues(value.resources, (one, name) =>
    Object.hasOwn(seeds, name) && isObject(one) ? { ...one, seed: seeds[name] } : one,
  )
  return source.derive({ ...value, resources })
}

interface LoadedWorld {
  readonly plan: Plan | undefined
  readonly report: Diagnostics
  readonly files: readonly string[]
}

interface WorldsToLoad {
  readonly contracts: ReadonlyMap<string, ContractChoice>
  load(contract: ContractChoice, settings: Partial<NamedWorldFile>): LoadedWorld
  readonly named?: Readonly<Record<string, NamedWorldFile>> | undefined
  /** The gateway file; unset for inferred settings, whose mistakes are not reported. */
  readonly file: string | undefined
  readonly report: Diagnostics
  readonly home: string
}

/**
 * Loads the plan of each world. Mistakes of its contract are reported as they are; settings that do not fit it are warnings that
 * name the world.
 */
export function loadWorlds({ contracts, load, named = {}, file, report, home }: WorldsToLoad): {
  readonly others: ReadonlyMap<string, Plan>
  readonly files: readonly string[]
} {
  const others = new Map<string, Plan>()
  const files = new Set<string>()
  const known = new Set(report.unsorted.map(mistakeKey))
  for (const [world, contract] of contracts) {
    const ownSettings: Partial<NamedWorldFile> = named[world] ?? {}
    const { clock, weather = '' } = ownSettings
    const loaded = load(contract, ownSettings)
    for (const one of loaded.files) files.add(one)
    const own = ownFilesOf(contract, loaded, file, home)
    for (const one of loaded.report.unsorted) {
      if (own.has(one.place.file) || one.severity === 'error') report.add(one)
      else if (file !== undefined && !known.has(mistakeKey(one))) {
        report.add({ ...one, message: `in the world ${world}: ${one.message}` })
      }
    }
    const { plan } = loaded
    if (plan !== undefined) others.set(world, { ...plan, world, clock, usualWeather: plan.weather.get(weather) })
  }
  return { others, files: [...files] }
}

/** Returns the names of the files of a contract, as messages have them. */
function ownFilesOf(
  contract: ContractChoice,
  { plan }: LoadedWorld,
  file: string | undefined,
  home: string,
): ReadonlySet<string> {
  const first = typeof contract === 'object' && 'text' in contract ? [contract.name] : [contract].flat()
  const all = [...first, ...(plan?.contract.files ?? [])].filter(one => one !== file)
  return new Set(all.flatMap(one => [one, relative(home, one) || one]))
}

const mistakeKey = ({ place: { file, line, column }, code, message }: Diagnostic): string =>
  `${file}:${line}:${column} ${code} ${message}`
