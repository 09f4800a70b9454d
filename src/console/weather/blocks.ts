// Weather (latency, faults, limits) as blocks of the configuration, whose short forms the gateway has written out, and as the
// numbers of sliders. Independent of the DOM.

import type { WeatherFile } from '../../http/control/types.ts'
import { isObject, mapValues } from '../../kernel/json.ts'
import { parseRate, parseSpan } from '../../kernel/units.ts'
import { MINUTE, writeLatency, writePercent } from '../model/wording.ts'

/** The settings of one block. Sliders show some; the others stay as they are. */
export type WeatherSettings = Readonly<Record<string, unknown>>

/** The blocks of a weather. A block that is null switches a setting off. */
export type WeatherBlocks = { readonly [Group in keyof WeatherFile]: WeatherFile[Group] | null }

/** The requests that a block is for: all of them, or those of one tag, operation or consumer. */
export interface WeatherScope {
  readonly kind: 'everything' | 'tag' | 'operation' | 'consumer'
  /** Empty for everything. */
  readonly name: string
}

const EVERYTHING: WeatherScope = { kind: 'everything', name: '' }
const GROUPS = { tag: 'tags', operation: 'operations', consumer: 'consumers' } as const

/** Reads `operation:getThing`, as the URL has it. */
export function readScope(text: string): WeatherScope {
  const [, kind, name] = /^(tag|operation|consumer):(.+)$/s.exec(text) ?? []
  return name === undefined ? EVERYTHING : { kind: kind as WeatherScope['kind'], name }
}

export const writeScope = ({ kind, name }: WeatherScope): string => (kind === 'everything' ? '' : `${kind}:${name}`)

export function settingsIn(blocks: WeatherBlocks, { kind, name }: WeatherScope): WeatherSettings {
  return (kind === 'everything' ? blocks.defaults : blocks[GROUPS[kind]]?.[name]) ?? {}
}

/** Returns blocks with other settings for a scope; a block without settings is taken out. */
export function withSettings(
  blocks: WeatherBlocks,
  { kind, name }: WeatherScope,
  settings: WeatherSettings,
): WeatherBlocks {
  const block = definedIn(settings)
  if (kind === 'everything') return definedIn({ ...blocks, defaults: block }) ?? {}
  const group = GROUPS[kind]
  return definedIn({ ...blocks, [group]: definedIn({ ...blocks[group], [name]: block }) }) ?? {}
}

/** Returns the members that are not undefined; undefined without one. */
function definedIn(members: object): Record<string, never> | undefined {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined)
  return defined.length === 0 ? undefined : (Object.fromEntries(defined) as Record<string, never>)
}

export const isClear = (blocks: WeatherBlocks): boolean => Object.keys(blocks).length === 0

/** The scopes that have settings, for the list of the blocks of the weather. */
export function scopesOf(blocks: WeatherBlocks): readonly WeatherScope[] {
  const scopes: WeatherScope[] = blocks.defaults ? [EVERYTHING] : []
  for (const [kind, group] of Object.entries(GROUPS) as [keyof typeof GROUPS, 'tags'][]) {
    for (const name of Object.keys(blocks[group] ?? {})) scopes.push({ kind, name })
  }
  return scopes
}

/** The percentiles that are measured. */
export const PERCENTILES = ['p50', 'p95', 'p99'] as const

/** Sliders of latency, in milliseconds: the percentiles as they are written, in ascending order, and `min` and `max`. */
type SliderPercentiles = Readonly<Record<string, number>>

const spread = (milliseconds: number): SliderPercentiles => ({
  p50: milliseconds,
  p95: milliseconds,
  p99: milliseconds,
})

export const NO_LATENCY = spread(0)

/** Sliders of faults: probabilities from 0 to 1, and the code of an error status. */
type FaultRates = Readonly<Record<'status' | 'code' | 'reset' | 'hang', number>>

/** Sliders of limits: requests in a minute, and requests that are served at once; 0 without a limit. */
type WeatherLimits = Readonly<Record<'perMinute' | 'concurrency', number>>

/** Milliseconds of `200ms` or `1.5s`; undefined for anything else. */
const millisecondsIn = (value: unknown): number | undefined => parseSpan(String(value))

/** The percentiles of a latency; undefined where it has none of them, and sliders would lose its settings. */
export function percentilesIn(latency: unknown): SliderPercentiles | undefined {
  if (!isObject(latency)) return undefined
  const fixed = millisecondsIn(latency.fixed)
  if (fixed !== undefined) return spread(fixed)
  const percentiles = Object.entries(latency).map(
    ([name, value]) => [name, millisecondsIn(value) ?? Number.NaN] as const,
  )
  if (percentiles.some(([name, value]) => Number.isNaN(rankOf(name)) || Number.isNaN(value))) return undefined
  return Object.fromEntries(percentiles.sort(([a], [b]) => rankOf(a) - rankOf(b)))
}

/** The place of a percentile among others. */
const rankOf = (name: string): number => ({ min: 0, max: 100 })[name] ?? Number(/^p(.*)/.exec(name)?.[1] ?? 'none')

/** Returns the setting of percentiles; undefined, no latency, where all are 0. */
export function latencyOf(percentiles: SliderPercentiles): unknown {
  const [first = 0, ...others] = Object.values(percentiles)
  const isEven = others.every(value => value === first)
  if (isEven && first === 0) return undefined
  if (isEven && !Object.keys(percentiles).some(name => !(name in NO_LATENCY))) return { fixed: configuredTime(first) }
  // A percentile may not be 0.
  return mapValues(percentiles, value => configuredTime(value || 1))
}

const configuredTime = (value: number): string => `${Math.round(value * 1000) / 1000}ms`

/** Returns percentiles in their order after one of them was moved: the others give way. */
export function movePercentile(before: SliderPercentiles, name: string, value: number): SliderPercentiles {
  const place = Object.keys(before).indexOf(name)
  const moved = Object.entries(before).map(([percentile, old], i) => {
    return [percentile, i < place ? Math.min(value, old) : i > place ? Math.max(value, old) : value] as const
  })
  return Object.fromEntries(moved)
}

type FaultSettings = Readonly<Record<string, unknown>>
const faultsIn = (fault: unknown): readonly FaultSettings[] => [(fault ?? []) as FaultSettings | FaultSettings[]].flat()

export function faultRatesIn(fault: unknown): FaultRates {
  const settingsOf = (wanted: string) => faultsIn(fault).find(({ kind }) => kind === wanted)
  const rate = (kind: string): number => {
    const settings = settingsOf(kind)
    return settings === undefined ? 0 : Number(settings.probability ?? 1)
  }
  const { status: code = 503 } = settingsOf('status') ?? {}
  return { status: rate('status'), code: Number(code), reset: rate('reset'), hang: rate('hang') }
}

/** Returns the setting of fault rates. Faults of other kinds, and other settings of the same, stay as they are. */
export function faultWith(before: unknown, { status, code, reset, hang }: FaultRates): unknown {
  const wanted: Readonly<Record<string, FaultSettings>> = {
    status: { status: code, probability: status },
    reset: { probability: reset },
    hang: { probability: hang },
  }
  const old = faultsIn(before)
  const others = old.filter(({ kind }) => !(String(kind) in wanted))
  const faults = Object.entries(wanted).flatMap(([kind, settings]) =>
    settings.probability === 0 ? [] : [{ ...old.find(existing => existing.kind === kind), kind, ...settings }],
  )
  const all = [...others, ...faults]
  return all.length === 0 ? undefined : all.length === 1 ? all[0] : all
}

export function sliderLimitsIn({ rateLimit, capacity }: WeatherSettings): WeatherLimits {
  const rate = isObject(rateLimit) ? parseRate(String(rateLimit.limit)) : undefined
  const concurrency = isObject(capacity) ? Number(capacity.concurrency) : 0
  return { perMinute: rate === undefined ? 0 : (rate.count / rate.window) * MINUTE, concurrency }
}

export function withLimits(settings: WeatherSettings, { perMinute, concurrency }: WeatherLimits): WeatherSettings {
  const limitOf = (name: string, key: string, value: unknown): object => {
    return { [name]: value === 0 ? undefined : { ...(settings[name] as object | undefined), [key]: value } }
  }
  const limit = perMinute === 0 ? 0 : `${Math.max(1, Math.round(perMinute))}/min`
  return { ...settings, ...limitOf('rateLimit', 'limit', limit), ...limitOf('capacity', 'concurrency', concurrency) }
}

/** Summarises settings in a few words; empty for none. */
export function settingsInWords(settings: WeatherSettings): string {
  const parts: string[] = []
  const latency = percentilesIn(settings.latency)
  const times = Object.values(latency ?? {}).map(writeLatency)
  if (times.length > 0) parts.push(`${times[0]} to ${times.at(-1)}`)
  else if (settings.latency !== undefined) parts.push(settings.latency === null ? 'no latency' : 'latency')
  for (const fault of faultsIn(settings.fault)) {
    parts.push(`${writePercent(Number(fault.probability ?? 1))} ${fault.kind === 'status' ? fault.status : fault.kind}`)
  }
  if (settings.fault === null) parts.push('no faults')
  const { perMinute, concurrency } = sliderLimitsIn(settings)
  if (perMinute > 0) parts.push(`${Number(perMinute.toPrecision(3))} a minute`)
  if (concurrency > 0) parts.push(`${concurrency} at once`)
  return parts.join(', ')
}

/** Summarises the settings of every block. */
export const blocksInWords = (blocks: WeatherBlocks = {}): string =>
  scopesOf(blocks)
    .flatMap(scope => {
      const words = settingsInWords(settingsIn(blocks, scope))
      return words === '' ? [] : `${scope.name && `${scope.name}: `}${words}`
    })
    .join('; ')

/** The place of a number on a logarithmic slider from 0 to 1000, where small and large ones are easy to set. */
export const sliderOf = (value: number, most: number): number =>
  value <= 0 ? 0 : Math.min(1000, Math.max(5, Math.round((Math.log(value) / Math.log(most)) * 1000)))

/** The inverse of `sliderOf`: a whole number of two significant digits. */
export function sliderValue(slider: number, most: number): number {
  if (slider <= 0) return 0
  const exact = most ** (slider / 1000)
  return Math.max(1, exact < 10 ? Math.round(exact) : Number(exact.toPrecision(2)))
}

/** The place of a rate on a slider from 0 to 1000: small rates have more room. */
export const sliderOfRate = (rate: number): number => Math.round(Math.cbrt(Math.min(1, Math.max(0, rate))) * 1000)

/** The inverse of `sliderOfRate`, in steps that are easy to read. */
export function rateOf(slider: number): number {
  const rate = (slider / 1000) ** 3
  const step = rate < 0.01 ? 0.001 : rate < 0.1 ? 0.005 : 0.01
  return slider <= 0 ? 0 : Math.max(0.001, Number((Math.round(rate / step) * step).toFixed(3)))
}
