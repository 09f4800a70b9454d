// Finds the error response for an operation that documents none: an API usually has one shape for its errors.

import { type Contract, isJson, type Operation, type ResponseSpec } from '../contract.ts'
import type { SchemaUse } from '../schema/schema-book.ts'

/** Returns the operation's own error nearest to the status, else the one that most operations have; JSON with a schema. */
export function usualError(operation: Operation, status: number, contract: Contract): ResponseSpec | undefined {
  const own = errorsOf(operation)
    .map(([key, response]) => [distance(key, status), response] as const)
    .sort(([a], [b]) => a - b)
  return own[0]?.[1] ?? mostCommon(contract)
}

/** The documented errors with a JSON body; `default` only beside a documented success. */
function errorsOf({ responses }: Operation): [key: string, response: ResponseSpec][] {
  const succeeds = [...responses.keys()].some(key => /^[1-3]/.test(key))
  return [...responses].filter(
    ([key, response]) => (/^[45]/.test(key) || (key === 'default' && succeeds)) && schemaOf(response) !== undefined,
  )
}

/** Returns the distance between two statuses: those of the same hundred are closer than any others. */
function distance(key: string, status: number): number {
  const documented = Number(key.replace('XX', '00'))
  if (Number.isNaN(documented)) return 0
  const sameClass = Math.floor(documented / 100) === Math.floor(status / 100)
  return Math.abs(documented - status) + (sameClass ? 0 : 1000)
}

const known = new WeakMap<Contract, { readonly response: ResponseSpec | undefined }>()

/** Returns the error that most operations of the contract document; `undefined` if no two operations share one. */
function mostCommon(contract: Contract): ResponseSpec | undefined {
  let found = known.get(contract)
  if (found === undefined) {
    const uses = new Map<string, { count: number; readonly response: ResponseSpec }>()
    for (const operation of contract.operations) {
      const once = new Map(errorsOf(operation).map(([, response]) => [nameOf(response, contract), response]))
      for (const [schema, response] of once) {
        const use = uses.get(schema)
        if (use === undefined) uses.set(schema, { count: 1, response })
        else use.count += 1
      }
    }
    const [first] = [...uses.values()].sort((a, b) => b.count - a.count)
    found = { response: first !== undefined && first.count > 1 ? first.response : undefined }
    known.set(contract, found)
  }
  return found.response
}

const schemaOf = ({ content }: ResponseSpec): SchemaUse | undefined =>
  [...content].find(([type]) => isJson(type))?.[1].schema

/** Identifies a schema: the same for every reference to it. */
const nameOf = (response: ResponseSpec, contract: Contract): string =>
  contract.identify((schemaOf(response) as SchemaUse).node)
