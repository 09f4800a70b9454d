// Completes a reply's template at load with the properties that the contract requires: values of the page by name and type,
// and for the rest the schema's enum, default, example or a generated value.

import type { Contract } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { describeField, type Field } from '../../contract/schema/field.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { SOME_REQUEST } from './expressions.ts'
import { branchWith } from './shape.ts'
import { freshOf } from './values.ts'

/** Returns the placeholder for a property, such as `page.total`; `undefined` if it is unknown. */
export type Recognise = (field: Field, siblings: readonly string[]) => string | undefined

export const NOTHING_KNOWN: Recognise = () => undefined

/** @param node the schema of the whole reply */
export function completeTemplate(template: Json, node: Node, contract: Contract, recognise: Recognise): Json {
  if (!isObject(template)) return template
  const { properties, required } = contract.shapeOf(branchWith(node, Object.keys(template), contract))
  const siblings = [...properties.keys()]
  const out = new Map<string, Json>(Object.entries(template as JsonObject))
  for (const [name, child] of properties) {
    const written = out.get(name)
    if (written !== undefined) out.set(name, completeTemplate(written, child, contract, recognise))
    else if (required.has(name)) {
      const made = requiredValue(describeField(name, contract.use(child)), child, siblings, contract, recognise)
      if (made !== undefined) out.set(name, made)
    }
  }
  // In the order of the contract.
  const order = [...siblings.filter(name => out.has(name)), ...[...out.keys()].filter(name => !properties.has(name))]
  return Object.fromEntries(order.map(name => [name, out.get(name) as Json]))
}

function requiredValue(
  field: Field,
  node: Node,
  siblings: readonly string[],
  contract: Contract,
  recognise: Recognise,
): Json | undefined {
  if (field.choices?.length !== 1) {
    const known = recognise(field, siblings)
    if (known !== undefined) return `\${${known}}`
  }
  const { properties } = contract.shapeOf(node)
  if (properties.size === 0 || !field.types.includes('object') || field.types.includes('null')) {
    return freshOf(field)?.(SOME_REQUEST)
  }
  return completeTemplate({}, node, contract, recognise)
}
