// Describes a plan as text for a terminal and as data for the control plane. Shows the names of consumers, never a key.

import { type LatencyConfig, latency } from '../behaviours/latency.ts'
import { table } from '../kernel/text/terminal.ts'
import { isoDate } from '../world/clock.ts'
import type { Plan, PlannedOperation, PlannedRule, Weather } from './plan.ts'

export interface DescribedOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly responds: string
  readonly chain: readonly string[]
  readonly deprecated: boolean
  readonly stability?: string
  readonly since?: string
  readonly sunset?: string
  /** The start of its brown-outs. */
  readonly brownouts?: string
  /** In the order in which they are tried. */
  readonly rules?: readonly DescribedRule[]
}

export interface DescribedRule {
  readonly name: string
  readonly when?: string
  readonly times?: number
  /** The behaviours that it configures, and their effects. */
  readonly does: readonly string[]
}

export interface DescribedResource {
  readonly name: string
  readonly schema: string
  readonly seeds: number
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
    resources: [...simulation.resources.values()].map(({ name, seeds }) => {
      const { schema = '' } = simulation.file.resources?.[name] ?? {}
      const states = describeStatesOf(name, plan)
      return { name, schema, seeds: seeds.length, ...(states === undefined ? {} : { states }) }
    }),
    operations: (weather?.operations.all() ?? plan.operations).map(describeOperation),
  }
}

function describeOperation(planned: PlannedOperation): DescribedOperation {
  const { operation, route, chain, lifecycle, rules } = planned
  const { id, method, deprecated, stability } = operation
  return {
    operation: id,
    method,
    path: route,
    responds: chain.find(({ name }) => name === 'respond')?.detail ?? 'not simulated',
    chain: chain.map(({ name }) => name),
    deprecated: deprecated || lifecycle !== undefined,
    ...(stability === undefined ? {} : { stability }),
    ...(lifecycle === undefined ? {} : { since: isoDate(lifecycle.since) }),
    ...(lifecycle?.sunset === undefined ? {} : { sunset: isoDate(lifecycle.sunset) }),
    ...(lifecycle?.brownouts === undefined ? {} : { brownouts: isoDate(lifecycle.brownouts.starts) }),
    ...(rules === undefined ? {} : { rules: rules.map(one => describeRuleOf(planned, one)) }),
  }
}

const describeRuleOf = (
  planned: PlannedOperation,
  { scope, when, times, blocks, over }: PlannedRule,
): DescribedRule => ({
  name: scope,
  ...(when === undefined ? {} : { when: when.text }),
  ...(times === undefined ? {} : { times }),
  does: blocks.map(block => {
    const detail = over(planned).chain.find(link => link.name === block)?.detail
    return detail === undefined ? block : `${block} ${detail}`
  }),
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
    const next = Object.entries(edges).map(([to, { after }]) => (after === undefined ? { to } : { to, after }))
    return [state, next] as const
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
export function describeOperations(plan: Plan, weather?: Weather): string {
  const rows = describePlan(plan, weather).operations.map(one => [
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
    ...(stability === undefined ? [] : [stability]),
    ...(since === undefined ? (deprecated ? ['deprecated'] : []) : [`deprecated ${since}`]),
    ...(brownouts === undefined ? [] : [`brown-outs ${brownouts}`]),
    ...(sunset === undefined ? [] : [`sunset ${sunset}`]),
  ]
  return words.join(', ') || '·'
}

const withExpiry = (name: string, { simulation }: Plan): string => {
  const expires = simulation.file.consumers?.[name]?.expires
  return expires === undefined ? name : `${name} (until ${expires})`
}

/** Describes the whole plan: its source, consumers, resources and operations. */
export function describeWhole(plan: Plan, weather?: Weather): string {
  const { title, version, basePaths, seed, consumers, resources } = describePlan(plan)
  const facts = [
    ['contract', `${title} ${version}`],
    ['base', basePaths.join(', ')],
    ['seed', `${seed}`],
    ...(weather === undefined ? [] : [['weather', weather.name]]),
    [
      'consumers',
      consumers.map(name => withExpiry(name, plan)).join(', ') || 'none: any well-formed credential is accepted',
    ],
    ...resources.map(one => ['resource', `${one.name}: ${one.schema}, ${one.seeds} seeds`]),
    ...resources.flatMap(linesOfStates),
  ]
  const rules = describeRules(describePlan(plan, weather).operations)
  return `${table(facts)}\n\n${describeOperations(plan, weather)}${rules}\n`
}
