// The settings of a gateway.yaml with every default filled in and every unit converted to a number.

import { resolve } from 'node:path'
import type { Resource } from '../behaviours/resource.ts'
import type { Contract } from '../contract/contract.ts'
import { placeOf } from '../contract/documents.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import { ReplyFiles } from '../kernel/file/read-source.ts'
import type { Source } from '../kernel/file/source.ts'
import { parseDuration, parseSize } from '../kernel/units.ts'
import { type EngineSettings, parseRedisUrl } from '../world/engines/engine.ts'
import type { SandboxLimits } from '../world/sandboxes.ts'
import type { CorsFile, JournalFile, SimulationFile, StateFile, WorldsFile } from './simulation-file.ts'
import type { TlsSettings } from './tls.ts'

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
  readonly limits: { readonly body: number; readonly headers: number; readonly request: number; readonly idle: number }
  readonly resources: ReadonlyMap<string, Resource>
  readonly replyFiles: ReplyFiles
  /** The names of the consumers, without their keys: these may be shown. */
  readonly consumerNames: readonly string[]
  /** The texts of those credentials that may be printed, by `CONSUMER SCHEME`: a key that the file publishes, or `$VARIABLE`. */
  readonly shownKeys: ReadonlyMap<string, string>
}

/** The parts of a simulation that its file does not contain. */
interface SimulationSurroundings {
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

function deliveryOf(file: SimulationFile, cors: CorsSettings | undefined): Delivery {
  const steering = file.listen?.clientControls === false ? [] : CONTROLS
  const names = [
    'Accept',
    ...(cors === undefined ? [] : ['Origin']),
    ...(file.defaults?.prefer === false ? [] : ['Prefer']),
    ...steering,
  ]
  const open = cors?.admits('*') ?? false
  return { patience: timerOf(file.limits?.request ?? '30s'), vary: names.join(', '), open }
}

/** Request headers by which a client steers the mock. */
const CONTROLS = ['World', 'Time', 'Weather', 'Ordinal', 'Explain'].map(name => `Understudy-${name}`)

/** Rounds to whole milliseconds, bounded by the longest timer: a longer one would fire at once. */
const timerOf = (text: string): number => Math.min(Math.ceil(parseDuration(text) as number), 2 ** 31 - 1)

/** Fills in every default. */
export const simulationOf = (
  file: SimulationFile,
  source: Source,
  resources: ReadonlyMap<string, Resource>,
  { shownKeys = new Map(), replyFiles = new ReplyFiles('.'), tls, folder = '.' }: SimulationSurroundings = {},
): Simulation => ({
  tls,
  file,
  source,
  resources,
  shownKeys,
  replyFiles,
  seed: file.seed ?? 0,
  listen: {
    host: file.listen?.host ?? '127.0.0.1',
    port: file.listen?.port ?? 4010,
    control: file.listen?.control ?? 4011,
    clientControls: file.listen?.clientControls ?? true,
    controlHost: file.listen?.controlHost ?? '127.0.0.1',
    cors: corsSettings(file.listen?.cors),
    drain: timerOf(file.listen?.drain ?? '250ms'),
  },
  delivery: deliveryOf(file, corsSettings(file.listen?.cors)),
  expose: file.listen?.expose ?? ['metrics', 'healthz'],
  worlds: worldsSettings(file.worlds),
  journal: journalSettings(file.journal),
  state: stateSettings(file.state, folder),
  limits: {
    body: parseSize(file.limits?.body ?? '1MB') as number,
    headers: parseSize(file.limits?.headers ?? '16kB') as number,
    request: timerOf(file.limits?.request ?? '30s'),
    idle: timerOf(file.limits?.idle ?? '10s'),
  },
  consumerNames: Object.keys(file.consumers ?? {}),
})

// The `worlds` block of gateway.yaml: the worlds besides the default one, and the limits of sandboxes.

export interface WorldsSettings extends SandboxLimits {
  readonly sandboxes: boolean
  /** The maximum size of the records of all worlds together, in bytes; `undefined`: a share of the heap. */
  readonly maxBytes: number | undefined
  /** The world of requests that name none. */
  readonly default: string
}

/** The names of worlds: valid as a path segment, a header, a file name and a label. */
export const WORLD_NAME = /^[A-Za-z0-9._-]{1,64}$/
/** The same in words. */
export const WORLD_NAME_RULE = '1 to 64 characters of A-Z a-z 0-9 . _ -'

const worldsSettings = (file: WorldsFile = {}): WorldsSettings => ({
  sandboxes: file.sandboxes ?? true,
  max: file.max ?? 1000,
  idle: Math.max(1, Math.round(parseDuration(file.idle ?? '1h') as number)),
  maxBytes: file.maxBytes === undefined ? undefined : parseSize(file.maxBytes),
  default: file.default ?? 'default',
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

const journalSettings = (file: JournalFile | null = {}): JournalSettings => ({
  requests: file === null ? 0 : (file.requests ?? 1000),
  size: parseSize(file?.size ?? '16MB') as number,
  bodies: parseSize(file?.bodies ?? '0B') as number,
  headers: headersOf(file?.headers ?? false),
})

const headersOf = (headers: boolean | readonly string[]): JournalSettings['headers'] =>
  typeof headers === 'boolean' ? (headers ? 'all' : []) : headers.map(name => name.toLowerCase())

// The `listen.cors` block of gateway.yaml: the web pages that may read the replies. Other pages get a CORS failure.

export interface CorsSettings {
  /** Returns whether a page of this origin may read the replies. */
  admits(origin: string): boolean
  /** Whether it may send cookies and HTTP authentication. */
  readonly credentials: boolean
}

/** Whether a text is a serialised origin (RFC 6454 §6.2), or `*`. */
export const isOrigin = (text: string): boolean => ORIGIN.test(text)
const ORIGIN = /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+)$/

/** Returns `undefined` if CORS is off. */
function corsSettings(file: CorsFile = {}): CorsSettings | undefined {
  if (file === 'off') return undefined
  const { origins = ['*'], credentials = true } = file
  const listed = new Set(origins)
  return { admits: origin => listed.has('*') || listed.has(origin), credentials }
}

// The `state` block of gateway.yaml: where the state of the worlds is kept.

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
function stateSettings(file: StateFile | undefined, folder: string): StateSettings | undefined {
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
