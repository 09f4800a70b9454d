// The environment that expressions are parsed and checked in: variables, functions, operators. The door to the library.

import { type Context, Environment } from '@marcbachmann/cel-js'
import type { Moment } from '../world/clock.ts'
import { ExpressionFailure } from './expression.ts'
import { matchesLinearly } from './linear-match.ts'
import { Records, RequestRoot, ScopeRoot, WorldRoot } from './scope.ts'
import { type ExpressionType, fieldsOf, type RequestTypes } from './types.ts'
import { toExpression, toJson } from './values.ts'

export type { Context, Environment }

/** The variable that holds the scope itself; see `Roots`. */
export const HIDDEN = '_scope'

/** The library's name of a type. */
const nameOf = (type: ExpressionType): string => {
  if (type === 'timestamp') return 'google.protobuf.Timestamp'
  if (typeof type === 'string') return type
  if ('list' in type) return `list<${nameOf(type.list)}>`
  return 'map' in type ? `map<string, ${nameOf(type.map)}>` : 'map'
}

type ObjectSchema = { readonly [name: string]: string | ObjectSchema }

/** The library's form of an object's fields. */
const schemaOf = (fields: Readonly<Record<string, ExpressionType>>): ObjectSchema =>
  Object.fromEntries(
    Object.entries(fields).map(([name, type]) => {
      const inner = fieldsOf(type)
      return [name, inner === undefined ? nameOf(type) : schemaOf(inner)]
    }),
  )

const OPTIONS = {
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 2000, maxDepth: 50 },
} as const

/** The environment without the root `request`, which is typed for each operation. */
function commonEnvironment(): Environment {
  const environment = new Environment(OPTIONS)
    .registerType('World', { ctor: WorldRoot, fields: { name: 'string' } })
    .registerType('Scope', { ctor: ScopeRoot, fields: {} })
    .registerType('Records', { ctor: Records, fields: {} })
    .registerVariable(HIDDEN, 'Scope')
    .registerVariable('consumer', 'string')
    .registerVariable('operation', 'string')
    .registerVariable('now', 'google.protobuf.Timestamp')
    .registerVariable('ordinal', 'int')
    .registerVariable('nth', 'int')
    .registerVariable('world', 'World')
  const sync = { async: false } as never
  const add = (signature: string, handler: (...values: never[]) => unknown, isAsync = false) =>
    environment.registerFunction(signature, handler as never, isAsync ? undefined : sync)
  add('calls(Scope, string): int', ({ given }: ScopeRoot, name: string) => BigInt(given.calls(name)))
  add('draw(Scope, string): double', ({ given }: ScopeRoot, purpose: string) => given.draw(purpose))
  add('uuid(Scope): string', ({ given }: ScopeRoot) => given.uuid())
  add('sample(Scope, string): dyn', ({ given }: ScopeRoot, name: string) => toExpression(given.sample(name)))
  add('records(Scope, string): Records', ({ given }: ScopeRoot, name: string) => new Records(given, name))
  add('Records.size(): int', async (records: Records) => BigInt(await records.size()), true)
  const record = async ({ given }: ScopeRoot, name: string, id: unknown) => {
    const found = await given.record(name, toJson(id))
    if (found === undefined) throw new ExpressionFailure(`there is no record ${String(id)} in ${name}`)
    return toExpression(found)
  }
  add('record(Scope, string, dyn): dyn', record, true)
  add('string.linearMatches(string): bool', matchesLinearly)
  add('string(google.protobuf.Timestamp): string', (time: Moment) => time.toISOString())
  add('int(google.protobuf.Timestamp): int', (time: Moment) => BigInt(Math.floor(time.getTime() / 1000)))
  // JSON does not distinguish 1 from 1.0, so integers and decimals must mix.
  for (const [operator, calculate] of Object.entries(MIXED)) {
    environment.registerOperator(`double ${operator} int`, ((a: number, b: bigint) => calculate(a, Number(b))) as never)
    environment.registerOperator(`int ${operator} double`, ((a: bigint, b: number) => calculate(Number(a), b)) as never)
  }
  return environment
}

const MIXED: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}

let prepared: { readonly common: Environment; readonly runtime: Environment } | undefined

/**
 * Returns an environment without `request`, and one with an untyped `request` for evaluating. Made on first use, because
 * most configurations have no expressions.
 */
export function environments() {
  if (prepared === undefined) {
    const common = commonEnvironment()
    const fields = { method: 'string', path: 'string', params: 'dyn', query: 'dyn', cookies: 'dyn', body: 'dyn' }
    const runtime = common
      .clone()
      .registerType('Request', { ctor: RequestRoot, fields: { ...fields, headers: 'map<string, string>' } })
      .registerVariable('request', 'Request')
    prepared = { common, runtime }
  }
  return prepared
}

/** Returns an environment in which `request` has the types of an operation. */
export function environmentFor({ params, query, cookies, body }: RequestTypes): Environment {
  const fields = { method: 'string', path: 'string', headers: { map: 'string' }, params, query, cookies, body }
  const schema = schemaOf(fields as Readonly<Record<string, ExpressionType>>)
  return environments()
    .common.clone()
    .registerVariable({ name: 'request', schema } as never)
}
