// Weather (latency, faults, limits) as blocks of the configuration, and as the numbers of sliders. Independent of the DOM.

import { writeLatency, writeRate } from './scale.ts'

/** The settings of one block that sliders show; others are kept unchanged. */
export interface WeatherSettings {
  readonly latency?: unknown
  readonly fault?: unknown
  readonly rateLimit?: unknown
  readonly capacity?: unknown
  readonly [name: string]: unknown
}

export interface WeatherBlocks {
  readonly defaults?: WeatherSettings | null
  readonly tags?: Readonly<Record<string, WeatherSettings | null>> | null
  readonly operations?: Readonly<Record<string, WeatherSettings | null>> | null
  readonly consumers?: Readonly<Record<string, WeatherSettings | null>> | null
}

/** The requests that a block is for: all of them, or those of one tag, operation or consumer. */
export interface Scope {
  readonly kind: 'everything' | 'tag' | 'operation' | 'consumer'
  /** Empty for everything. */
  readonly name: string
}

export const EVERYTHING: Scope = { kind: 'everything', name: '' }
const GROUPS = { tag: 'tags', operation: 'operations', consumer: 'consumers' } as const

/** Reads `operation:getThing`, as the URL has it. */
export function readScope(text: string): Scope {
  const [, kind, name] = /^(tag|operation|consumer):(.+)$/s.exec(text) ?? []
  return name === undefined ? EVERYTHING : { kind: kind as Scope['kind'], name }
}

export const writeScope = ({ kind, name }: Scope): string => (kind === 'everything' ? '' : `${kind}:${name}`)

export function settingsIn(blocks: WeatherBlocks, { kind, name }: Scope): WeatherSettings {
  return (kind === 'everything' ? blocks.defaults : blocks[GROUPS[kind]]?.[name]) ?? {}
}

/** Returns blocks with other settings for a scope; a block without settings is taken out. */
export function withSettings(blocks: WeatherBlocks, { kind, name }: Scope, settings: WeatherSettings): WeatherBlocks {
  const kept = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const block = Object.keys(kept).length === 0 ? undefined : kept
  if (kind === 'everything') return without({ ...blocks, defaults: block })
  const group = GROUPS[kind]
  const names = without({ ...blocks[group], [name]: block })
  return without({ ...blocks, [group]: Object.keys(names).length === 0 ? undefined : names })
}

const without = (members: object): Record<string, never> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Record<string, never>

export const isClear = (blocks: WeatherBlocks): boolean => Object.keys(blocks).length === 0

/** The scopes that have settings, for the list of the blocks of the weather. */
export function scopesOf(blocks: WeatherBlocks): readonly Scope[] {
  const scopes: Scope[] = blocks.defaults ? [EVERYTHING] : []
  for (const [kind, group] of Object.entries(GROUPS) as [keyof typeof GROUPS, 'tags'][]) {
    for (const name of Object.keys(blocks[group] ?? {})) scopes.push({ kind, name })
  }
  return scopes
}

/** Sliders of latency, in milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Sliders of faults, as probabilities from 0 to 1. */
export interface FaultRates {
  readonly status: number
  readonly code: number
  readonly reset: number
  readonly hang: number
}

export interface Limits {
  /** Requests in a minute; undefined without a limit. */
  readonly perMinute: number | undefined
  /** Requests that are served at once; undefined without a limit. */
  readonly concurrency: number | undefined
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ us: 0.001, µs: 0.001, ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 },
}

/** Milliseconds of `200ms` or `1.5s`; undefined for anything else. */
function millisecondsIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  const [, count, unit] = /^\s*(\d+(?:\.\d+)?)\s*(us|µs|ms|s|min|m|h)\s*$/.exec(String(value ?? '')) ?? []
  return count === undefined || unit === undefined ? undefined : Number(count) * (UNITS[unit] as number)
}

/** The percentiles of a latency; undefined where it has none of them, and sliders would lose its settings. */
export function percentilesIn(latency: unknown): Percentiles | undefined {
  if (typeof latency === 'string' || typeof latency === 'number') {
    const fixed = millisecondsIn(latency)
    return fixed === undefined ? undefined : { p50: fixed, p95: fixed, p99: fixed }
  }
  if (typeof latency !== 'object' || latency === null) return undefined
  const given = latency as Readonly<Record<string, unknown>>
  if (given.fixed !== undefined) return percentilesIn(given.fixed)
  const at = (name: string): number | undefined => millisecondsIn(given[name])
  const p50 = at('p50') ?? at('p75') ?? at('p90') ?? at('p95') ?? at('p99')
  if (p50 === undefined) return undefined
  const p95 = at('p95') ?? at('p90') ?? at('p99') ?? p50
  return { p50, p95: Math.max(p50, p95), p99: Math.max(p50, p95, at('p99') ?? at('p99.9') ?? p95) }
}

/** Returns the setting of percentiles; undefined, no latency, where all are 0. */
export function latencyOf({ p50, p95, p99 }: Percentiles): unknown {
  if (p99 === 0) return undefined
  if (p50 === p99) return { fixed: writeMilliseconds(p50) }
  // A percentile may not be less than 0.001 ms, and must not be less than the one before.
  return { p50: writeMilliseconds(Math.max(p50, 1)), p95: writeMilliseconds(p95), p99: writeMilliseconds(p99) }
}

const writeMilliseconds = (value: number): string => `${Math.round(value * 1000) / 1000}ms`

/** Returns percentiles in their order after one of them was moved: the others give way. */
export function movePercentile(before: Percentiles, name: keyof Percentiles, value: number): Percentiles {
  const moved = { ...before, [name]: value }
  if (name === 'p50') return { p50: value, p95: Math.max(value, moved.p95), p99: Math.max(value, moved.p99) }
  if (name === 'p95') return { p50: Math.min(value, moved.p50), p95: value, p99: Math.max(value, moved.p99) }
  return { p50: Math.min(value, moved.p50), p95: Math.min(value, moved.p95), p99: value }
}

const probabilityIn = (value: unknown): number => {
  if (typeof value === 'number') return value
  const percent = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(String(value ?? ''))?.[1]
  return percent === undefined ? 1 : Number(percent) / 100
}

type Fault = Readonly<Record<string, unknown>>
const listOf = (fault: unknown): readonly Fault[] =>
  fault === undefined || fault === null ? [] : Array.isArray(fault) ? (fault as Fault[]) : [fault as Fault]

export function faultRatesIn(fault: unknown): FaultRates {
  const rate = (kind: string): number => {
    const found = listOf(fault).find(one => one.kind === kind)
    return found === undefined ? 0 : probabilityIn(found.probability)
  }
  const status = listOf(fault).find(({ kind }) => kind === 'status')?.status
  return {
    status: rate('status'),
    code: typeof status === 'number' ? status : 503,
    reset: rate('reset'),
    hang: rate('hang'),
  }
}

/** Returns the setting of fault rates. Faults of other kinds, and other settings of the same, stay as they are. */
export function faultOf(before: unknown, { status, code, reset, hang }: FaultRates): unknown {
  const wanted: Readonly<Record<string, Fault>> = {
    status: { status: code, probability: status },
    reset: { probability: reset },
    hang: { probability: hang },
  }
  const old = listOf(before)
  const others = old.filter(({ kind }) => !(String(kind) in wanted))
  const faults = Object.entries(wanted).flatMap(([kind, settings]) =>
    settings.probability === 0 ? [] : [{ ...old.find(one => one.kind === kind), kind, ...settings }],
  )
  const all = [...others, ...faults]
  return all.length === 0 ? undefined : all.length === 1 ? all[0] : all
}

const PERIODS: Readonly<Record<string, number>> = { s: 60, sec: 60, m: 1, min: 1, h: 1 / 60, d: 1 / 1440 }

export function limitsIn({ rateLimit, capacity }: WeatherSettings): Limits {
  const text = typeof rateLimit === 'string' ? rateLimit : (rateLimit as { limit?: unknown } | null | undefined)?.limit
  const [, count, each = '1', unit] = /^\s*(\d+)\s*\/\s*(\d*)\s*([a-z]+)\s*$/.exec(String(text ?? '')) ?? []
  const period = PERIODS[unit ?? '']
  const given = (capacity as { concurrency?: unknown } | null | undefined)?.concurrency ?? capacity
  return {
    perMinute: count === undefined || period === undefined ? undefined : (Number(count) / Number(each || 1)) * period,
    concurrency: typeof given === 'number' ? given : undefined,
  }
}

export function withLimits(settings: WeatherSettings, { perMinute, concurrency }: Limits): WeatherSettings {
  const merge = (before: unknown, name: string, value: unknown): unknown =>
    value === undefined
      ? undefined
      : typeof before === 'object' && before !== null
        ? { ...before, [name]: value }
        : { [name]: value }
  return {
    ...settings,
    rateLimit: merge(
      settings.rateLimit,
      'limit',
      perMinute === undefined ? undefined : `${Math.max(1, Math.round(perMinute))}/min`,
    ),
    capacity: merge(settings.capacity, 'concurrency', concurrency),
  }
}

/** Summarises settings in a few words; empty for none. */
export function describeSettings(settings: WeatherSettings): string {
  const parts: string[] = []
  const latency = percentilesIn(settings.latency)
  if (latency !== undefined) parts.push(`${writeLatency(latency.p50)} to ${writeLatency(latency.p99)}`)
  else if (settings.latency !== undefined) parts.push(settings.latency === null ? 'no latency' : 'latency')
  for (const fault of listOf(settings.fault)) {
    parts.push(`${writeRate(probabilityIn(fault.probability))} ${fault.kind === 'status' ? fault.status : fault.kind}`)
  }
  if (settings.fault === null) parts.push('no faults')
  const { perMinute, concurrency } = limitsIn(settings)
  if (perMinute !== undefined) parts.push(`${Number(perMinute.toPrecision(3))} a minute`)
  if (concurrency !== undefined) parts.push(`${concurrency} at once`)
  return parts.join(', ')
}
