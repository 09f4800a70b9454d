// Compiles the states of a resource's records, and the edges between them.

import { compileQuantile } from '../behaviours/latency.ts'
import type { Resource } from '../behaviours/resource.ts'
import { compileFields, type FieldGround } from '../behaviours/respond/values.ts'
import { describeField } from '../contract/schema/field.ts'
import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { fixed, type Quantile } from '../kernel/distribution.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import { parseDuration } from '../kernel/units.ts'
import { drawUuid } from '../world/draws.ts'
import type { Edge, RecordStates } from '../world/records/types.ts'
import type { EdgeFile, StatesFile } from './simulation-file.ts'

/** Returns the place of a path within a block of the configuration. */
export type LocateWithin = (within: Path, part?: 'key' | 'value') => ReturnType<Source['locate']>

/** Reports a mistake at a path within the states. */
type ReportWithin = (code: string, message: string, within: Path, hint?: string, part?: 'key' | 'value') => void

/** Compiles the states of a resource. Returns `undefined` after reporting mistakes. */
export function compileStates(
  file: StatesFile,
  resource: Resource,
  ground: FieldGround,
  source: Source,
  report: Diagnostics,
): RecordStates | undefined {
  const error: ReportWithin = (code, message, within, hint, part = 'value') =>
    report.error(code, message, source.locate(['resources', resource.name, 'states', ...within], part), hint)
  const { properties } = resource.schema.shape
  const node = properties.get(file.field)
  if (node === undefined) {
    const message = `the records of ${resource.name} have no field "${file.field}"`
    error('unknown-field', message, ['field'], suggest(file.field, properties.keys()))
    return undefined
  }
  const targets = new Set(Object.values(file.from).flatMap(edges => Object.keys(edges)))
  const field = describeField(file.field, ground.contract.use(node))
  const known = (field.choices ?? [...Object.keys(file.from), ...targets]).map(String)
  const checkName = (state: string, within: Path): void => {
    if (known.includes(state)) return
    error('unknown-state', `${file.field} cannot be "${state}"`, within, suggest(state, known), 'key')
  }
  const from = new Map<string, readonly Edge[]>()
  for (const [state, edges] of Object.entries(file.from)) {
    checkName(state, ['from', state])
    const compiled = Object.entries(edges).map(([to, { after, set }]): Edge => {
      const within = ['from', state, to]
      checkName(to, within)
      return {
        to,
        after: compileAfter(after, [...within, 'after'], error),
        set: compileEdgeSet(set, resource, ground, [...within, 'set'], error),
      }
    })
    from.set(state, compiled)
  }
  checkOrigins(file, resource, targets, known, error)
  return { field: file.field, from }
}

function compileAfter(after: EdgeFile['after'], within: Path, error: ReportWithin): Edge['after'] {
  if (after === undefined) return undefined
  if (typeof after === 'string') return fixed(parseDuration(after) as number)
  return compileQuantile(after, {
    error: (code, message, path = [], hint, part) =>
      error(code, message, [...within, ...path], hint, part === 'key' ? 'key' : 'value'),
  }) as Quantile | undefined
}

function compileEdgeSet(
  set: EdgeFile['set'],
  resource: Resource,
  ground: FieldGround,
  within: Path,
  error: ReportWithin,
): Edge['set'] {
  if (set === undefined && resource.set.size === 0) return undefined
  const owner = `the records of ${resource.name} have`
  const own = compileFields(set, resource.schema.shape, ground, owner, (code, message, path, hint, part) =>
    error(code, message, [...within, ...path], hint, part),
  )
  for (const [name, make] of own) {
    if (make.scoped !== true) continue
    const hint = 'a record that follows an edge by itself has no request'
    error('unknown-expression', 'use ${now} or ${uuid}', [...within, name], hint)
  }
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
    const [, name = ''] = pointer.split('/')
    if (!Object.hasOwn(set ?? {}, name) || !Object.hasOwn(tried, name)) continue
    error('invalid-default', `this value breaks its schema: ${pointer} ${message}`, [...within, name])
  }
  return madeAt
}

/** Reports edges from states that no record can reach, if the initial states are known. */
function checkOrigins(
  { field, from }: StatesFile,
  { defaults, seeds }: Resource,
  targets: ReadonlySet<string>,
  known: readonly string[],
  error: ReportWithin,
): void {
  const first = defaults.get(field)
  if (first === undefined) return
  const begun = new Set([String(first(UNKNOWN)), ...seeds.map(seed => String(seed[field]))])
  for (const state of Object.keys(from)) {
    if (targets.has(state) || begun.has(state) || !known.includes(state)) continue
    const message = `the state "${state}" is unreachable: no edge leads to it, and ${field} begins as "${[...begun].join('", "')}"`
    error('unreachable-state', message, ['from', state], undefined, 'key')
  }
}

const UNKNOWN = { clock: { now: () => 0 }, uuid: () => '', draw: () => 0 }
