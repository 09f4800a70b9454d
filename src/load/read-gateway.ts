// Reads a gateway file and its contract, and checks their shape.

import { dirname, relative, resolve } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import { foreignFile } from '../contract/document/foreign-file.ts'
import { readContract } from '../contract/document/read-contract.ts'
import type { Document } from '../contract/documents.ts'
import { roundBeyondExamples } from '../contract/example-decimals.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import { isObject } from '../kernel/json.ts'
import type { Progress } from '../kernel/progress.ts'
import { parseSource, readNamed, readSource } from '../kernel/read-source.ts'
import { refuseRemote } from '../kernel/remote.ts'
import { type Environment, placeOfFile, type Source } from '../kernel/source.ts'
import { parseDuration, parseSize } from '../kernel/units.ts'
import { gatewayBounds } from '../plan/known-keys.ts'
import type { Plan } from '../plan/plan.ts'
import { expandShortForms, roundSettings } from '../plan/short-forms.ts'
import { checkSimulation } from '../plan/simulation.ts'
import type { SimulationFile } from '../plan/simulation-file.ts'
import { checkState } from '../plan/state.ts'
import { readTls, type TlsSettings } from '../plan/tls.ts'

export interface Loaded {
  /** `undefined` where anything was wrong. */
  readonly plan: Plan | undefined
  readonly report: Diagnostics
  /** Every file of the configuration: a change of one causes a reload. */
  readonly files: readonly string[]
}

/** The options of a load. */
export interface LoadOptions {
  /** Whether a warning is an error. */
  readonly strict?: boolean
  /** The path below which the API is served; overrides the `servers` of the contract. */
  readonly basePath?: string | undefined
  /** The status of an invalid request where the contract documents none. */
  readonly invalidStatus?: 400 | 422 | undefined
  /** Whether everything is compiled and every example checked, without limits. */
  readonly thorough?: boolean
  /** Is called with the current step. */
  readonly progress?: Progress
  /** The text to use instead of the file, which need not exist then. */
  readonly text?: string
  /** For a text from elsewhere: the files that it may name beside those below the folder of the file. See `confine`. */
  readonly confined?: readonly string[] | undefined
}

/** The files that a load has read, before they are compiled. */
export interface GatewayRead {
  readonly bare: boolean
  readonly settings: SimulationFile
  readonly source: Source
  readonly contract: Contract
  readonly file: string
  readonly home: string
  readonly shownKeys: ReadonlyMap<string, string>
  readonly tls: TlsSettings | undefined
  readonly progress: Progress | undefined
  readonly report: Diagnostics
  readonly files: readonly string[]
}

export function readGateway(
  path: string,
  home: string,
  environment: Environment,
  options: LoadOptions,
): GatewayRead | Loaded {
  const report = new Diagnostics(options.strict)
  if (refuseRemote(path, placeOfFile(path), report)) return { plan: undefined, report, files: [] }
  const { progress } = options
  const file = resolve(home, path)
  const name = relative(home, file) || file
  progress?.(`reading ${name}`)
  // Whether it is a gateway file, which is read by stricter rules, shows only once it has been read.
  const first = new Diagnostics(options.strict)
  const bounds = gatewayBounds(options.text !== undefined)
  const read = (into: Diagnostics, variables?: Environment, lenient = false) => {
    const how = { environment: variables, lenient, bounds, decimals: true }
    return options.text === undefined ? readSource(file, name, into, how) : parseSource(name, options.text, into, how)
  }
  // A text that was put is a gateway file: strictly read, it costs less where it is wrong.
  const raw = read(first, undefined, options.text === undefined)
  const bare = raw !== undefined && isObject(raw.value) && ('openapi' in raw.value || 'swagger' in raw.value)
  if (raw === undefined || bare) for (const diagnostic of first.first(first.size)) report.add(diagnostic)
  if (raw === undefined) return { plan: undefined, report, files: [file] }
  const foreign = foreignFile(raw.value, name)
  if (foreign !== undefined) {
    report.error('foreign-file', `this is ${foreign.kind}, not an OpenAPI document`, raw.locate([]), foreign.hint)
    return { plan: undefined, report, files: [file] }
  }
  const filled = bare || raw.settled ? raw : read(report, environment)
  if (bare) roundBeyondExamples(raw.value)
  else roundSettings(filled?.value)
  const source = bare || filled === undefined ? filled : expandShortForms(filled, report)
  report.omit(filled?.surplus ?? 0)
  const written = bare ? { contract: path } : source && checkSimulation(source, report)
  const settings = written && withInvalidStatus(written, options.invalidStatus)
  if (source === undefined || settings === undefined) return { plan: undefined, report, files: [file] }

  for (const [key, text] of Object.entries(settings.limits ?? {})) {
    if ((parseSize(text) ?? parseDuration(text) ?? 0) >= 1) continue
    report.error(
      'invalid-value',
      `"${key}" must be at least ${parseSize(text) === undefined ? '1ms' : '1B'}`,
      source.locate(['limits', key]),
    )
  }
  checkState(settings.state, source, report)
  const tls = readTls(settings.listen?.tls, source, file, home, report)
  const knowsClients = tls.settings?.clients !== undefined
  const { document, files } = contractDocument(settings, source, file, home, bare, report)
  progress?.('reading the contract')
  const basePath = options.basePath ?? settings.listen?.basePath
  const contract = document && readContract(document, home, report, { ...options, basePath, knowsClients })
  const contractFiles = [file, ...tls.files, ...files, ...(contract?.files ?? [])]
  if (contract === undefined) return { plan: undefined, report, files: contractFiles }
  return {
    bare,
    settings,
    source,
    contract,
    file,
    home,
    shownKeys: shownKeysIn(raw.value, environment),
    tls: tls.settings,
    progress,
    report,
    files: [...new Set(contractFiles)],
  }
}

/** A flag wins over the file. */
function withInvalidStatus(file: SimulationFile, status: 400 | 422 | undefined): SimulationFile {
  const validate = file.defaults?.validate
  if (status === undefined || validate === null) return file
  return { ...file, defaults: { ...file.defaults, validate: { ...(validate as object | undefined), status } } }
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
  if (refuseRemote(contract, source.locate(['contract']), report)) return { document: undefined, files: [] }
  const path = resolve(dirname(file), contract)
  const found = readNamed(path, relative(home, path) || path, source.locate(['contract']), report, {
    lenient: true,
    decimals: true,
  })
  if (found === undefined) return { document: undefined, files: [path] }
  roundBeyondExamples(found.value)
  return { document: { file: path, source: found, base: [] }, files: [path] }
}

/** A credential that is read from a variable: `${NAME}` or `${NAME:-default}`. */
const VARIABLE = /^\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}$/

/**
 * Returns the texts of those credentials that may be printed, by `CONSUMER SCHEME`: the default of a variable that is not set,
 * which the file itself publishes, else `$NAME`. A literal key is secret.
 *
 * @param file the gateway file before the environment is filled in
 */
function shownKeysIn(file: unknown, environment: Environment): ReadonlyMap<string, string> {
  const consumers = Object.entries(isObject(file) && isObject(file.consumers) ? file.consumers : {})
  const found = consumers.flatMap(([consumer, schemes]) =>
    Object.entries(isObject(schemes) ? schemes : {}).flatMap(([scheme, text]): [string, string][] => {
      const [, variable, key = ''] = VARIABLE.exec(String(text)) ?? []
      if (variable === undefined) return []
      return [[`${consumer} ${scheme}`, key === '' || environment[variable] ? `$${variable}` : key]]
    }),
  )
  return new Map(found)
}
