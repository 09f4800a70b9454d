// The fields of a record in an operation's request: required, allowed, or known to the server only.

import { describeField } from '../../contract/answer/field.ts'
import type { Contract } from '../../contract/contract.ts'
import { childOf, itemsOf, type Node } from '../../contract/documents.ts'

export interface Asked {
  /** Whether the request schema describes no fields, so that any are allowed. */
  readonly empty: boolean
  /** Returns whether the request may have the field. */
  knows(name: string): boolean
  /** Returns whether the request has the field, be it `readOnly`. */
  has(name: string): boolean
  /** Returns whether the request also limits the field's values. */
  declares(name: string): boolean
  /** Returns whether the request must have the field. */
  wants(name: string): boolean
}

/**
 * @param node the record's part of the request schema; `undefined` where the operation takes no body
 * @param renamed the record's names of fields that the request spells otherwise
 */
export function readAsked(
  node: Node | undefined,
  contract: Contract,
  renamed: ReadonlyMap<string, string> = new Map(),
): Asked {
  const shape = node && withNames(fieldsOf(node, contract), renamed)
  const known = new Map<string, boolean>()
  const readOnlyOf = (name: string): boolean | undefined => {
    const child = shape?.properties.get(name)
    return child && describeField(name, contract.use(child)).readOnly
  }
  const declares = (name: string): boolean => {
    let answer = known.get(name)
    if (answer === undefined) {
      const child = shape?.properties.get(name)
      const field = child && describeField(name, contract.use(child))
      // Without a schema here, the record's schema decides.
      answer = field !== undefined && !field.readOnly && (field.types.length < 7 || field.choices !== undefined)
      known.set(name, answer)
    }
    return answer
  }
  return {
    empty: shape === undefined || shape.properties.size === 0,
    has: name => shape?.properties.has(name) === true,
    knows: name => readOnlyOf(name) === false,
    declares,
    wants(name) {
      if (shape?.required.has(name) !== true) return false
      return readOnlyOf(name) !== true
    },
  }
}

interface RequestFields {
  readonly properties: ReadonlyMap<string, Node>
  readonly required: ReadonlySet<string>
}

const withNames = ({ properties, required }: RequestFields, renamed: ReadonlyMap<string, string>): RequestFields => ({
  properties: new Map([...properties].map(([name, node]) => [renamed.get(name) ?? name, node])),
  required: new Set([...required].map(name => renamed.get(name) ?? name)),
})

/** The depth to which nested unions are followed. */
const DEPTH = 4

/**
 * Returns the fields of a request, including those of each branch of a union. A field is required if every branch requires
 * it.
 */
export function fieldsOf(node: Node, contract: Contract, depth = 0): RequestFields {
  const { properties, required } = contract.shapeOf(node)
  if (depth === DEPTH) return { properties, required }
  const target = contract.resolve(node)
  const parts = itemsOf(childOf(target, 'allOf')).map(part => fieldsOf(part, contract, depth + 1))
  const unions = UNIONS.map(keyword =>
    itemsOf(childOf(target, keyword)).map(branch => fieldsOf(branch, contract, depth + 1)),
  ).filter(branches => branches.length > 0)
  if (parts.length === 0 && unions.length === 0) return { properties, required }
  const all = [...parts, ...unions.flat()].flatMap(one => [...one.properties])
  return {
    properties: new Map([...all.filter(([name]) => !properties.has(name)), ...properties]),
    required: new Set([
      ...required,
      ...parts.flatMap(part => [...part.required]),
      ...unions.flatMap(([first, ...rest]) =>
        [...(first as RequestFields).required].filter(name => rest.every(one => one.required.has(name))),
      ),
    ]),
  }
}

const UNIONS = ['oneOf', 'anyOf'] as const
