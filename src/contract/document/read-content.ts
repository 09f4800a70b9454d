// Reads request bodies, responses with their headers, media types and examples.

import { isObject, type Json } from '../../kernel/json.ts'
import type { Side } from '../../kernel/schema-keywords.ts'
import {
  type Encoding,
  type Example,
  essenceOf,
  type Header,
  type MediaType,
  type RequestBody,
  type ResponseSpec,
} from '../contract.ts'
import { childOf, entriesOf, type Node } from '../documents.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import { compileForm } from './forms.ts'
import { readSchema } from './read-sequence.ts'
import type { ContractReading } from './reading.ts'

/** Returns `undefined` without a body; `'unreadable'` for a body whose reference is broken. */
export function readRequestBody(entry: Node, reading: ContractReading): RequestBody | undefined | 'unreadable' {
  if (entry.value === undefined || entry.value === null) return undefined
  const node = reading.documents.resolve(entry)
  if (node === undefined) return 'unreadable'
  if (!isObject(node.value)) {
    return reading.warn('invalid-contract', 'a request body must be an object', node)
  }
  const content = readContent(childOf(node, 'content'), 'request', reading)
  if (content.size === 0) reading.warn('invalid-contract', 'a request body needs content', node, 'key')
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
    if (reading.legacy || list.value !== undefined)
      reading.warn('invalid-contract', 'the operation has no responses', operation, 'key')
  } else if (Object.keys(list.value).length === 0) reading.warn('invalid-contract', '"responses" is empty', list, 'key')
  for (const [status, entry] of entriesOf(list)) {
    if (status.startsWith('x-')) continue
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/i.test(status)) {
      reading.warn('invalid-status', `"${status}" is not a status`, entry, 'key', 'write 200, 4XX or default')
      continue
    }
    const key = /^default$/i.test(status) ? 'default' : status.toUpperCase()
    // A response with a broken reference is still a documented status.
    const node = reading.documents.resolve(entry) ?? { ...entry, value: { description: '' } }
    if (!isObject(node.value)) {
      reading.warn('invalid-contract', 'a response must be an object', node)
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
  return entriesOf(list).flatMap(([name, entry]) => {
    const node = reading.documents.resolve(entry)
    // A documented `Content-Type` header is ignored (OpenAPI "Response Object").
    if (node === undefined || !isObject(node.value) || name.toLowerCase() === 'content-type') return []
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      reading.warn('invalid-header', `"${name}" is not a header name`, entry, 'key')
      return []
    }
    const { required, explode } = node.value
    const [content = readMediaType(node, 'reply', reading)] = readContent(
      childOf(node, 'content'),
      'reply',
      reading,
    ).values()
    return [{ name, required: required === true, explode: explode === true, ...content }]
  })
}

function readContent(node: Node, side: Side, reading: ContractReading): Map<string, MediaType> {
  const content = new Map<string, MediaType>()
  for (const [type, entry] of entriesOf(node)) {
    if (type.startsWith('x-')) continue
    // In OpenAPI 3.2 a media type may be a reference.
    const media =
      isObject(entry.value) && typeof entry.value.$ref === 'string' ? reading.documents.resolve(entry) : entry
    if (!/^[^\s/;]+\/[^\s/;]+\s*(?:;.*)?$/.test(type)) {
      reading.warn('invalid-media-type', `"${type}" is not a media type`, entry, 'key', 'write application/json')
      continue
    }
    const read = readMediaType(media ?? { ...entry, value: {} }, side, reading, essenceOf(type))
    const isForm = side === 'request' && FORM.test(type) && read.schema !== undefined
    const form = isForm
      ? compileForm((read.schema as SchemaUse).node, read.encoding ?? NO_ENCODING, reading.documents)
      : undefined
    const patch = side === 'request' && isPatch(read.schema, reading) ? { patch: true as const } : {}
    content.set(type.toLowerCase(), form === undefined ? { ...read, ...patch } : { ...read, form })
  }
  return content
}

/** Whether a schema describes a list of objects with an `op` and a `path`. */
function isPatch(schema: SchemaUse | undefined, { schemas }: ContractReading): boolean {
  const items = schema?.shape.items
  if (items === undefined || schema?.types.has('object') === true) return false
  const { properties } = schemas.use(items, 'request').shape
  return properties.has('op') && properties.has('path')
}

const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i
const NO_ENCODING: ReadonlyMap<string, Encoding> = new Map()

/** The common part of a media type and a header: a schema and examples. */
function readMediaType(node: Node, side: Side, reading: ContractReading, essence?: string): MediaType {
  const { documents } = reading
  const { schema, sequence } = readSchema(node, essence, side, reading)
  const example = childOf(node, 'example')
  const examples: Example[] =
    example.value === undefined ? [] : [{ name: undefined, value: example.value as Json, node: example }]
  for (const [name, entry] of entriesOf(childOf(node, 'examples'))) {
    const target = documents.resolve(entry)
    if (target === undefined) continue
    // OpenAPI 3.2 distinguishes the value from its text on the wire.
    const value = ['value', 'dataValue', 'serializedValue']
      .map(key => childOf(target, key))
      .find(one => one.value !== undefined)
    if (value !== undefined) examples.push({ name, value: value.value as Json, node: value })
    else if (!isObject(target.value) || target.value.externalValue === undefined) {
      reading.warn('invalid-example', `the example ${name} has no value`, entry, 'key', 'write it under "value"')
    }
  }
  const encoding = entriesOf(childOf(node, 'encoding')).map(([name, entry]) => [name, readEncoding(entry)] as const)
  return {
    schema,
    examples,
    ...(sequence === undefined ? {} : { sequence }),
    ...(encoding.length > 0 ? { encoding: new Map(encoding) } : {}),
  }
}

function readEncoding(node: Node): Encoding {
  const { contentType, style, explode } = (isObject(node.value) ? node.value : {}) as Record<string, unknown>
  return {
    contentType: typeof contentType === 'string' ? contentType.toLowerCase() : undefined,
    style: typeof style === 'string' ? style : undefined,
    explode: typeof explode === 'boolean' ? explode : undefined,
  }
}
