// The steps of a load: reading the gateway file and its contract, compiling them, and the end with what was found.

import { dirname, relative, resolve } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import { readContract } from '../contract/document/read-contract.ts'
import { type Document, roundBeyondExamples } from '../contract/documents.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import { isApiDocument, parseSource, ReplyFiles, readSource, refuseRemote } from '../kernel/file/read-source.ts'
import { type Environment, fillVariables, placeOfFile, type Source } from '../kernel/file/source.ts'
import { isObject } from '../kernel/json.ts'
import type { Progress } from '../kernel/terminal.ts'
import { parseDuration, parseSize } from '../kernel/units.ts'
import { compilePlan } from '../plan/compile.ts'
import { expandShortForms } from '../plan/formats.ts'
import { type BlockLoad, BlockSettings, type House, houseWith } from '../plan/house.ts'
import type { Plan } from '../plan/plan.ts'
import { checkState, readTls, simulationOf, type TlsSettings } from '../plan/settings.ts'
import { checksOf } from '../plan/simulation.ts'
import type { NamedWorldFile, SimulationFile } from '../plan/simulation-file.ts'
import {
  type ContractReader,
  type DocumentLayers,
  type LoadWing,
  layDocuments,
  type NamedFile,
  namedAt,
  readNamedDocument,
} from './contract-file.ts'
import { leaveOutUnfit, type WrittenSettings } from './fit.ts'
import { type FilledSource, withIncluded } from './include.ts'
import { type ContractChoice, checkWorlds, contractsOfWorlds, loadWorlds, withSeeds } from './other-worlds.ts'
import { readResources } from './seed/seed.ts'
import { shownKeysIn } from './shown-keys.ts'

export interface Loaded {
  /** `undefined` where anything was wrong. */
  readonly plan: Plan | undefined
  readonly report: Diagnostics
  /** Every file of the configuration, and the patterns of `include`: a change of one causes a reload. */
  readonly files: readonly string[]
  /** The files of the configuration that the gateway file includes. */
  readonly included: readonly string[]
}

/** The options of a load. */
export interface LoadOptions {
  /** The wings whose blocks, behaviours and kinds of reply the file may have: the same list each time. Default: none. */
  readonly wings?: readonly LoadWing[] | undefined
  /** Whether a warning is an error. */
  readonly strict?: boolean
  /** The path below which the API is served; overrides the `servers` of the contract. */
  readonly basePath?: string | undefined
  /** A folder that the files of the contract may be in, besides its own and the working directory. */
  readonly root?: string | undefined
  /** The status of an invalid request where the contract documents none. */
  readonly invalidStatus?: 400 | 422 | undefined
  /** Whether everything is compiled and every example checked, without limits. */
  readonly thorough?: boolean
  /** Is called with the current step. */
  readonly progress?: Progress
  /** The unreadable files of the contract that the served configuration lacks, too: the others are errors. Unset: none is. */
  readonly lacking?: ReadonlySet<string> | undefined
  /** The paths of documents that are laid over the contract after those that the file names. */
  readonly layers?: readonly string[] | undefined
  /**
   * The path of another contract to use instead of the file's, or a list of it and those over it. Settings that do not fit it are
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
  /** For a text from elsewhere: the files of the configuration on the disk. See `confine`. */
  readonly confined?: Pick<Loaded, 'files' | 'included'> | undefined
}

/** A gateway file and its contract, before they are compiled. */
export interface GatewayRead extends WrittenSettings {
  /** Whether it is a bare OpenAPI document. */
  readonly bare: boolean
  readonly contract: Contract
  readonly shownKeys: ReadonlyMap<string, string>
  readonly tls: TlsSettings | undefined
}

/** A gateway file whose shape is checked, before its contract is read. */
export interface FileRead extends WrittenSettings {
  readonly bare: boolean
  /** The file before the environment is filled in. */
  readonly raw: Source
  /** Reads the document of the contract, with those that are laid over it. */
  readContractFile(): Document | undefined
}

/** One load of a gateway file, or of a bare OpenAPI document. */
export class Loading {
  /** The path of the file, absolute. */
  readonly file: string
  readonly report: Diagnostics
  readonly house: House
  readonly #path: string
  readonly #home: string
  readonly #environment: Environment
  readonly #options: LoadOptions
  readonly #files = new Set<string>()
  readonly #included = new Set<string>()
  readonly #layers: DocumentLayers | undefined
  readonly #reader: ContractReader

  constructor(path: string, home: string, environment: Environment, options: LoadOptions) {
    this.file = resolve(home, path)
    this.report = new Diagnostics(options.strict, options.lacking)
    this.house = houseWith(options.wings)
    this.#path = path
    this.#home = home
    this.#environment = environment
    this.#options = options
    this.#layers = options.wings?.find(wing => wing.layers !== undefined)?.layers
    this.#reader = { home, report: this.report, note: file => this.#note(file) }
  }

  #note(...files: readonly string[]): void {
    for (const file of files) this.#files.add(file)
  }

  #nameOf(file: string): string {
    return relative(this.#home, file) || file
  }

  /** Reads the file, and checks its shape. */
  readFile(): FileRead | undefined {
    const main = this.#readSource()
    if (main === undefined) return undefined
    const { report } = this
    const { seeds, invalidStatus, contract } = this.#options
    const isContract = isApiDocument(main.value)
    const bare = isContract || this.#layers?.isLayer(main.value) === true
    if (isContract) roundBeyondExamples(main.value)
    const { raw, filled } = bare ? { raw: main, filled: main } : this.#fillIncluded(main)
    const source = withSeeds(bare ? filled : expandShortForms(filled), seeds)
    const written = bare ? { contract: this.#path } : checksOf(this.house).simulation(source, report)
    if (written === undefined) return undefined
    const settings = withInvalidStatus(written, invalidStatus)
    const readContractFile = () =>
      contract === undefined ? this.#namedDocument(bare, settings, source) : this.#otherDocument(contract)
    return { bare, raw, settings, source, readContractFile }
  }

  /** Fills in the environment, and lays the included files over the file. */
  #fillIncluded(raw: Source): FilledSource {
    const environment = this.#environment
    const filled = fillVariables(raw, environment, this.report)
    return withIncluded(
      this.file,
      { raw, filled },
      {
        ...this.#reader,
        folder: dirname(this.file),
        environment,
        isLayer: value => this.#layers?.isLayer(value) === true,
        included: file => void this.#included.add(file),
      },
    )
  }

  #readSource(): Source | undefined {
    const { file, report } = this
    if (refuseRemote(this.#path, placeOfFile(this.#path), report)) return undefined
    this.#note(file)
    const name = this.#nameOf(file)
    const { text, progress } = this.#options
    progress?.(`reading ${name}`)
    const raw = text === undefined ? readSource(file, name, report) : parseSource(name, text, report)
    if (raw === undefined || isApiDocument(raw.value)) return raw
    // The file of another tool.
    const { converters = [] } = this.house.reading
    const isRefused = converters.some(convert => convert({ file, source: raw }, this.#home, report) === undefined)
    return isRefused ? undefined : raw
  }

  /** Reads the file and its contract, and checks their shape; returns `undefined` if they cannot be compiled. */
  read(): GatewayRead | undefined {
    const read = this.readFile()
    if (read === undefined) return undefined
    const { bare, raw, settings, source, readContractFile } = read
    const { report, file } = this
    checkLimits(settings, source, report)
    checkState(settings.state, this.house.engines, source, report)
    const tls = readTls(settings.listen?.tls, { block: 'listen', source, file, home: this.#home, report })
    this.#note(...tls.files)
    const options = this.#options
    const document = options.known ? undefined : readContractFile()
    options.progress?.('reading the contract')
    const basePath = options.basePath ?? settings.listen?.basePath
    const knowsClients = tls.settings?.clients !== undefined
    const reading = { ...options, ...this.house.reading, basePath, knowsClients }
    const contract = options.known ?? (document && readContract(document, this.#home, report, reading))
    if (contract === undefined) {
      this.#readBlocks(settings, source, undefined)
      return undefined
    }
    this.#note(...contract.files)
    const shownKeys = shownKeysIn(raw.value, this.#environment)
    return { bare, settings, source, contract, shownKeys, tls: tls.settings }
  }

  /** Compiles what was read, and ends the load. */
  compile(read: GatewayRead | undefined): Loaded {
    if (read === undefined) return this.end(undefined)
    if (this.#options.contract === undefined)
      return this.end(this.withWorlds(this.#compileInto(this.report, read), read))
    const ofContract = new Set(read.contract.files.map(file => this.#nameOf(file)))
    const compileFitting = (into: Diagnostics, part: WrittenSettings) => this.#compileInto(into, { ...read, ...part })
    return this.end(leaveOutUnfit(compileFitting, read, ({ place }) => ofContract.has(place.file), this.report))
  }

  #compileInto(into: Diagnostics, read: GatewayRead): Plan {
    const { settings, source, contract, shownKeys, tls } = read
    const { fitsSeeds, progress } = this.#options
    const blocks = this.#readBlocks(settings, source, contract, into)
    const seeding = readResources({
      settings,
      contract,
      source,
      file: this.file,
      home: this.#home,
      house: this.house,
      report: into,
      leftOut: fitsSeeds ? this.report : undefined,
    })
    progress?.(`compiling ${contract.operations.length} operations`)
    const folder = dirname(this.file)
    const replyFiles = new ReplyFiles(folder)
    const { house } = this
    const around = { house, blocks, shownKeys, replyFiles, tls, folder }
    const plan = compilePlan(simulationOf(settings, source, seeding.resources, around), contract, into)
    this.#note(...seeding.files, ...replyFiles.paths)
    return plan
  }

  /** Reads the blocks of wings. */
  #readBlocks(
    settings: SimulationFile,
    source: Source,
    contract: Contract | undefined,
    report = this.report,
  ): BlockSettings {
    const load: BlockLoad = {
      source,
      file: this.file,
      home: this.#home,
      report,
      contract,
      isFitted: this.#options.contract !== undefined,
      settings,
      note: (...files) => this.#note(...files),
      readContract: (key, paths) => {
        const document = this.#readListed(key, paths, source)
        const other = document && readContract(document, this.#home, report, this.house.reading)
        this.#note(...(other?.files ?? []))
        return other
      },
    }
    return new BlockSettings(this.house, settings, load)
  }

  /** Adds the plans of the worlds on another contract. @param inferred the settings, where the file has none */
  withWorlds(plan: Plan, { settings, source }: GatewayRead, inferred?: string): Plan {
    const options = this.#options
    const { file, report } = this
    const contracts = contractsOfWorlds(settings, file, options.worlds)
    if (contracts.size === 0) return plan
    checkWorlds(settings, source, report)
    const loadOver = (contract: ContractChoice, { seeds }: Partial<NamedWorldFile>): Loaded => {
      const over = { contract, seeds, fitsSeeds: true, worlds: undefined, layers: undefined }
      const text = inferred ?? options.text
      const loading = new Loading(this.#path, this.#home, this.#environment, { ...options, ...over, text })
      return loading.compile(loading.read())
    }
    const written = inferred === undefined ? file : undefined
    const worlds = { contracts, load: loadOver, named: settings.worlds?.named, file: written, report, home: this.#home }
    const { others, files } = loadWorlds(worlds)
    this.#note(...files)
    return { ...plan, others }
  }

  /** Ends the load. */
  end(plan: Plan | undefined): Loaded {
    const { report } = this
    return { plan: report.failed ? undefined : plan, report, files: [...this.#files], included: [...this.#included] }
  }

  /** Returns the document that the file is or names, with those over it that it and the options name. */
  #namedDocument(bare: boolean, { contract = '' }: SimulationFile, source: Source): Document | undefined {
    const { file } = this
    const added = (this.#options.layers ?? []).map(path => this.#namedAt(path))
    if (bare) return this.#lay({ file, source }, added)
    if (isObject(contract)) {
      return this.#lay({ file, source: source.derive(contract, at => ['contract', ...at]) }, added)
    }
    return this.#readListed('contract', contract as string | readonly string[], source, added)
  }

  /** Reads the document that a setting names, with those over it that it names, and others. */
  #readListed(
    key: string,
    paths: string | readonly string[],
    source: Source,
    added: readonly NamedFile[] = [],
  ): Document | undefined {
    const listed = [paths].flat()
    const named = listed.map((path, i) => ({
      path: resolve(dirname(this.file), path),
      place: source.locate(typeof paths === 'string' ? [key] : [key, i]),
    }))
    const remote = listed.filter((path, i) => refuseRemote(path, (named[i] as NamedFile).place, this.report))
    return remote.length > 0 ? undefined : this.#readAll([...named, ...added])
  }

  #otherDocument(contract: ContractChoice): Document | undefined {
    if (typeof contract === 'string') return this.#readAll([this.#namedAt(contract)])
    if (!('text' in contract)) return this.#readAll(contract.map(path => this.#namedAt(path)))
    const source = parseSource(contract.name, contract.text, this.report, 'contract')
    if (source === undefined) return undefined
    roundBeyondExamples(source.value)
    return { file: resolve(dirname(this.file), contract.name), source }
  }

  #readAll([first, ...over]: readonly NamedFile[]): Document | undefined {
    const document = first && readNamedDocument(first, this.#reader, this.#layers)
    return document && this.#lay(document, over)
  }

  #lay(first: Document, over: readonly NamedFile[]): Document | undefined {
    return layDocuments(first, over, this.#reader, this.#layers)
  }

  #namedAt(path: string): NamedFile {
    return namedAt(path, resolve(this.#home, path), this.#home)
  }
}

/** Reports limits of less than one byte or millisecond. */
function checkLimits({ limits = {} }: SimulationFile, source: Source, report: Diagnostics): void {
  for (const [key, bound] of Object.entries(limits)) {
    // The number of streams is an integer, which its schema checks.
    if (typeof bound === 'number' || (parseSize(bound) ?? parseDuration(bound) ?? 0) >= 1) continue
    const least = parseSize(bound) === undefined ? '1ms' : '1B'
    const place = source.locate(['limits', key])
    report.error('invalid-value', `"${key}" must be at least ${least}`, place, `write ${least} or more`)
  }
}

/** A flag wins over the file. */
function withInvalidStatus(file: SimulationFile, status: 400 | 422 | undefined): SimulationFile {
  const validate = file.defaults?.validate
  if (status === undefined || validate === null) return file
  return { ...file, defaults: { ...file.defaults, validate: { ...(validate as object | undefined), status } } }
}
