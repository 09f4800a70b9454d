// Resources, the collections of records: their schema in gateway.yaml, and the states of their records, compiled.

import { compileQuantile } from '../behaviours/latency.ts'
import type { Make, Resource } from '../behaviours/resource.ts'
import { compileValue } from '../behaviours/respond/values.ts'
import type { Contract } from '../contract/contract.ts'
import { describeField } from '../contract/schema/field.ts'
import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { fixed, type Quantile } from '../kernel/distribution.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import type { Path, Source } from '../kernel/source.ts'
import { parseDuration } from '../kernel/units.ts'
import { drawUuid } from '../world/draws.ts'
import type { Edge, RecordStates } from '../world/records/types.ts'
import type { EdgeFile, StatesFile } from './simulation-file.ts'

/** Compiles the states of a resource. Returns `undefined` after reporting mistakes. */
export function compileStates(
  file: StatesFile,
  resource: Resource,
  contract: Contract,
  source: Source,
  path: Path,
  report: Diagnostics,
): RecordStates | undefined {
  const at = (within: Path, part: 'key' | 'value' = 'value') => source.locate([...path, ...within], part)
  const { properties } = resource.schema.shape
  const node = properties.get(file.field)
  if (node === undefined) {
    const message = `the records of ${resource.name} have no field "${file.field}"`
    report.error('unknown-field', message, at(['field']), suggest(file.field, properties.keys()))
    return undefined
  }
  const targets = new Set(Object.values(file.from).flatMap(edges => Object.keys(edges)))
  const field = describeField(file.field, contract.use(node))
  const known = (field.choices ?? [...Object.keys(file.from), ...targets]).map(String)
  const checkState = (state: string, within: Path): void => {
    if (known.includes(state)) return
    report.error('unknown-state', `${file.field} cannot be "${state}"`, at(within, 'key'), suggest(state, known))
  }
  const from = new Map<string, readonly Edge[]>()
  for (const [state, edges] of Object.entries(file.from)) {
    checkState(state, ['from', state])
    const compiled = Object.entries(edges).map(([to, edge]): Edge => {
      const within = ['from', state, to]
      checkState(to, within)
      return {
        to,
        after: compileAfter(edge.after, within, at, report),
        set: compileSet(edge.set, resource, contract, within, at, report),
      }
    })
    from.set(state, compiled)
  }
  checkOrigins(file, resource, targets, known, at, report)
  return { field: file.field, from }
}

/** Returns the place of a path within a block of the configuration. */
export type LocateWithin = (within: Path, part?: 'key' | 'value') => ReturnType<Source['locate']>

function compileAfter(
  after: EdgeFile['after'],
  within: Path,
  at: LocateWithin,
  report: Diagnostics,
): ((share: number) => number) | undefined {
  if (after === undefined) return undefined
  if (typeof after === 'string') return fixed(parseDuration(after) as number)
  return compileQuantile(after, {
    error: (code, message, path = [], hint, part) =>
      report.error(code, message, at([...within, 'after', ...path], part === 'key' ? 'key' : 'value'), hint),
  }) as Quantile | undefined
}

function compileSet(
  set: EdgeFile['set'],
  resource: Resource,
  contract: Contract,
  within: Path,
  at: LocateWithin,
  report: Diagnostics,
): Edge['set'] {
  if (set === undefined && resource.set.size === 0) return undefined
  const { properties } = resource.schema.shape
  const own = Object.entries(set ?? {}).map(([name, value]): [string, Make] => {
    const node = properties.get(name)
    if (node === undefined) {
      const message = `the records of ${resource.name} have no field "${name}"`
      report.error('unknown-field', message, at([...within, 'set', name], 'key'), suggest(name, properties.keys()))
    }
    const make = compileValue(value, node, contract, [name], (path, message, hint) =>
      report.error('unknown-expression', message, at([...within, 'set', ...path]), hint),
    )
    if (make.scoped === true) {
      const hint = 'a record that follows an edge by itself has no request'
      report.error('unknown-expression', 'use ${now} or ${uuid}', at([...within, 'set', name]), hint)
    }
    return [name, make]
  })
  // A change of state also sets the fields that every write sets, such as `updatedAt`.
  const makes = [...resource.set, ...own]
  const madeAt = (moment: number, share: number): JsonObject => {
    const making = {
      clock: { now: () => moment },
      uuid: (purpose: string) => drawUuid(Math.floor(share * 2 ** 32), `${resource.name} ${purpose}`, moment),
      draw: () => share,
    }
    const made = makes.map(([name, make]) => [name, make(making)] as const)
    return Object.fromEntries(made.filter((one): one is readonly [string, Json] => one[1] !== undefined))
  }
  const tried = madeAt(0, 0.5)
  for (const { pointer, message } of resource.schema.check(tried, true) ?? []) {
    const [, name] = pointer.split('/')
    if (name === undefined || set === undefined || !Object.hasOwn(set, name) || !Object.hasOwn(tried, name)) continue
    report.error('invalid-default', `this value breaks its schema: ${pointer} ${message}`, at([...within, 'set', name]))
  }
  return madeAt
}

/** Reports edges from states that no record can reach, if the initial states are known. */
function checkOrigins(
  { field, from }: StatesFile,
  { defaults, seeds }: Resource,
  targets: ReadonlySet<string>,
  known: readonly string[],
  at: LocateWithin,
  report: Diagnostics,
): void {
  const first = defaults.get(field)
  if (first === undefined) return
  const begun = new Set([String(first(NOBODY)), ...seeds.map(seed => String(seed[field]))])
  for (const state of Object.keys(from)) {
    if (targets.has(state) || begun.has(state) || !known.includes(state)) continue
    const message = `the state "${state}" is unreachable: no edge leads to it, and ${field} begins as "${[...begun].join('", "')}"`
    report.error('unreachable-state', message, at(['from', state], 'key'))
  }
}

const NOBODY = { clock: { now: () => 0 }, uuid: () => '', draw: () => 0 }
