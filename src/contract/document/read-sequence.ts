// Reads the schema of a media type: of the whole content, or of each item of a sequence (OpenAPI 3.2 `itemSchema`).

import { isObject, pointer } from '../../kernel/json.ts'
import type { Side } from '../../kernel/schema-keywords.ts'
import { childOf, itemsOf, type Node } from '../documents.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import { shapeOf } from '../schema/shape.ts'
import { EVENT_FIELDS, type Framing, framingOf, type Sequence } from '../sequences.ts'
import type { ContractReading } from './reading.ts'

export interface ReadSchema {
  readonly schema: SchemaUse | undefined
  /** Set if the value is the list of a sequence's items. */
  readonly sequence: Sequence | undefined
}

/** @param essence the media type without parameters; `undefined` for a header */
export function readSchema(media: Node, essence: string | undefined, side: Side, reading: ContractReading): ReadSchema {
  const { schemas } = reading
  const whole = childOf(media, 'schema')
  const item = childOf(media, 'itemSchema')
  const framing = essence === undefined ? undefined : framingOf(essence)
  const plain = (): ReadSchema => ({
    schema: isGiven(whole) ? schemas.use(whole, side) : undefined,
    sequence: undefined,
  })
  if (isGiven(item)) {
    if (framing === undefined) {
      const hint = 'it describes text/event-stream, application/jsonl, application/json-seq and multipart/mixed'
      reading.warn('idle-keyword', `"itemSchema" has no effect on ${essence}`, item, 'key', hint)
      return plain()
    }
    const list = { type: 'array', items: referTo(item) }
    const value = isGiven(whole) ? { allOf: [referTo(whole), list] } : list
    return { schema: useOf(media, value, side, reading), sequence: sequenceOf(media, item, framing, reading) }
  }
  if (framing === undefined || !isGiven(whole)) return plain()
  const use = schemas.use(whole, side)
  if (use.types.has('array')) {
    const { items = whole } = use.shape
    return { schema: use, sequence: sequenceOf(media, items, framing, reading) }
  }
  // Before 3.2 the schema of a stream often described one item; the schema of named parts describes all of them.
  if (!use.types.has('object') || framing === 'parts') return plain()
  const list = { type: 'array', items: referTo(whole) }
  return { schema: useOf(media, list, side, reading), sequence: sequenceOf(media, whole, framing, reading) }
}

const isGiven = ({ value }: Node): boolean => value !== undefined && value !== null

const referTo = ({ path }: Node): object => ({ $ref: `#${pointer(path)}` })

/** Makes a schema that the document does not have, from references to existing ones. */
function useOf(media: Node, value: object, side: Side, { schemas }: ContractReading): SchemaUse {
  return schemas.use({ document: media.document, path: [...media.path, 'sequence'], value }, side)
}

function sequenceOf(media: Node, item: Node, framing: Framing, reading: ContractReading): Sequence {
  const { documents, schemas } = reading
  const encoding = childOf(media, 'itemEncoding', 'contentType').value
  const base = { framing, partType: typeof encoding === 'string' ? encoding : undefined }
  const resolved = documents.resolve(item) ?? item
  const branches = ['oneOf', 'anyOf'].flatMap(union => itemsOf(childOf(resolved, union)))
  const shapes = [resolved, ...branches]
    .map(node => shapeOf(node, documents))
    .filter(({ properties }) => properties.size > 0)
  const isEvent = ({ properties }: (typeof shapes)[number]) =>
    [...properties.keys()].every(name => EVENT_FIELDS.has(name))
  const data = shapes.map(({ properties }) => properties.get('data')).find(node => node !== undefined)
  const fields = framing === 'events' && data !== undefined && shapes.every(isEvent)
  if (!fields || data === undefined || !isObject(data.value)) return { ...base, fields, jsonData: false }
  const { types } = schemas.use(data)
  return { ...base, fields, jsonData: types.size > 0 && !types.has('string') }
}
