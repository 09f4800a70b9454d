// The settings of a gateway.yaml with every default filled in and every unit converted to a number.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { dirname, relative, resolve } from 'node:path'
import type { Resource } from '../behaviours/resource.ts'
import type { Contract } from '../contract/contract.ts'
import { placeOf } from '../contract/documents.ts'
import type { Diagnostics, Place } from '../kernel/diagnostic.ts'
import { ReplyFiles, readNamedText } from '../kernel/file/read-source.ts'
import type { Source } from '../kernel/file/source.ts'
import { parseDuration, parseSize } from '../kernel/units.ts'
import { MEMORY } from '../state/engines/memory.ts'
import type { EngineSettings, StateSettings } from '../state/settings.ts'
import { realClock } from '../world/clock.ts'
import { isoDate, parseTime } from '../world/dates.ts'
import type { SandboxLimits } from '../world/sandboxes.ts'
import type { BlockSettings, House, StateEngine } from './house.ts'
import type {
  CorsFile,
  JournalFile,
  SimulationFile,
  StateBlock,
  StateFile,
  TlsFile,
  WorldsFile,
} from './simulation-file.ts'

export interface Simulation {
  readonly house: House
  /** The settings of the blocks of wings. */
  readonly blocks: BlockSettings
  readonly file: SimulationFile
  readonly source: Source
  readonly seed: number
  readonly listen: {
    readonly host: string
    readonly port: number
    readonly control: number
    readonly clientControls: boolean
    readonly controlHost: string
    /** `undefined` if it is off. */
    readonly cors: CorsSettings | undefined
    /** Milliseconds. */
    readonly drain: number
  }
  readonly delivery: Delivery
  /** `undefined` for plain HTTP. Contains a private key: never show it. */
  readonly tls: TlsSettings | undefined
  readonly expose: readonly ('metrics' | 'healthz' | 'readyz')[]
  readonly worlds: WorldsSettings
  readonly journal: JournalSettings
  /** `undefined` where changes of worlds are not recorded. Its engine may contain a password: never show it. */
  readonly state: StateSettings | undefined
  /** Bytes and milliseconds. */
  readonly limits: {
    readonly body: number
    readonly headers: number
    readonly request: number
    readonly idle: number
    /** A number of streams. */
    readonly streams: number
  }
  readonly resources: ReadonlyMap<string, Resource>
  readonly replyFiles: ReplyFiles
  /** The names of the consumers, without their keys: these may be shown. */
  readonly consumerNames: readonly string[]
  /** The texts of those credentials that may be printed, by `CONSUMER SCHEME`: a key that the file publishes, or `$VARIABLE`. */
  readonly shownKeys: ReadonlyMap<string, string>
}

/** The parts of a simulation that its file does not contain. */
interface SimulationSurroundings {
  readonly house: House
  readonly blocks: BlockSettings
  readonly shownKeys?: ReadonlyMap<string, string>
  readonly replyFiles?: ReplyFiles
  readonly tls?: TlsSettings | undefined
  /** The folder that paths are relative to. */
  readonly folder?: string
}

/** Settings for writing the replies of all operations. */
export interface Delivery {
  /** The maximum time for a client to read a reply, in milliseconds. */
  readonly patience: number
  /** The request headers that may change a reply, for `Vary`. */
  readonly vary: string
  /** Whether pages of every origin may read the reply to a malformed request. */
  readonly open: boolean
}

/** Request headers by which a client steers the mock. */
const CONTROLS = ['World', 'Time', 'Weather', 'Ordinal', 'Explain'].map(name => `Understudy-${name}`)

/** Rounds to whole milliseconds, bounded by the longest timer: a longer one would fire at once. */
const timerOf = (text: string): number => Math.min(Math.ceil(parseDuration(text) as number), 2 ** 31 - 1)

/** Fills in every default. */
export function simulationOf(
  file: SimulationFile,
  source: Source,
  resources: ReadonlyMap<string, Resource>,
  around: SimulationSurroundings,
): Simulation {
  const { house, blocks, shownKeys = new Map(), replyFiles = new ReplyFiles('.'), tls, folder = '.' } = around
  const { seed = 0, listen = {}, limits = {}, worlds = {}, journal = {}, consumers = {} } = file
  const { host = '127.0.0.1', port = 4010, control = 4011, controlHost = '127.0.0.1', clientControls = true } = listen
  const { expose = ['metrics', 'healthz'], drain = '250ms' } = listen
  const { body = '1MB', headers = '16kB', request = '30s', idle = '10s', streams = 1000 } = limits
  const cors = corsSettings(listen.cors)
  const varying = [
    'Accept',
    cors && 'Origin',
    file.defaults?.prefer !== false && 'Prefer',
    ...(clientControls ? CONTROLS : []),
  ]
  return {
    house,
    blocks,
    tls,
    file,
    source,
    resources,
    shownKeys,
    replyFiles,
    seed,
    expose,
    listen: { host, port, control, controlHost, clientControls, cors, drain: timerOf(drain) },
    delivery: {
      patience: timerOf(request),
      vary: varying.filter(Boolean).join(', '),
      open: cors?.admits('*') ?? false,
    },
    worlds: worldsSettings(worlds),
    journal: journalSettings(journal),
    state: stateSettings(file.state, house, folder),
    limits: {
      body: parseSize(body) as number,
      headers: parseSize(headers) as number,
      request: timerOf(request),
      idle: timerOf(idle),
      streams,
    },
    consumerNames: Object.keys(consumers),
  }
}

// The `worlds` block of gateway.yaml: the worlds besides the default one, and the limits of sandboxes.

export interface WorldsSettings extends SandboxLimits {
  readonly sandboxes: boolean
  /** The maximum size of the records of all worlds together, in bytes; `undefined`: a share of the heap. */
  readonly maxBytes: number | undefined
  /** The world of requests that name none. */
  readonly default: string
}

const worldsSettings = ({
  sandboxes = true,
  max = 1000,
  idle = '1h',
  maxBytes,
  default: first = 'default',
}: WorldsFile): WorldsSettings => ({
  sandboxes,
  max,
  idle: Math.max(1, Math.round(parseDuration(idle) as number)),
  maxBytes: maxBytes === undefined ? undefined : parseSize(maxBytes),
  default: first,
})

/** Reports paths that begin like the address of a world, which cannot be reached. */
export function checkPaths({ operations }: Contract, report: Diagnostics): void {
  for (const { path, node } of operations) {
    if (!path.startsWith('/~')) continue
    const hint = 'rename the path, or set listen: { clientControls: false }'
    report.warning(
      'path-names-world',
      `${path} is unreachable: its beginning is read as the name of a world`,
      placeOf(node, 'key'),
      hint,
    )
  }
}

// The `journal` block of gateway.yaml: the number of requests that are remembered, and how much of each.

/** Sizes in bytes. */
export interface JournalSettings {
  /** 0 switches the journal off. */
  readonly requests: number
  readonly size: number
  /** The part of each body that is kept; 0 for none. */
  readonly bodies: number
  /** Lower-case names of the request headers that are kept. */
  readonly headers: 'all' | readonly string[]
}

function journalSettings(file: JournalFile | null): JournalSettings {
  const { requests = 1000, size = '16MB', bodies, headers = false } = file ?? { requests: 0 }
  return {
    requests,
    size: parseSize(size) as number,
    bodies: parseSize(bodies ?? '0B') as number,
    headers: headers === true ? 'all' : (headers || []).map(name => name.toLowerCase()),
  }
}

// The `listen.cors` block of gateway.yaml: the web pages that may read the replies. Other pages get a CORS failure.

export interface CorsSettings {
  /** Returns whether a page of this origin may read the replies. */
  admits(origin: string): boolean
  /** Whether it may send cookies and HTTP authentication. */
  readonly credentials: boolean
}

/** Returns `undefined` if CORS is off. */
function corsSettings(file: CorsFile = {}): CorsSettings | undefined {
  if (file === 'off') return undefined
  const { origins = ['*'], credentials = true } = file
  const listed = new Set(origins)
  return { admits: origin => listed.has('*') || listed.has(origin), credentials }
}

// The `state` block of gateway.yaml: where the state of the worlds is kept.

/** Reports keys that do not go together. */
export function checkState(
  file: StateFile | undefined,
  engines: readonly StateEngine[],
  source: Source,
  report: Diagnostics,
): void {
  if (typeof file !== 'object') return
  const values = file as Readonly<Record<string, string | undefined>>
  const wrong = (path: readonly string[], message: string, hint: string) =>
    report.error('conflicting-state', message, source.locate(['state', ...path], 'key'), hint)
  const [chosen, other] = engines.filter(({ key }) => values[key] !== undefined)
  if (other !== undefined)
    wrong([other.key], `"${chosen?.key}" and "${other.key}" exclude each other`, 'remove one of them')
  for (const engine of engines) {
    for (const { key, message, hint } of engine === chosen || engine === other ? engine.mistakesIn(file) : [])
      wrong([key], `"${key}" ${message}`, hint)
    const idle = Object.keys(engine.keys).filter(key => values[key] !== undefined && values[engine.key] === undefined)
    for (const key of idle) wrong([key], `"${key}" has no effect without "${engine.key}"`, 'remove it')
  }
  const [first] = engines
  if (first === undefined || chosen !== undefined || file.history !== undefined) return
  wrong([], `"state" must name ${engines.map(({ about }) => about).join(' or ')}`, `write state: { ${first.example} }`)
}

/** @param folder the folder of gateway.yaml; returns `undefined` if changes are not recorded */
function stateSettings(file: StateFile | undefined, { engines }: House, folder: string): StateSettings | undefined {
  if (file === undefined || typeof file === 'string') return undefined
  const { reads = 'strong', onSeedChange = 'keep' } = file
  return { engine: engineOf(file, engines, folder), reads, onSeedChange }
}

function engineOf(block: StateBlock, engines: readonly StateEngine[], folder: string): EngineSettings {
  const engine = engines.find(({ key }) => key in block)
  if (engine === undefined) return MEMORY
  return { isShared: engine.isShared, make: (around, switches) => engine.make(block, folder, around, switches) }
}

// The `tls` blocks of `listen` and `upstream` in gateway.yaml: certificate and key, read and checked at load.

/** A certificate and its key, as PEM texts. */
export interface KeyPair {
  readonly key: string
  readonly cert: string
}

export interface TlsSettings {
  /** `undefined` if a certificate is generated at start. */
  readonly pair: KeyPair | undefined
  /** The authorities for certificates of the other side. */
  readonly ca: string | undefined
  readonly clients: 'required' | 'wanted' | undefined
}

const SELF_SIGNED: TlsSettings = { pair: undefined, ca: undefined, clients: undefined }

/** The place of a `tls` block. */
interface TlsSite {
  /** The block that it is in. */
  readonly block: 'listen' | 'upstream'
  readonly source: Source
  /** The path of the gateway file. */
  readonly file: string
  /** The folder that paths in messages are relative to. */
  readonly home: string
  readonly report: Diagnostics
}

/**
 * Reads the files that the block names. Mistakes go to `report`: `no-such-file`, `invalid-certificate`,
 * `invalid-key`, `key-mismatch`, `expired-certificate`, `missing-ca`.
 *
 * @returns the paths of the files, also of invalid ones, so that a reload follows once they are mended
 */
export function readTls(
  tls: TlsFile | undefined,
  { block, source, file, home, report }: TlsSite,
): { readonly settings: TlsSettings | undefined; readonly files: readonly string[] } {
  if (tls === undefined) return { settings: undefined, files: [] }
  if (tls === 'self-signed') return { settings: SELF_SIGNED, files: [] }
  if (typeof tls === 'string') {
    const message = '"tls" must be "self-signed" or a block'
    report.error('invalid-value', message, source.locate([block, 'tls']), '{ key: ./key.pem, cert: ./cert.pem }')
    return { settings: undefined, files: [] }
  }
  const at = (name: string): Place => source.locate([block, 'tls', name])
  const files: string[] = []
  const read = (name: 'key' | 'cert' | 'ca') => {
    const written = tls[name]
    if (written === undefined) return undefined
    const path = resolve(dirname(file), written)
    files.push(path)
    return readNamedText(path, relative(home, path) || path, at(name), report)
  }
  const { clients } = tls
  const [key, cert, ca] = [read('key'), read('cert'), read('ca')]
  if ((tls.key === undefined) !== (tls.cert === undefined)) {
    const missing = tls.key === undefined ? 'key' : 'cert'
    report.error('missing-key', `"${missing}" is missing`, at('tls'), 'write both "key" and "cert"')
  }
  if (clients !== undefined && tls.ca === undefined) {
    const message = 'client certificates are checked against a list of authorities'
    report.error('missing-ca', message, at('clients'), 'add ca: ./ca.pem')
  }
  if (ca !== undefined) checkCertificate(ca, at('ca'), report)
  const certificate = cert === undefined ? undefined : checkCertificate(cert, at('cert'), report)
  if (key !== undefined) checkKey(key, certificate, tls.cert ?? '', at('key'), report)
  return { settings: { pair: key === undefined || cert === undefined ? undefined : { key, cert }, ca, clients }, files }
}

/** The hint for a PEM file with another content. */
const beginning = (what: string): string => `a PEM file begins with -----BEGIN ${what}-----`

function checkCertificate(text: string, place: Place, report: Diagnostics): X509Certificate | undefined {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(text)
  } catch {
    report.error('invalid-certificate', 'this file contains no certificate', place, beginning('CERTIFICATE'))
    return undefined
  }
  const now = realClock.now()
  const [from, to] = [parseTime(certificate.validFrom), parseTime(certificate.validTo)]
  const state = now > to ? `expired on ${isoDate(to)}` : now < from ? `is not valid before ${isoDate(from)}` : undefined
  if (state !== undefined) report.error('expired-certificate', `the certificate ${state}`, place)
  return certificate
}

function checkKey(
  text: string,
  certificate: X509Certificate | undefined,
  name: string,
  place: Place,
  report: Diagnostics,
): void {
  try {
    const key = createPrivateKey(text)
    if (certificate?.checkPrivateKey(key) === false) {
      report.error('key-mismatch', `this key does not belong to the certificate in ${name}`, place)
    }
  } catch (error) {
    const locked = (error as NodeJS.ErrnoException).code === 'ERR_MISSING_PASSPHRASE'
    const message = locked ? 'this key is encrypted' : 'this file contains no private key'
    const hint = locked ? 'decrypt it: openssl pkey -in key.pem -out plain.pem' : beginning('PRIVATE KEY')
    report.error('invalid-key', message, place, hint)
  }
}
