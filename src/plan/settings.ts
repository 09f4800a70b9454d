// The settings of a gateway.yaml with every default filled in and every unit converted to a number.

import type { Resource } from '../behaviours/respond/resource.ts'
import { ReplyFiles } from '../kernel/reply-files.ts'
import type { Source } from '../kernel/source.ts'
import { parseDuration, parseSize } from '../kernel/units.ts'
import { type CorsSettings, corsSettings } from './cors.ts'
import { type JournalSettings, journalSettings } from './journal.ts'
import type { SimulationFile } from './simulation-file.ts'
import { type StateSettings, stateSettings } from './state.ts'
import type { TlsSettings } from './tls.ts'
import { type WorldsSettings, worldsSettings } from './worlds.ts'

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
  /** Keys that the file itself publishes, by `CONSUMER SCHEME`. */
  readonly published: ReadonlyMap<string, string>
  /** The environment variables of keys, by `CONSUMER SCHEME`. */
  readonly keyVariables: ReadonlyMap<string, string>
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
  published: ReadonlyMap<string, string> = new Map(),
  replyFiles = new ReplyFiles('.'),
  keyVariables: ReadonlyMap<string, string> = new Map(),
  tls?: TlsSettings,
  folder = '.',
): Simulation => ({
  tls,
  file,
  source,
  resources,
  published,
  replyFiles,
  keyVariables,
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
