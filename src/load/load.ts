// Makes a `Plan` of the file with a given name: reads the files that it needs, and collects all mistakes.

import { readFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import type { UpstreamSettings } from '../behaviours/behaviour.ts'
import type { Contract } from '../contract/contract.ts'
import { foreignFile, readContract } from '../contract/document/read-contract.ts'
import { type Document, placeOf, readDocument, roundBeyondExamples } from '../contract/documents.ts'
import { nameless } from '../contract/paths.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import { parseSource, ReplyFiles, readSource, realOf, refuseRemote } from '../kernel/file/read-source.ts'
import { type Environment, fillVariables, placeOfFile, type Source } from '../kernel/file/source.ts'
import { isObject } from '../kernel/json.ts'
import { attempted } from '../kernel/memo.ts'
import type { Progress } from '../kernel/terminal.ts'
import { parseDuration, parseSize } from '../kernel/units.ts'
import { compilePlan } from '../plan/compile.ts'
import { expandShortForms } from '../plan/formats.ts'
import type { Plan } from '../plan/plan.ts'
import { checkState, readTls, simulationOf, type TlsSettings } from '../plan/settings.ts'
import { checkSimulation } from '../plan/simulation.ts'
import type { NamedWorldFile, SimulationFile } from '../plan/simulation-file.ts'
import { type InferredGateway, inferGateway } from '../wings/infer/infer.ts'
import { type NamedFile, readNamedDocument, withOverlays } from '../wings/overlay/contract-file.ts'
import { isOverlay } from '../wings/overlay/overlay.ts'
import { readUpstream } from '../wings/real-api/settings.ts'
import { leaveOutUnfit, type WrittenSettings } from './fit.ts'
import { type ContractChoice, checkWorlds, contractsOfWorlds, loadWorlds, withSeeds } from './other-worlds.ts'
import { readResources } from './seed/seed.ts'

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
  /** The unreadable files of the contract that the served configuration lacks, too: the others are errors. Unset: none is. */
  readonly lacking?: ReadonlySet<string> | undefined
  /** The paths of overlays that are applied to the contract after those that the file names. */
  readonly overlays?: readonly string[] | undefined
  /**
   * The path of another contract to use instead of the file's, or a list of it and its overlays. Settings that do not fit it are
   * warnings, and are left out; other warnings about the file itself are not repeated.
   */
  readonly contract?: ContractChoice | undefined
  /** The contract of the file, if it was read before. */
  readonly known?: Contract | undefined
  /** Whether the records of the file are fitted to `contract`, instead of being left out where one does not fit. */
  readonly fitsSeeds?: boolean
  /** The seeds to use instead of those of the resources, by name. */
  readonly seeds?: NamedWorldFile['seeds']
  /** The contracts of worlds beside those that the file names: paths, or a text. */
  readonly worlds?: Readonly<Record<string, ContractChoice>> | undefined
  /** The text to use instead of the file, which need not exist then. */
  readonly text?: string | undefined
  /** For a text from elsewhere: the files that it may name beside those below the folder of the file. See `confine`. */
  readonly confined?: readonly string[] | undefined
}

/**
 * Loads a gateway file, or a bare OpenAPI document.
 *
 * @param path relative to `home`, or absolute
 * @param home the folder that file names in messages are relative to
 */
export function loadPlan(path: string, home: string, environment: Environment, options: LoadOptions = {}): Loaded {
  const { variables, admits } = confine(resolve(home, path), options.confined, environment)
  const loading = startLoading(path, home, variables, options)
  const loaded = loading.compile(loading.read())
  const outside = loaded.files.find(file => !admits(file))
  if (outside === undefined) return loaded
  // The content of that file and its mistakes are not reported.
  const report = new Diagnostics()
  const message = `${relative(home, outside)} is outside the folder of this file and not named in it`
  report.error('outside-file', message, placeOfFile(relative(home, loading.file) || path))
  return { plan: undefined, report, files: [loading.file] }
}

/** As `loadPlan`; a bare OpenAPI document gets the state that can be inferred from it. */
export async function loadInferred(
  path: string,
  home: string,
  environment: Environment,
  options: LoadOptions = {},
): Promise<Loaded> {
  const loading = startLoading(path, home, environment, options)
  const read = loading.read()
  const { file, report } = loading
  if (read === undefined || !read.bare || report.failed) return loading.compile(read)
  const inferred = await inferGateway(read.contract, file, home, trialsOf(options.progress), read.settings)
  reportLeftOut(inferred, read.contract, report)
  return loading.end(loading.withWorlds(inferred.plan, read, inferred.describe()))
}

const trialsOf = (progress: Progress | undefined) =>
  progress && ((done: number, all: number) => progress('trying the inferred state:', done, all))

function reportLeftOut({ without }: InferredGateway, contract: Contract, report: Diagnostics): void {
  for (const [owner, reason] of without) {
    const name = /^resource (.*)$/s.exec(owner)?.[1]
    const operation = contract.operations.find(
      ({ id }) => id === (name === undefined ? owner : reason.split(': ', 1)[0]),
    )
    const node = operation?.node ?? contract.at('#/paths') ?? contract.at('#')
    if (node === undefined) continue
    const what = name === undefined ? `the operation ${owner}` : `the resource "${name}"`
    report.warning('left-out', `${what} is left out of the inferred state: ${reason}`, placeOf(node, 'key'))
  }
}

/**
 * Infers a gateway.yaml for an OpenAPI document; the text is `undefined` where the document cannot be read.
 *
 * @param directory the folder of the gateway.yaml: the contract is named relative to it
 * @param progress is called during the trial of the inferred state
 */
export async function inferFile(
  path: string,
  home: string,
  directory: string,
  progress?: Progress,
  overlays: readonly string[] = [],
): Promise<{ readonly inferred: string | undefined; readonly report: Diagnostics }> {
  const { contract, report, files } = loadContract(path, home, progress, overlays)
  if (contract === undefined) return { inferred: undefined, report }
  return { inferred: (await inferGateway(contract, files, directory, trialsOf(progress))).describe(), report }
}

/** Reads an OpenAPI document as a contract, without settings; `undefined` where it cannot be read. */
export function loadContract(
  path: string,
  home: string,
  progress?: Progress,
  overlays: readonly string[] = [],
): { readonly contract: Contract | undefined; readonly report: Diagnostics; readonly files: string[] } {
  const report = new Diagnostics()
  const file = resolve(home, path)
  const named = overlays.map(one => namedAt(one, home))
  const files = [file, ...named.map(one => one.path)]
  if (refuseRemote(path, placeOfFile(path), report)) return { contract: undefined, report, files }
  progress?.(`reading ${path}`)
  const source = readDocument(file, relative(home, file) || file, report)
  const document = source && withOverlays({ file, source }, named, { home, report, note: () => {} })
  const contract = document && readContract(document, home, report)
  return { contract: report.failed ? undefined : contract, report, files }
}

/** Returns the file that an option names. */
const namedAt = (path: string, home: string): NamedFile => {
  const file = resolve(home, path)
  return { path: file, place: placeOfFile(relative(home, file) || path) }
}

/** Reads the contract of a gateway file, or a bare OpenAPI document, and applies its overlays. */
export function readMerged(
  path: string,
  home: string,
  environment: Environment,
  options: LoadOptions = {},
): { readonly value: unknown; readonly report: Diagnostics } {
  const loading = startLoading(path, home, environment, options)
  const document = loading.readFile()?.readContractFile()
  return { value: loading.report.failed ? undefined : document?.source.value, report: loading.report }
}

/** A gateway file and its contract, before they are compiled. */
interface GatewayRead extends WrittenSettings {
  /** Whether it is a bare OpenAPI document. */
  readonly bare: boolean
  readonly contract: Contract
  readonly shownKeys: ReadonlyMap<string, string>
  readonly tls: TlsSettings | undefined
  readonly upstream: UpstreamSettings | undefined
}

/** The steps of a load: reading the file, compiling it, and the end with what was found. */
function startLoading(path: string, home: string, environment: Environment, options: LoadOptions) {
  const file = resolve(home, path)
  const report = new Diagnostics(options.strict, options.lacking)
  const files = new Set<string>()
  const { text, invalidStatus, progress } = options
  const nameOf = (one: string): string => relative(home, one) || one
  const note = (...all: readonly string[]) => all.forEach(one => void files.add(one))

  /** Reads the file and the document of its contract, and checks the shape of the file. */
  const readFile = () => {
    if (refuseRemote(path, placeOfFile(path), report)) return undefined
    files.add(file)
    const name = nameOf(file)
    progress?.(`reading ${name}`)
    const raw = text === undefined ? readSource(file, name, report) : parseSource(name, text, report)
    if (raw === undefined) return undefined
    const foreign = foreignFile(raw.value, name)
    if (foreign !== undefined) {
      const message = `this is ${foreign.kind}, not an OpenAPI document`
      report.error('foreign-file', message, raw.locate([]), foreign.hint)
      return undefined
    }
    const bare = isObject(raw.value) && ['openapi', 'swagger', 'overlay'].some(key => key in (raw.value as object))
    if (bare && !isOverlay(raw.value)) roundBeyondExamples(raw.value)
    const filled = bare ? raw : expandShortForms(fillVariables(raw, environment, report))
    const source = withSeeds(filled, options.seeds)
    const written = bare ? { contract: path } : checkSimulation(source, report)
    if (written === undefined) return undefined
    const settings = withInvalidStatus(written, invalidStatus)
    const readContractFile = () =>
      options.contract === undefined ? ownDocument(bare, settings, source) : otherDocument(options.contract)
    return { bare, raw, settings, source, readContractFile }
  }

  /** Reads the file and its contract, and checks their shape; returns `undefined` if they cannot be compiled. */
  const read = (): GatewayRead | undefined => {
    const found = readFile()
    if (found === undefined) return undefined
    const { bare, raw, settings, source, readContractFile } = found
    for (const [key, bound] of Object.entries(settings.limits ?? {})) {
      if ((parseSize(bound) ?? parseDuration(bound) ?? 0) >= 1) continue
      const least = parseSize(bound) === undefined ? '1ms' : '1B'
      report.error(
        'invalid-value',
        `"${key}" must be at least ${least}`,
        source.locate(['limits', key]),
        `write ${least} or more`,
      )
    }
    checkState(settings.state, source, report)
    const tls = readTls(settings.listen?.tls, source, file, home, report)
    const upstream = readUpstream(settings, source, file, home, report)
    note(...tls.files, ...upstream.files)
    const document = options.known ? undefined : readContractFile()
    progress?.('reading the contract')
    const basePath = options.basePath ?? settings.listen?.basePath
    const knowsClients = tls.settings?.clients !== undefined
    const contract =
      options.known ?? (document && readContract(document, home, report, { ...options, basePath, knowsClients }))
    if (contract === undefined) return undefined
    note(...contract.files)
    const shownKeys = shownKeysIn(raw.value, environment)
    return { bare, settings, source, contract, shownKeys, tls: tls.settings, upstream: upstream.settings }
  }

  const reader = { home, report, note }

  /** Returns the document that the file is or names, with its overlays and those of the options. */
  const ownDocument = (bare: boolean, { contract = '' }: SimulationFile, source: Source): Document | undefined => {
    const added = (options.overlays ?? []).map(one => namedAt(one, home))
    if (bare) return withOverlays({ file, source }, added, reader)
    if (isObject(contract)) {
      return withOverlays({ file, source: source.derive(contract, at => ['contract', ...at]) }, added, reader)
    }
    return readListed('contract', contract as string | readonly string[], source, added)
  }

  /** Reads the document that a setting names, with the overlays that it names, and others. */
  const readListed = (
    key: string,
    paths: string | readonly string[],
    source: Source,
    added: readonly NamedFile[] = [],
  ): Document | undefined => {
    const listed = [paths].flat()
    const named = listed.map((one, i) => ({
      path: resolve(dirname(file), one),
      place: source.locate(typeof paths === 'string' ? [key] : [key, i]),
    }))
    if (listed.filter((one, i) => refuseRemote(one, (named[i] as NamedFile).place, report)).length > 0) return undefined
    return readAll([...named, ...added])
  }

  /** Adds the next version of the contract. */
  const withNext = (plan: Plan, { settings: { next: named }, source }: GatewayRead): Plan => {
    const document = named === undefined ? undefined : readListed('next', named, source)
    const next = document && readContract(document, home, report)
    note(...(next?.files ?? []))
    const paths = new Set(plan.contract.operations.map(({ path }) => nameless(path)))
    if (next?.operations.some(({ path }) => paths.has(nameless(path))) === false) {
      report.warning('unrelated-contract', 'the next contract has no path of the contract', source.locate(['next']))
    }
    return { ...plan, next }
  }

  const otherDocument = (contract: ContractChoice): Document | undefined => {
    if (typeof contract === 'string') return readAll([namedAt(contract, home)])
    if (!('text' in contract)) return readAll(contract.map(one => namedAt(one, home)))
    const found = parseSource(contract.name, contract.text, report, 'contract')
    if (found === undefined) return undefined
    roundBeyondExamples(found.value)
    return { file: resolve(dirname(file), contract.name), source: found }
  }

  const readAll = ([first, ...overlays]: readonly NamedFile[]): Document | undefined => {
    const document = first && readNamedDocument(first, reader)
    return document && withOverlays(document, overlays, reader)
  }

  const end = (plan: Plan | undefined): Loaded => {
    return { plan: report.failed ? undefined : plan, report, files: [...files] }
  }

  const compileInto = (
    into: Diagnostics,
    { settings, source, contract, shownKeys, tls, upstream }: GatewayRead,
  ): Plan => {
    const seeding = readResources(settings, contract, source, file, home, into, options.fitsSeeds ? report : undefined)
    progress?.(`compiling ${contract.operations.length} operations`)
    const folder = dirname(file)
    const replyFiles = new ReplyFiles(folder)
    const simulation = simulationOf(settings, source, seeding.resources, {
      ...{ shownKeys, replyFiles, tls, upstream, folder },
    })
    const plan = compilePlan(simulation, contract, into)
    note(...seeding.files, ...replyFiles.paths)
    return plan
  }

  /** Adds the plans of the worlds on another contract. @param inferred the settings, where the file has none */
  const withWorlds = (plan: Plan, { settings, source }: GatewayRead, inferred?: string): Plan => {
    const contracts = contractsOfWorlds(settings, file, options.worlds)
    if (contracts.size === 0) return plan
    checkWorlds(settings, source, report)
    const loadOver = (contract: ContractChoice, { seeds }: Partial<NamedWorldFile>): Loaded => {
      const own = { ...options, contract, seeds, fitsSeeds: true, worlds: undefined, overlays: undefined }
      const loading = startLoading(path, home, environment, { ...own, text: inferred ?? text })
      return loading.compile(loading.read())
    }
    const written = inferred === undefined ? file : undefined
    const { others, files: read } = loadWorlds(contracts, loadOver, settings.worlds?.named, written, report, home)
    note(...read)
    return { ...plan, others }
  }

  const compile = (found: GatewayRead | undefined): Loaded => {
    if (found === undefined) return end(undefined)
    if (options.contract === undefined) return end(withWorlds(withNext(compileInto(report, found), found), found))
    const own = new Set(found.contract.files.map(nameOf))
    const compileFitting = (into: Diagnostics, part: WrittenSettings) => compileInto(into, { ...found, ...part })
    return end(leaveOutUnfit(compileFitting, found, ({ place }) => own.has(place.file), report))
  }
  return { file, report, readFile, read, compile, withWorlds, end }
}

/** A flag wins over the file. */
function withInvalidStatus(file: SimulationFile, status: 400 | 422 | undefined): SimulationFile {
  const validate = file.defaults?.validate
  if (status === undefined || validate === null) return file
  return { ...file, defaults: { ...file.defaults, validate: { ...(validate as object | undefined), status } } }
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

/**
 * Limits a configuration that is not from the disk: it may use the variables that the file on disk names, the files that it refers
 * to, and files below its folder.
 *
 * @param file the path of the gateway file; if there is none, it names no variables and files
 * @param known the files that it led to when it was loaded; `undefined` for no limits
 */
function confine(file: string, known: readonly string[] | undefined, environment: Environment) {
  if (known === undefined) return { variables: environment, admits: () => true }
  const text = attempted(() => readFileSync(file, 'utf8')) ?? ''
  const names = [...text.matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name]) => name as string)
  const own = names.filter(name => !name.startsWith('UNDERSTUDY_')).map(name => [name, environment[name]])
  const folder = realOf(dirname(file))
  const admitted = new Set([file, ...known].map(realOf))
  const admits = (path: string) => admitted.has(realOf(path)) || realOf(path).startsWith(folder + sep)
  return { variables: Object.fromEntries(own) as Environment, admits }
}
