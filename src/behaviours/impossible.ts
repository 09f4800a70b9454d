// Finds names and values that a request to an operation cannot have: those that are in neither its contract nor its configuration.

import { type Contract, type MediaType, nodeBelow, type Operation } from '../contract/contract.ts'
import { describeField, type Field } from '../contract/schema/field.ts'
import type { Doubt } from '../expression/doubts.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { type Json, mapValues } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { hasType } from '../kernel/schema/keywords.ts'

const PLACES: Readonly<Record<string, string>> = { params: 'path', query: 'query', cookies: 'cookie' }

/** The names in operations, by the part of a request that has them. */
const requestNames = (operations: readonly Operation[]): Readonly<Record<string, readonly string[]>> => {
  const parameters = (place: string) =>
    operations.flatMap(one => one.parameters.filter(({ in: at }) => at === place).map(({ name }) => name))
  return {
    ...mapValues(PLACES, parameters),
    operation: operations.map(({ id }) => id),
    'request.method': operations.flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method])),
  }
}

/** They are many, and asked for by each operation. */
const allNames = new WeakMap<Contract, ReturnType<typeof requestNames>>()

/** Returns what says that a request to an operation, or to some operation, cannot have a value. */
export function doubtOf(
  { contract, operation, consumers }: { contract: Contract; operation: Operation; consumers: readonly string[] },
  typed: boolean,
): Doubt {
  const namesOf = (part: string): readonly string[] | undefined =>
    part === 'consumer'
      ? [...consumers, '']
      : (typed ? requestNames([operation]) : getOrMake(allNames, contract, () => requestNames(contract.operations)))[
          part
        ]
  return (part, value) => {
    const [root, place, name] = part
    const cannot = (hint: string | undefined) => ({ message: `cannot be ${JSON.stringify(value)}`, hint })
    const among = (known: readonly Json[]) =>
      known.includes(value as Json)
        ? undefined
        : cannot(suggest(String(value), new Set(known.filter(one => one !== '').map(String))))
    if (place === 'headers') {
      const header = String(value === undefined ? (name ?? '') : name === 0 ? value : '')
      const lower = header.toLowerCase()
      return header === lower ? undefined : { message: 'has names in lower case only', hint: `write "${lower}"` }
    }
    if (typed && (place === 'body' || place === 'text') && operation.body === undefined) {
      const hint = 'use request.query, request.params or request.headers'
      return part.length > 2 ? undefined : { message: `never exists: ${operation.id} documents no body`, hint }
    }
    if (value === undefined) {
      // The types of a known operation have the same names.
      const known = typed || part.length !== 3 ? undefined : namesOf(String(place))
      const isKnown = known === undefined || known.includes(String(name))
      return isKnown ? undefined : { message: 'is in no operation', hint: suggest(String(name), new Set(known)) }
    }
    const known = namesOf(part.join('.'))
    if (known !== undefined) return among(known)
    if (root === 'ordinal' || root === 'nth') return (value as number) < 1 ? cannot('it counts from 1') : undefined
    if (root !== 'request' || (!typed && value !== null)) return undefined
    if (place === 'path') {
      const paths = operation.basePaths.map(base => base + operation.path)
      const mayBe = (path: string) =>
        new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{.*?\}/g, '.+')}$`).test(String(value))
      return paths.some(mayBe) ? undefined : cannot(`it is ${paths.join(' or ')}`)
    }
    const isBody = place === 'body'
    const found = (typed ? [operation] : contract.operations).flatMap((one): readonly Pick<MediaType, 'schema'>[] =>
      isBody
        ? [...(one.body?.content.values() ?? [])]
        : one.parameters.filter(({ in: at, name: known }) => at === PLACES[String(place)] && known === name),
    )
    const fields = found.map(({ schema }) => {
      const node = schema && nodeBelow(schema.node, part.slice(isBody ? 2 : 3), contract)
      return node && describeField('', contract.use(node))
    })
    const refuses = (field: Field | undefined) =>
      field !== undefined &&
      (field.choices?.includes(value) === false || !field.types.some(type => hasType(value, type))) &&
      !field.allows(value)
    if (!typed) {
      const isSent = fields.some(field => field?.allows(null))
      return isSent ? undefined : { message: 'is rarely sent as null; a missing field makes a condition false' }
    }
    const [field] = fields
    if (field === undefined || !fields.every(refuses)) return undefined
    return field.choices === undefined ? cannot(`its type is ${field.types.join(' or ')}`) : among(field.choices)
  }
}
