// Reads request bodies and their forms, responses with their headers, media types, examples, and sequences (OpenAPI 3.2
// `itemSchema`).

import { isObject, type Json, parseJson, pointer, put } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { Side } from '../../kernel/schema/keywords.ts'
import type { Example, Header, MediaType, RequestBody, ResponseSpec } from '../contract.ts'
import { branchesIn, childOf, type Documents, isGiven, membersOf, type Node } from '../documents.ts'
import {
  type Encoding,
  EVENT_FIELDS,
  essenceOf,
  type Framing,
  framingOf,
  isJson,
  type Sequence,
} from '../media-types.ts'
import { shapeOf } from '../schema/shape.ts'
import type { ContractReading } from './reading.ts'
import {
  asIs,
  compileStyle,
  type FormReader,
  keysBehind,
  type ParameterRead,
  REPEATED,
  readBracketed,
  readOne,
  ValuePlace,
} from './styles.ts'

/** Returns `undefined` without a body; `'unreadable'` for a body whose reference is broken. */
export function readRequestBody(entry: Node, reading: ContractReading): RequestBody | undefined | 'unreadable' {
  if (!isGiven(entry)) return undefined
  const node = reading.resolve(entry)
  if (node === undefined) return 'unreadable'
  if (!isObject(node.value)) {
    return reading.invalid('a request body must be an object', node)
  }
  const content = readContent(childOf(node, 'content'), 'request', reading)
  if (content.size === 0) reading.invalid('a request body needs content', node, 'key')
  return { required: reading.flag(childOf(node, 'required')), content }
}

/**
 * By status as written: `200`, `4XX`, `default`. An operation that documents no response, which OpenAPI 3.1 allows, answers 200
 * without a body.
 */
export function readResponses(operation: Node, reading: ContractReading): Map<string, ResponseSpec> {
  const responses = new Map<string, ResponseSpec>()
  const list = childOf(operation, 'responses')
  if (!isObject(list.value)) {
    if (reading.legacy || list.value !== undefined) reading.invalid('the operation has no responses', operation, 'key')
  } else if (Object.keys(list.value).length === 0) reading.invalid('"responses" is empty', list, 'key')
  for (const [status, entry] of membersOf(list)) {
    if (status.startsWith('x-')) continue
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/i.test(status)) {
      reading.warn('invalid-status', `"${status}" is not a status`, entry, 'key', 'write 200, 4XX or default')
      continue
    }
    const key = /^default$/i.test(status) ? 'default' : status.toUpperCase()
    // A response with a broken reference is still a documented status.
    const node = reading.resolve(entry) ?? { ...entry, value: { description: '' } }
    if (!isObject(node.value)) {
      reading.invalid('a response must be an object', node)
    } else if (typeof node.value.description !== 'string') {
      reading.warn('missing-description', 'a response needs a description', node, 'key')
    }
    responses.set(key, {
      description: reading.text(childOf(node, 'description')) ?? '',
      content: readContent(childOf(node, 'content'), 'reply', reading),
      headers: readHeaders(childOf(node, 'headers'), reading),
      node,
    })
  }
  if (responses.size === 0) responses.set('200', { description: '', content: new Map(), headers: [], node: list })
  return responses
}

function readHeaders(list: Node, reading: ContractReading): Header[] {
  return membersOf(list).flatMap(([name, entry]) => {
    const node = reading.resolve(entry)
    // A documented `Content-Type` header is ignored (OpenAPI "Response Object").
    if (node === undefined || !isObject(node.value) || name.toLowerCase() === 'content-type') return []
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      reading.warn('invalid-header', `"${name}" is not a header name`, entry, 'key')
      return []
    }
    const { required, explode } = node.value
    const [content] = readContent(childOf(node, 'content'), 'reply', reading).values()
    const media = content ?? readMediaType(node, undefined, 'reply', reading)
    return [{ name, required: required === true, explode: explode === true, ...media }]
  })
}

function readContent(list: Node, side: Side, reading: ContractReading): Map<string, MediaType> {
  const content = new Map<string, MediaType>()
  for (const [type, entry] of membersOf(list)) {
    if (type.startsWith('x-')) continue
    if (!/^[^\s/;]+\/[^\s/;]+\s*(?:;.*)?$/.test(type)) {
      reading.warn('invalid-media-type', `"${type}" is not a media type`, entry, 'key', 'write application/json')
      continue
    }
    // In OpenAPI 3.2 a media type may be a reference.
    const node = reading.resolve(entry) ?? { ...entry, value: {} }
    const media = readMediaType(node, essenceOf(type), side, reading)
    content.set(
      type.toLowerCase(),
      side === 'reply' ? media : { ...media, ...readFormContent(type, node, media, reading) },
    )
  }
  return content
}

const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i

/** Returns what only bodies of requests have: the fields of a form, or the operations of a patch. */
function readFormContent(
  type: string,
  node: Node,
  { schema }: MediaType,
  reading: ContractReading,
): Pick<MediaType, 'encoding' | 'form' | 'patch'> {
  if (schema === undefined) return {}
  if (FORM.test(type)) {
    const fields = membersOf(childOf(node, 'encoding')).map(([name, entry]) => [name, readEncoding(entry)] as const)
    const encoding = new Map(fields)
    return { encoding, form: compileForm(schema.node, encoding, reading) }
  }
  const { items } = schema.shape
  if (items === undefined || schema.types.has('object')) return {}
  const { properties } = reading.schemas.use(items, 'request').shape
  return properties.has('op') && properties.has('path') ? { patch: true } : {}
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function readEncoding({ value }: Node): Encoding {
  const { contentType, style, explode } = isObject(value) ? value : {}
  return {
    contentType: textIn(contentType)?.toLowerCase(),
    style: textIn(style),
    explode: typeof explode === 'boolean' ? explode : undefined,
  }
}

/**
 * Reads the common part of a media type and a header: a schema and examples.
 *
 * @param essence the media type without parameters; `undefined` for a header
 */
function readMediaType(node: Node, essence: string | undefined, side: Side, reading: ContractReading): MediaType {
  const example = childOf(node, 'example')
  const examples: Example[] =
    example.value === undefined ? [] : [{ name: undefined, value: example.value as Json, node: example }]
  for (const [name, entry] of membersOf(childOf(node, 'examples'))) {
    const target = reading.resolve(entry)
    if (target === undefined) continue
    // OpenAPI 3.2 distinguishes the value from its text on the wire.
    const values = ['value', 'dataValue', 'serializedValue'].map(key => childOf(target, key))
    const value = values.find(one => one.value !== undefined)
    if (value !== undefined) examples.push({ name, value: value.value as Json, node: value })
    else if (childOf(target, 'externalValue').value === undefined) {
      reading.warn('invalid-example', `the example ${name} has no value`, entry, 'key', 'write it under "value"')
    }
  }
  const read = readSchema(node, essence, side, reading)
  const bodies = side === 'reply' && isJson(essence ?? '') && read.schema === undefined ? examples.flatMap(bodyIn) : []
  if (bodies.length === 0) return { ...read, examples }
  return { schema: reading.schemas.use(reading.make(childOf(node, 'schema'), openSchemaOf(bodies))), examples }
}

/** Returns the object or list that an example shows, which is often written as the text of the body. */
function bodyIn({ value: written }: Example): unknown[] {
  const parsed = typeof written === 'string' ? parseJson(written) : { value: written }
  return 'value' in parsed && (isObject(parsed.value) || Array.isArray(parsed.value)) ? [parsed.value] : []
}

/** Returns an open schema for the values of examples: it has their types and properties, and requires nothing. */
function openSchemaOf(values: readonly unknown[]): object {
  const types = new Set(values.map(typeOfExample))
  const isNullable = types.delete('null')
  const [type, other] = types
  if (type === undefined || other !== undefined) return {}
  const own = isNullable ? {} : { type }
  const given = values.filter(value => value !== null)
  if (type === 'array') return { ...own, items: openSchemaOf(given.flat()) }
  if (type !== 'object') return { ...own, example: given[0] }
  const byName = new Map<string, unknown[]>()
  for (const [name, value] of given.flatMap(one => Object.entries(one as object)))
    getOrMake(byName, name, () => []).push(value)
  return { ...own, properties: Object.fromEntries([...byName].map(([name, all]) => [name, openSchemaOf(all)])) }
}

const typeOfExample = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : isObject(value)
        ? 'object'
        : typeof value === 'string' || typeof value === 'boolean'
          ? typeof value
          : Number.isInteger(value) || typeof value === 'bigint'
            ? 'integer'
            : 'number'

type ReadSchema = Pick<MediaType, 'schema' | 'sequence'>

/** Reads the schema of the whole content. That of a sequence is the list of its items. */
function readSchema(media: Node, essence: string | undefined, side: Side, reading: ContractReading): ReadSchema {
  const { schemas } = reading
  const whole = childOf(media, 'schema')
  const item = childOf(media, 'itemSchema')
  const framing = essence === undefined ? undefined : framingOf(essence)
  const use = isGiven(whole) ? schemas.use(whole, side) : undefined
  if (isGiven(item) && framing === undefined) {
    const hint = 'it describes text/event-stream, application/jsonl, application/json-seq and multipart/mixed'
    reading.warn('idle-keyword', `"itemSchema" has no effect on ${essence}`, item, 'key', hint)
  }
  if (framing === undefined) return { schema: use }
  /** Makes a schema that the document does not have, from references to existing ones. */
  const listOf = (items: Node): ReadSchema => {
    const list = { type: 'array', items: referTo(items) }
    const value = items === item && use !== undefined ? { allOf: [referTo(whole), list] } : list
    const schema = schemas.use({ document: media.document, path: [...media.path, 'sequence'], value }, side)
    return { schema, sequence: sequenceOf(media, items, framing, reading) }
  }
  if (isGiven(item)) return listOf(item)
  if (use?.types.has('array')) {
    return { schema: use, sequence: sequenceOf(media, use.shape.items ?? whole, framing, reading) }
  }
  // Before 3.2 the schema of a stream often described one item; the schema of named parts describes all of them.
  return use?.types.has('object') && framing !== 'parts' ? listOf(whole) : { schema: use }
}

const referTo = ({ path }: Node): object => ({ $ref: `#${pointer(path)}` })

function sequenceOf(media: Node, item: Node, framing: Framing, reading: ContractReading): Sequence {
  const partType = textIn(childOf(media, 'itemEncoding', 'contentType').value)
  const resolved = reading.resolve(item) ?? item
  const shapes = [resolved, ...branchesIn(resolved)]
    .map(node => shapeOf(node, reading).properties)
    .filter(({ size }) => size > 0)
  const data = shapes.map(properties => properties.get('data')).find(node => node !== undefined)
  const isEvent = shapes.every(properties => [...properties.keys()].every(name => EVENT_FIELDS.has(name)))
  const fields = framing === 'events' && data !== undefined && isEvent
  const types = fields && isObject(data.value) ? reading.schemas.use(data).types : new Set<string>()
  return { framing, partType, fields, jsonData: types.size > 0 && !types.has('string') }
}

type ReadField = (texts: readonly string[]) => ParameterRead

/** Converts form fields to a typed object, as the schema and `encoding` have it (OpenAPI "Encoding Object"). */
function compileForm(schema: Node, encoding: ReadonlyMap<string, Encoding>, documents: Documents): FormReader {
  const form = new ValuePlace([schema], documents)
  const readers = new Map([...form.names].map(name => [name, readerOf(name, form.property(name), encoding.get(name))]))
  return fields => {
    const value: Record<string, unknown> = {}
    let exact = false
    for (const [name, texts] of fields) {
      // Some clients write a list of `ids` as `ids[]`.
      const plain = readers.has(name) ? name : name.replace(/\[\]$/, '')
      const base = name.slice(0, Math.max(0, name.indexOf('[')))
      const place = form.property(base)
      const isNested =
        !readers.has(plain) && keysBehind(base, name) !== undefined && hasParts(place) && readers.has(base)
      if (isNested && Object.hasOwn(value, base)) continue
      const key = isNested ? base : readers.has(plain) ? plain : name
      const read =
        (isNested ? readBracketed(base, fields, place, asIs) : readers.get(key)?.(texts)) ??
        (texts.length > 1 ? { value: texts, exact: false } : readOne(texts, form.property(name).types, asIs))
      if ('fault' in read) return { fault: `field ${key} ${read.fault}` }
      exact ||= read.exact
      put(value, key, read.value)
    }
    return { value, exact }
  }
}

const hasParts = ({ types }: ValuePlace): boolean => types.has('object') || types.has('array')

function readerOf(
  name: string,
  place: ValuePlace,
  { contentType, style = 'form', explode }: Partial<Encoding> = {},
): ReadField {
  const { types } = place
  const isArray = types.has('array')
  const isObject = types.has('object')
  if (contentType === undefined ? isObject && style === 'form' : isJson(contentType)) {
    return isArray ? readJsonItems : texts => readJson(texts, types.has('string'))
  }
  if (!isArray) return texts => readOne(texts, types, asIs)
  return isObject ? readJsonItems : compileStyle(style, explode ?? style === 'form', name, place, asIs).read
}

/** Reads JSON; also text that is not JSON, for a field that may be an object or text. */
function readJson(texts: readonly string[], mayBeText: boolean): ParameterRead {
  if (texts.length > 1) return REPEATED
  const read = parseJson(texts[0] as string)
  return 'fault' in read && mayBeText ? { value: texts[0], exact: false } : read
}

function readJsonItems(texts: readonly string[]): ParameterRead {
  const value: unknown[] = []
  let exact = false
  for (const text of texts) {
    const read = parseJson(text)
    if ('fault' in read || (texts.length === 1 && Array.isArray(read.value))) return read
    exact ||= read.exact
    value.push(read.value)
  }
  return { value, exact }
}
