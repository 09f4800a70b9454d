// Notices fields of a body whose name looks like a misspelt one of the contract.

import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { slipOf } from '../../kernel/diagnostic.ts'
import { isObject, type Json, parsePointer } from '../../kernel/json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import { schemasWithin } from '../../sample/schemas-within.ts'
import type { Exchange } from '../behaviour.ts'

/** Bounds the cost of looking for misspelt names. */
const MOST_SLIPS = 10
const LONGEST_NAME = 100
const MOST_PROPERTIES = 200

/** Warns of fields at the top of a valid body that would be ignored in silence, or stored beside the meant one. */
export function warnOfFieldSlips(exchange: Exchange, value: Json, schema: SchemaUse): void {
  if (!isObject(value)) return
  const { properties } = schema.shape
  if (properties.size === 0 || properties.size > MOST_PROPERTIES) return
  let unknown = 0
  for (const name in value) {
    if (properties.has(name)) continue
    unknown += 1
    if (unknown > MOST_SLIPS) return
    const meant = name.length > LONGEST_NAME ? undefined : slipOf(name, properties.keys())
    if (meant === undefined || Object.hasOwn(value, meant) || isKnown([name], schema)) continue
    exchange.warn(`the contract has no body field "${name}"; did you mean "${meant}"?`)
  }
}

/** Explains the first broken rules of a body by misspelt names. */
export const explainSlips = (rules: readonly BrokenRule[], value: Json, schema: SchemaUse): readonly BrokenRule[] =>
  rules.map((rule, index) => (index < MOST_SLIPS ? explainSlip(rule, value, schema) : rule))

/** Adds the name that the body has instead to the message about a missing field, and the meant one to that of an unknown one. */
function explainSlip(rule: BrokenRule, value: Json, schema: SchemaUse): BrokenRule {
  const path = rule.rule === 'required' || UNKNOWN.has(rule.rule) ? parsePointer(rule.path) : undefined
  const name = path?.at(-1)
  if (path === undefined || name === undefined || name.length > LONGEST_NAME) return rule
  const parents = path.slice(0, -1)
  const parent = parents.reduce<unknown>(
    (at, key) => (isObject(at) || Array.isArray(at) ? Reflect.get(at, key) : undefined),
    value,
  )
  if (!isObject(parent)) return rule
  if (rule.rule === 'required') {
    const keys = Object.keys(parent).slice(0, MOST_PROPERTIES)
    const sent = slipOf(
      name,
      keys.filter(key => key.length <= LONGEST_NAME),
    )
    if (sent === undefined || isKnown([...parents, sent], schema)) return rule
    return { ...rule, message: `${rule.message}, but the body has "${sent}"` }
  }
  const { properties } = schema.shape
  if (parents.length > 0 || properties.size > MOST_PROPERTIES) return rule
  const meant = slipOf(
    name,
    [...properties.keys()].filter(key => !Object.hasOwn(parent, key)),
  )
  return meant === undefined ? rule : { ...rule, message: `${rule.message}; did you mean "${meant}"?` }
}

/** The keywords that refuse a field for its name. */
const UNKNOWN: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties'])

/** Returns whether some branch of the schema has a field. */
const isKnown = (path: readonly string[], { key, definitions }: SchemaUse): boolean =>
  schemasWithin([definitions[key]], path, definitions).length > 0
