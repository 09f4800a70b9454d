// Reads actions on a record: `POST /orders/{id}/cancel` sets the status that its name says, where an enum has it.

import type { Node } from '../../contract/documents.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import type { FieldNames } from './paths.ts'
import type { SchemaReader } from './schema.ts'

/** Verbs whose outcome is not the verb with an ending. */
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  pay: ['paid'],
  send: ['sent'],
  start: ['started', 'running', 'inprogress', 'active'],
  begin: ['started', 'running', 'inprogress'],
  run: ['running'],
  stop: ['stopped'],
  pause: ['paused'],
  resume: ['resumed', 'running', 'active'],
  restart: ['running'],
  activate: ['active'],
  enable: ['enabled', 'active'],
  deactivate: ['inactive', 'deactivated', 'disabled'],
  disable: ['disabled', 'inactive'],
  suspend: ['suspended'],
  finish: ['finished', 'done', 'completed'],
  resolve: ['resolved'],
  acknowledge: ['acknowledged'],
  reopen: ['open', 'reopened'],
  open: ['open', 'opened'],
  unarchive: ['active'],
  deny: ['denied', 'rejected'],
  submit: ['submitted', 'pending'],
  ship: ['shipped'],
  hold: ['onhold', 'held'],
  finalize: ['finalized', 'open'],
}
const STATES = /^(?:.*status|.*state|phase|stage)$/i

/**
 * Returns the fields that an action sets.
 *
 * @param verb the last segment of its path: `cancel`, `mark-as-paid`
 * @returns the field and its value; `undefined` without a fitting enum
 */
export function outcomeOf(
  verb: string,
  properties: ReadonlyMap<string, Node>,
  names: FieldNames,
  schemas: SchemaReader,
): Readonly<Record<string, Json>> | undefined {
  const words = outcomesOf(plainName(verb.replace(/^(?:mark|set)[-_]?(?:as)?[-_]?|^make[-_]?/i, '')))
  const states = [...properties].filter(([name, node]) => STATES.test(name) && schemas.isScalar(node))
  for (const word of words) {
    for (const [name, node] of states) {
      const value = schemas.enumOf(node).find(one => typeof one === 'string' && plainName(one) === word)
      if (value !== undefined) return { [name]: value }
    }
    // A field that is called as the outcome, and is either so or not.
    const alike = [word, `is${word}`].flatMap(one => names.bySpelling.get(one) ?? [])
    const flag = alike.find(name => isFlag(properties.get(name) as Node, schemas))
    if (flag !== undefined) return { [flag]: true }
  }
  return undefined
}

const isFlag = (node: Node, schemas: SchemaReader): boolean =>
  schemas.types(node).has('boolean') &&
  !(isObject(node.value) && (node.value.const === false || schemas.enumOf(node).length > 0))

/** Returns the state after an action: `cancel` → `cancelled`, `canceled`. */
const outcomesOf = (verb: string): readonly string[] => [
  ...(OUTCOMES[verb] ?? []),
  `${verb}ed`,
  `${verb}${verb.at(-1)}ed`,
  `${verb.replace(/e$/, '')}ed`,
  `${verb.replace(/y$/, '')}ied`,
  verb,
]
