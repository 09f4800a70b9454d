// From a file name to a Plan: reads whatever is needed, and collects whatever is wrong.

import { dirname, relative, resolve } from 'node:path'
import type { Resource } from '../behaviours/respond/resource.ts'
import type { Document } from '../contract/document.ts'
import { readContract } from '../contract/read-contract.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import { isObject } from '../kernel/json.ts'
import { type Environment, readSource, type Source } from '../kernel/source.ts'
import { parseDuration, parseSize } from '../kernel/units.ts'
import { compilePlan, type Plan } from './compile.ts'
import { readResources } from './seed.ts'
import { checkSimulation, type SimulationFile } from './simulation.ts'
import { type WorldsSettings, worldsSettings } from './worlds.ts'

/** What a simulation comes to once every default is filled in. */
export interface Simulation {
  readonly file: SimulationFile
  readonly source: Source
  readonly seed: number
  readonly listen: {
    readonly host: string
    readonly port: number
    readonly control: number
    readonly clientControls: boolean
    readonly controlHost: string
  }
  readonly expose: readonly ('metrics' | 'healthz')[]
  readonly worlds: WorldsSettings
  /** Bytes and milliseconds. */
  readonly limits: { readonly body: number; readonly headers: number; readonly request: number; readonly idle: number }
  readonly resources: ReadonlyMap<string, Resource>
  /** Names and keys of the consumers stay apart: this is what may be shown. */
  readonly consumerNames: readonly string[]
}

export interface Loaded {
  /** `undefined` where anything was wrong. */
  readonly plan: Plan | undefined
  readonly report: Diagnostics
  /** Every file that matters: a change to one of them asks for a reload. */
  readonly files: readonly string[]
}

/**
 * Loads a gateway file, or a bare OpenAPI document.
 *
 * @param path relative to `home`, or absolute
 * @param home what file names in messages are relative to
 */
export function loadPlan(path: string, home: string, environment: Environment): Loaded {
  const report = new Diagnostics()
  const file = resolve(home, path)
  const name = relative(home, file) || file
  const raw = readSource(file, name, report)
  if (raw === undefined) return { plan: undefined, report, files: [file] }
  const bare = isObject(raw.value) && ('openapi' in raw.value || 'swagger' in raw.value)
  const source = bare ? raw : readSource(file, name, report, environment)
  const settings = bare ? { contract: path } : source && checkSimulation(source, report)
  if (source === undefined || settings === undefined) return { plan: undefined, report, files: [file] }

  const { document, files } = contractDocument(settings, source, file, home, bare, report)
  const contract = document && readContract(document, home, report)
  const contractFiles = [file, ...files, ...(contract?.files ?? [])]
  if (contract === undefined) return { plan: undefined, report, files: contractFiles }
  const seeding = readResources(settings.resources ?? {}, contract, source, file, home, report)
  const plan = compilePlan(simulationOf(settings, source, seeding.resources), contract, report)
  const all = [...new Set([...contractFiles, ...seeding.files])]
  return { plan: report.failed ? undefined : plan, report, files: all }
}

function contractDocument(
  { contract = '' }: SimulationFile,
  source: Source,
  file: string,
  home: string,
  bare: boolean,
  report: Diagnostics,
): { document: Document | undefined; files: string[] } {
  if (bare) return { document: { file, source, base: [] }, files: [] }
  if (typeof contract !== 'string') return { document: { file, source, base: ['contract'] }, files: [] }
  const path = resolve(dirname(file), contract)
  const found = readSource(path, relative(home, path) || path, report)
  if (found === undefined) {
    report.error('unreadable-contract', `"${contract}" cannot be read`, source.locate(['contract']))
    return { document: undefined, files: [path] }
  }
  return { document: { file: path, source: found, base: [] }, files: [path] }
}

/** Fills every default in. */
export const simulationOf = (file: SimulationFile, source: Source, resources: ReadonlyMap<string, Resource>): Simulation => ({
  file,
  source,
  resources,
  seed: file.seed ?? 0,
  listen: {
    host: file.listen?.host ?? '127.0.0.1',
    port: file.listen?.port ?? 4010,
    control: file.listen?.control ?? 4011,
    clientControls: file.listen?.clientControls ?? true,
    controlHost: file.listen?.controlHost ?? '127.0.0.1',
  },
  expose: file.listen?.expose ?? ['metrics', 'healthz'],
  worlds: worldsSettings(file.worlds),
  limits: {
    body: parseSize(file.limits?.body ?? '1MB') as number,
    headers: parseSize(file.limits?.headers ?? '16kB') as number,
    request: parseDuration(file.limits?.request ?? '30s') as number,
    idle: parseDuration(file.limits?.idle ?? '10s') as number,
  },
  consumerNames: Object.keys(file.consumers ?? {}),
})
