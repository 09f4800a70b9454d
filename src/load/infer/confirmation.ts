// Replies that tell of a new, changed or deleted record without showing it: its id, its address, a success.

import type { Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { replySchema } from './bodies.ts'
import { sameWord, singular } from './paths.ts'
import { AROUND, isLike, singleSent } from './reply.ts'
import type { SchemaReader } from './schema.ts'

/** The names of a record: the collection's word, and the names of its id in paths and records. */
export interface RecordNames {
  readonly word: string
  readonly ids: readonly (string | undefined)[]
}

const ID = '${record.id}'
const IDS = ['id', 'uuid', 'guid', 'sid', 'entityid', 'resourceid', 'recordid', 'objectid', 'newid', 'createdid']
const ADDRESS = /^(?:location|url|uri|href|self|link|selflink|resourceurl|resourceuri)$/
const DONE =
  /^(?:is)?(?:deleted|removed|success|successful|succeeded|ok|created|updated|changed|saved|accepted|acknowledged)$/

/**
 * Returns the template of such a reply, without the properties that the server completes.
 *
 * @returns `undefined` if the reply seems to be about something else
 */
export function confirmationOf(whole: Node, names: RecordNames, schemas: SchemaReader): Json | undefined {
  const types = [...schemas.types(whole)].filter(type => type !== 'null')
  if (schemas.isScalar(whole) && types.length === 1) return types[0] === 'boolean' ? true : ID
  const { properties } = schemas.shape(whole)
  const body: Record<string, Json> = {}
  let tells = false
  let others = 0
  for (const [name, node] of properties) {
    const part = partOf(name, node, names, schemas)
    if (part !== undefined) {
      body[name] = part
      tells = true
    } else if (!isAside(name)) others += 1
  }
  return properties.size > 0 && (tells ? others <= MOST_OTHERS : others === 0) ? body : undefined
}

/** Properties of something else that a confirmation may have. */
const MOST_OTHERS = 4

const isAside = (name: string): boolean =>
  AROUND.test(plainName(name)) ||
  ADDRESS.test(plainName(name)) ||
  /^(?:_?links?|meta|metadata|errors?|warnings?|reasons?|details?)$/i.test(name)

function partOf(name: string, node: Node, names: RecordNames, schemas: SchemaReader): Json | undefined {
  const plain = plainName(name)
  const types = schemas.types(node)
  const one = plainName(singular(names.word))
  const isId = (text: string) =>
    IDS.includes(text) || text === `${one}id` || names.ids.some(id => id !== undefined && plainName(id) === text)
  if (schemas.isScalar(node)) {
    if (types.has('boolean')) return DONE.test(plain) ? true : undefined
    if (isId(plain)) return ID
    return ADDRESS.test(plain) && types.has('string') ? addressIn(node, schemas) : undefined
  }
  const { items, properties } = schemas.shape(node)
  if (items !== undefined) return isId(singular(plain)) && schemas.isScalar(items) ? [ID] : undefined
  const isWrapper = sameWord(name, names.word) || WRAPPERS.has(plain)
  if (!isWrapper || properties.size === 0 || properties.size > MOST_INSIDE) return undefined
  return confirmationOf(node, names, schemas)
}

/** The placeholder of an address. The format `url` refuses addresses of this machine, so it stays generated. */
function addressIn(node: Node, schemas: SchemaReader): string | undefined {
  const format = schemas.format(node)
  if (format === 'url') return undefined
  return format === undefined || format === 'uri-reference' ? '${record.location}' : '${record.url}'
}

const WRAPPERS = new Set(['data', 'result', 'response', 'item', 'record', 'resource'])
const MOST_INSIDE = 6

/** Whether a POST that takes a record answers with no more than a confirmation. */
export function confirmsCreate(
  operation: Operation,
  known: readonly Node[],
  names: RecordNames,
  schemas: SchemaReader,
): boolean {
  const whole = replySchema(operation)
  if (whole === undefined || known.length === 0) return false
  const sent = singleSent(operation, names.word, known, schemas)
  if (sent === undefined || !isLike(sent.record, known, schemas)) return false
  return confirmationOf(whole, names, schemas) !== undefined
}
