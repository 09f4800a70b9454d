// Finds names and values that a request to an operation cannot have: those that are in neither its contract nor its configuration.

import { type Contract, nodeBelow, type Operation } from '../contract/contract.ts'
import { describeField, type Field } from '../contract/schema/field.ts'
import type { Doubt } from '../expression/doubts.ts'
import { suggest } from '../kernel/diagnostic.ts'
import type { Json } from '../kernel/json.ts'
import { hasType } from '../kernel/schema/keywords.ts'

/** Returns what says that a request to an operation, or to some operation, cannot have a value. */
export function doubtOf(
  { contract, operation, consumers }: { contract: Contract; operation: Operation; consumers: readonly string[] },
  typed: boolean,
): Doubt {
  const operations = typed ? [operation] : contract.operations
  const methods = new Set(operations.flatMap(({ method }) => (method === 'GET' ? [method, 'HEAD'] : [method])))
  const names: Readonly<Record<string, Iterable<string>>> = {
    consumer: [...consumers, ''],
    operation: operations.map(({ id }) => id),
    'request.method': methods,
  }
  const among = (value: Json, known: readonly Json[]) =>
    known.includes(value)
      ? undefined
      : {
          message: `cannot be ${JSON.stringify(value)}`,
          hint: suggest(String(value), known.map(String).filter(Boolean)),
        }
  return (part, value) => {
    const [root, place, name, ...rest] = part
    const known = names[part.join('.')]
    if (value !== undefined && known !== undefined) return among(value, [...known])
    if ((root === 'ordinal' || root === 'nth') && (value as number) < 1) {
      return { message: `cannot be ${value}`, hint: 'it counts from 1' }
    }
    if (root !== 'request') return undefined
    if (place === 'headers') {
      const header = String((value === undefined ? name : name === 0 && value) || '')
      if (header === header.toLowerCase()) return undefined
      return { message: 'has names in lower case only', hint: `write "${header.toLowerCase()}"` }
    }
    if (!typed) return undefined
    if (part.length === 2 && place === 'body' && operation.body === undefined) {
      const hint = 'use request.query, request.params or request.headers'
      return { message: `never exists: ${operation.id} documents no body`, hint }
    }
    if (value === undefined) return undefined
    if (part.length === 2 && place === 'path') {
      const paths = operation.basePaths.map(base => base + operation.path)
      return paths.some(path => isOfPath(String(value), path))
        ? undefined
        : { message: `cannot be ${JSON.stringify(value)}`, hint: `it is ${paths.join(' or ')}` }
    }
    const nodes =
      place === 'body'
        ? [...(operation.body?.content.values() ?? [])].map(
            ({ schema }) => schema && nodeBelow(schema.node, part.slice(2), contract),
          )
        : operation.parameters
            .filter(one => one.in === PLACES[String(place)] && one.name === name)
            .map(({ schema }) => nodeBelow(schema.node, rest, contract))
    const fields = nodes.map(node => node && describeField(String(part.at(-1)), contract.use(node)))
    const refuses = (field: Field | undefined) =>
      field !== undefined &&
      (field.choices?.includes(value) === false || !field.types.some(type => hasType(value, type))) &&
      !field.allows(value)
    if (fields.length === 0 || !fields.every(refuses)) return undefined
    const { choices = [], types } = fields[0] as Field
    return choices.length > 0
      ? among(value, choices)
      : { message: `cannot be ${JSON.stringify(value)}`, hint: `its type is ${types.join(' or ')}` }
  }
}

const PLACES: Readonly<Record<string, string>> = { params: 'path', query: 'query', cookies: 'cookie' }

/** Whether a path may be one of a path template. */
const isOfPath = (path: string, template: string): boolean => {
  const segments = path.split('/')
  const expected = template.split('/')
  return segments.length === expected.length && expected.every((one, i) => one.includes('{') || one === segments[i])
}
