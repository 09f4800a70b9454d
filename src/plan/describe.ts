// Describes a plan as text for a terminal and as data for the control plane: its operations, their state at a moment, and their
// future changes as a calendar. Shows the names of consumers, never a key.

import type { Lifecycle } from '../behaviours/behaviour.ts'
import { countRests, type Phase, phaseAt, restAt, restsFrom } from '../behaviours/deprecation.ts'
import { type LatencyConfig, latency } from '../behaviours/latency.ts'
import type { Path } from '../kernel/file/source.ts'
import { isObject } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { table } from '../kernel/terminal.ts'
import { isoDate } from '../world/dates.ts'
import type { Plan, PlannedOperation, PlannedRule, Weather } from './plan.ts'

export interface DescribedOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  /** The source of its replies. */
  readonly responds: string
  /** Its behaviours, outermost first. */
  readonly chain: readonly string[]
  readonly deprecated: boolean
  readonly stability?: string | undefined
  /** Deprecated since this date. */
  readonly since?: string | undefined
  /** Gone on this date. */
  readonly sunset?: string | undefined
  /** Rests now and then from this date on. */
  readonly brownouts?: string | undefined
  /** In the order in which they are tried. */
  readonly rules?: readonly DescribedRule[] | undefined
}

export interface DescribedRule {
  readonly name: string
  readonly when?: string | undefined
  readonly times?: number | undefined
  /** The behaviours that it configures, and their effects. */
  readonly does: readonly string[]
}

export interface DescribedResource {
  readonly name: string
  readonly schema: string
  readonly seeds: number
  /** Set if its records are those of the real API. */
  readonly base?: string | undefined
  readonly states?: {
    readonly field: string
    /** By state: the next states, and the time after which each follows by itself. */
    readonly from: Readonly<Record<string, readonly { readonly to: string; readonly after?: unknown }[]>>
  }
}

export interface DescribedPlan {
  readonly title: string
  readonly version: string
  readonly basePaths: readonly string[]
  readonly seed: number
  /** The current weather; the operations are described as they are in it. */
  readonly weather: string | null
  /** Names, never keys. */
  readonly consumers: readonly string[]
  readonly resources: readonly DescribedResource[]
  readonly operations: readonly DescribedOperation[]
}

export function describePlan(plan: Plan, weather?: Weather): DescribedPlan {
  const { contract, simulation } = plan
  return {
    title: contract.title,
    version: contract.version,
    basePaths: contract.basePaths.map(path => path || '/'),
    seed: simulation.seed,
    weather: weather?.name ?? null,
    consumers: simulation.consumerNames,
    resources: [...simulation.resources.values()].map(({ name, seeds, source }) => {
      const { schema = '' } = simulation.file.resources?.[name] ?? {}
      return { name, schema, seeds: seeds.length, base: source?.name, states: describeStatesOf(name, plan) }
    }),
    operations: (weather?.operations.all() ?? plan.operations).map(describeOperation),
  }
}

function describeOperation(planned: PlannedOperation): DescribedOperation {
  const { operation, route, chain, lifecycle, rules, deprecated } = planned
  const { id, method, stability } = operation
  return {
    operation: id,
    method,
    path: route,
    responds: chain.find(({ name }) => name === 'respond')?.detail ?? 'not simulated',
    chain: chain.map(({ name }) => name),
    deprecated,
    stability,
    since: lifecycle && isoDate(lifecycle.since),
    sunset: lifecycle?.sunset === undefined ? undefined : isoDate(lifecycle.sunset),
    brownouts: lifecycle?.brownouts && isoDate(lifecycle.brownouts.starts),
    rules: rules?.map(one => describeRuleOf(planned, one)),
  }
}

const describeRuleOf = (
  planned: PlannedOperation,
  { scope, when, times, enter = {}, blocks, over }: PlannedRule,
): DescribedRule => ({
  name: scope,
  when: when?.text,
  times,
  does: [
    ...blocks.map(block => {
      const detail = over(planned).chain.find(link => link.name === block)?.detail
      return detail === undefined ? block : `${block} ${detail}`
    }),
    ...Object.entries(enter).map(([name, state]) => `enter ${name}: ${state}`),
  ],
})

/** Formats the rules as a table; empty without rules. */
function describeRules(operations: readonly DescribedOperation[]): string {
  const rows = operations.flatMap(({ operation, rules = [] }) =>
    rules.map(({ when = 'always', times, does }, i) => [
      operation,
      `${i + 1}`,
      times === undefined ? when : `${when} (${times === 1 ? 'once' : `${times} times`})`,
      does.join(', '),
    ]),
  )
  return rows.length === 0 ? '' : `\n\n${table([['RULES OF', '', 'WHEN', 'THEN'], ...rows])}`
}

/** Returns the states of a resource's records; `undefined` where they have none. */
export function describeStatesOf(resource: string, { simulation }: Plan): DescribedResource['states'] {
  const states = simulation.file.resources?.[resource]?.states
  if (states === undefined) return undefined
  const from = Object.entries(states.from).map(([state, edges]) => {
    return [state, Object.entries(edges).map(([to, { after }]) => ({ to, after }))] as const
  })
  return { field: states.field, from: Object.fromEntries(from) }
}

/** Formats one line for each state. */
const linesOfStates = ({ name, states }: DescribedResource): string[][] =>
  Object.entries(states?.from ?? {}).map(([state, next]) => {
    const ways = next.map(({ to, after }) => {
      if (after === undefined) return to
      const time = typeof after === 'string' ? after : latency.describe?.(after as LatencyConfig, undefined as never)
      return `${to} after ${time ?? ''}`
    })
    return ['states', `${name}.${states?.field}: ${state} → ${ways.join(' | ') || 'nothing'}`]
  })

/** Formats the table of operations: one line each, in the order of the contract. */
export function describeOperations(operations: readonly DescribedOperation[]): string {
  const rows = operations.map(one => [
    one.method,
    one.path,
    one.operation,
    one.responds,
    [...(one.rules === undefined ? [] : ['rules']), ...one.chain].join(' › '),
    lifeOf(one),
  ])
  return table([['METHOD', 'PATH', 'OPERATION', 'RESPONDS', 'BEHAVIOURS', 'LIFE-CYCLE'], ...rows])
}

const lifeOf = ({ since, sunset, brownouts, deprecated, stability }: DescribedOperation): string => {
  const words = [
    stability,
    since === undefined ? deprecated && 'deprecated' : `deprecated ${since}`,
    brownouts && `brown-outs ${brownouts}`,
    sunset && `sunset ${sunset}`,
  ]
  return words.filter(Boolean).join(', ') || '·'
}

const withExpiry = (name: string, { simulation }: Plan): string => {
  const expires = simulation.file.consumers?.[name]?.expires
  return expires === undefined ? name : `${name} (until ${expires})`
}

/** Formats one line for each included file: the settings that come from it. */
function linesOfIncluded({ simulation: { file, source } }: Plan): string[][] {
  if (file.include === undefined) return []
  const settings = new Map<string, string[]>()
  const note = (origin: string, path: Path) => getOrMake(settings, origin, (): string[] => []).push(path.join('.'))
  /** Returns the file of a whole value. Notes its parts where they come from several, and returns `undefined`. */
  const originOf = (value: unknown, path: Path): string | undefined => {
    const { file: origin } = source.locate(path)
    if (!isObject(value)) return origin
    const parts = Object.entries(value).map(([key, item]) => {
      const below = [...path, key]
      return { below, from: originOf(item, below) }
    })
    const [first = { from: origin }] = parts
    if (parts.every(({ from }) => from === first.from)) return first.from
    for (const { below, from } of parts) if (from !== undefined) note(from, below)
    return undefined
  }
  originOf(source.value, [])
  settings.delete(source.file)
  return [...settings].map(([origin, paths]) => ['include', `${origin}: ${paths.join(', ')}`])
}

/** Describes the whole plan: its source, consumers, resources and operations. */
export function describeWhole(plan: Plan, weather?: Weather): string {
  const { title, version, basePaths, seed, consumers, resources, operations } = describePlan(plan, weather)
  const facts = [
    ['contract', `${title} ${version}`],
    ['base', basePaths.join(', ')],
    ['seed', `${seed}`],
    ...(weather === undefined ? [] : [['weather', weather.name]]),
    ...linesOfIncluded(plan),
    [
      'consumers',
      consumers.map(name => withExpiry(name, plan)).join(', ') || 'none: any well-formed credential is accepted',
    ],
    ...resources.map(one => [
      'resource',
      `${one.name}: ${one.schema}, ${one.base === undefined ? `${one.seeds} seeds` : 'over the real API'}`,
    ]),
    ...resources.flatMap(linesOfStates),
  ]
  return `${table(facts)}\n\n${describeOperations(operations)}${describeRules(operations)}\n`
}

export interface OperationOnADay {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly phase: Phase
  /** The status of its refusals at this moment. */
  readonly refused?: number
  /** The end of the current brown-out, if there is one. */
  readonly until?: string
  /** The next change, and its time. */
  readonly next?: { readonly what: string; readonly at: string }
}

/** Returns the state of every operation at a moment. */
export const describeDay = (plan: Plan, time: number): OperationOnADay[] =>
  plan.operations.map(planned => onADay(planned, time))

function onADay({ operation, route, lifecycle }: PlannedOperation, time: number): OperationOnADay {
  const { id, method, deprecated } = operation
  const is = { operation: id, method, path: route }
  if (lifecycle === undefined) return { ...is, phase: deprecated ? 'deprecated' : 'active' }
  const { since, sunset, brownouts, afterSunset } = lifecycle
  const phase = phaseAt(lifecycle, time)
  if (phase === 'active') return { ...is, phase, next: { what: 'deprecated', at: isoDate(since) } }
  if (phase === 'gone') return { ...is, phase, refused: statusAfter(lifecycle) as number }
  if (sunset === undefined || phase === 'past its sunset') return { ...is, phase }
  const rest = brownouts && restAt(brownouts, time)
  const end = { what: afterSunset === 'serve' ? 'sunset' : 'gone', at: isoDate(sunset) }
  if (brownouts !== undefined && rest !== undefined) {
    return { ...is, phase, refused: brownouts.answer, until: isoDate(rest.end), next: end }
  }
  const [coming] = brownouts === undefined ? [] : restsFrom(brownouts, time)
  return { ...is, phase, next: coming === undefined ? end : { what: 'brown-out', at: isoDate(coming.start) } }
}

/** Formats it for people. */
export function describeDayWhole(plan: Plan, time: number): string {
  const rows = describeDay(plan, time).map(({ method, path, operation, phase, refused, until, next }) => {
    const now = [refused && `answers ${refused}`, until && `until ${until}`].filter(Boolean).join(' ')
    return [method, path, operation, phase, now || '·', next === undefined ? '·' : `${next.what} ${next.at}`]
  })
  const head = ['METHOD', 'PATH', 'OPERATION', 'PHASE', 'NOW', 'NEXT']
  return `on ${isoDate(time)}\n\n${table([head, ...rows])}\n`
}

/** The status after the sunset; `undefined` if the operation is served on. */
const statusAfter = ({ afterSunset }: Lifecycle): number | undefined =>
  afterSunset === 'serve' ? undefined : afterSunset === 'not-found' ? 404 : 410

export interface LifecycleEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The end of a brown-out. */
  readonly until?: number
  readonly kind: 'deprecated' | 'brown-out' | 'sunset'
  readonly operation: string
  /** The status of the operation then. */
  readonly status?: number | undefined
}

/** Finds the events of all life-cycles. @param most the maximum number of brown-outs of an operation from the moment on */
export function* lifecycleEvents({ operations }: Plan, from: number, most: number): Iterable<LifecycleEvent> {
  for (const { operation, lifecycle } of operations) {
    if (lifecycle === undefined) continue
    const { id } = operation
    const { since, sunset, brownouts } = lifecycle
    yield { at: since, kind: 'deprecated', operation: id }
    if (sunset !== undefined) {
      yield { at: sunset, kind: 'sunset', operation: id, status: statusAfter(lifecycle) }
    }
    if (brownouts === undefined) continue
    let seen = 0
    for (const { start, end } of restsFrom(brownouts, from)) {
      if (seen++ === most) break
      yield { at: start, until: end, kind: 'brown-out', operation: id, status: brownouts.answer }
    }
  }
}

/** The maximum number of brown-outs that a calendar shows for one operation. */
const MOST_RESTS = 20

/** Returns the changes from a moment on by day: deprecations, the next brown-outs of each operation, sunsets. */
export function describeCalendar(plan: Plan, from: number): string {
  const events = [...lifecycleEvents(plan, from, MOST_RESTS)]
    .filter(({ at, until }) => until !== undefined || at >= from)
    .sort((a, b) => a.at - b.at)
  if (events.length === 0) return `no changes after ${isoDate(from)}\n`
  const rows = events.map(({ at, until, kind, operation, status }) => {
    const answers = status === undefined ? '' : `: answers ${status}`
    if (until === undefined) return [isoDate(at), '', operation, (status === undefined ? kind : 'gone') + answers]
    return [isoDate(at), isoDate(until), operation, `brown-out for ${wordsFor(until - at)}${answers}`]
  })
  const notes = plan.operations.flatMap(({ operation, lifecycle }) => {
    const more = lifecycle?.brownouts === undefined ? 0 : countRests(lifecycle.brownouts, from) - MOST_RESTS
    return more > 0 ? [`and ${more} more brown-outs of ${operation.id} before its sunset`] : []
  })
  return `${[table([['FROM', 'UNTIL', 'OPERATION', 'WHAT'], ...rows]), ...notes].join('\n')}\n`
}

/** Formats a duration by its two largest units that are not zero: `1h 5m`. */
function wordsFor(milliseconds: number): string {
  let left = Math.round(milliseconds / 1000)
  const parts = Object.entries({ d: 86_400, h: 3600, m: 60, s: 1 }).flatMap(([unit, seconds]) => {
    const count = Math.floor(left / seconds)
    left %= seconds
    return count > 0 ? [`${count}${unit}`] : []
  })
  return parts.slice(0, 2).join(' ')
}
