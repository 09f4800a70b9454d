// Requests that break the contract, each in one way, made from the document's own words rather than by the validator: what a
// fuzzer such as Schemathesis sends as negative data.

import type { Contract, Operation } from '../../../../src/contract/contract.ts'
import type { Parameter } from '../../../../src/contract/document/parameters.ts'
import { childOf, type Node } from '../../../../src/contract/documents.ts'
import type { Request } from '../../../../src/kernel/http.ts'

export interface InvalidRequest {
  /** The mistake: the rest of a sentence that begins with "a request". */
  readonly what: string
  readonly request: Request
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Raw = Readonly<Record<string, unknown>>

/** @param valid a request to the operation that keeps to the contract */
export async function invalidRequests(
  contract: Contract,
  operation: Operation,
  valid: Request,
): Promise<readonly InvalidRequest[]> {
  return [
    ...operation.parameters.flatMap(parameter => parameterMistakes(contract, operation, parameter, valid)),
    ...(await bodyMistakes(contract, operation, valid)),
  ]
}

const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema at a node where it is plain: a schema of several parts may accept anything. */
function plainAt(contract: Contract, node: Node | undefined): { readonly raw: Raw; readonly node: Node } | undefined {
  const found = node && contract.resolve(node)
  if (found === undefined || !isRaw(found.value)) return undefined
  const isJoined = ['oneOf', 'anyOf', 'allOf', 'not', 'if', '$dynamicRef', 'const'].some(
    key => key in (found.value as Raw),
  )
  return isJoined ? undefined : { raw: found.value, node: found }
}

function typeOf(raw: Raw): string | undefined {
  if (raw.nullable === true || raw['x-nullable'] === true || (Array.isArray(raw.enum) && raw.enum.includes(null)))
    return undefined
  return typeof raw.type === 'string' ? raw.type : undefined
}

const FORMATS: Readonly<Record<string, string>> = { uuid: 'not-a-uuid', date: '2026-13-45', 'date-time': 'yesterday' }

/** Texts in a path, a query or a header that are not of a schema. */
function wrongTexts(raw: Raw): readonly string[] {
  const type = typeOf(raw)
  const { minimum, maximum, maxLength, format } = raw
  if (type === 'integer' || type === 'number') {
    return [
      ...['nonsense', '%00', '1e', '0x10', '%F0%9F%98%80', '--1', 'NaN', '[]', '{}'],
      ...(type === 'integer' ? ['1.5'] : []),
      ...(typeof minimum === 'number' && minimum > -1e9 ? [`${minimum - 1}`] : []),
      ...(typeof maximum === 'number' && maximum < 1e9 ? [`${maximum + 1}`] : []),
    ]
  }
  if (type === 'boolean') return ['nonsense', '2', '%00', 'null']
  if (type !== 'string') return []
  if (Array.isArray(raw.enum)) return ['none-of-these-values', '%00']
  const wrong = typeof format === 'string' ? FORMATS[format] : undefined
  return [
    ...(wrong === undefined ? [] : [wrong]),
    ...(typeof maxLength === 'number' && maxLength < 2000 ? ['x'.repeat(maxLength + 1)] : []),
  ]
}

function parameterMistakes(
  contract: Contract,
  { path }: Operation,
  { name, in: place, required, schema, allowsEmpty, node }: Parameter,
  valid: Request,
): readonly InvalidRequest[] {
  const plain = plainAt(contract, schema.node)
  const isStyled = isRaw(node.value) && ('content' in node.value || 'style' in node.value)
  const wrong = plain === undefined || isStyled ? [] : wrongTexts(plain.raw)
  const say = (text: string) => `whose ${place} parameter ${name} is ${text.slice(0, 40)}`
  if (place === 'query') {
    const others = valid.query.split('&').filter(pair => pair !== '' && decode(pair.split('=')[0]) !== name)
    const send = (what: string, pairs: readonly string[]) => ({ what, request: { ...valid, query: pairs.join('&') } })
    const key = encodeURIComponent(name)
    return [
      ...(required ? [send(`without the query parameter ${name}`, others)] : []),
      ...wrong.map(text => send(say(text), [...others, `${key}=${text}`])),
      ...(wrong.length > 0 && !allowsEmpty && typeOf(plain?.raw ?? {}) !== 'string'
        ? [send(say('empty'), [...others, `${key}=`])]
        : []),
      // A value that occurs twice is a list.
      ...(wrong.includes('nonsense') ? [send(say('given twice'), [...others, `${key}=1`, `${key}=nonsense`])] : []),
    ]
  }
  if (place === 'header') {
    const key = name.toLowerCase()
    const { [key]: _, ...headers } = valid.headers
    const send = (what: string, more: Request['headers']) => ({ what, request: { ...valid, headers: more } })
    const sendable = wrong.filter(text => !text.includes('%'))
    return [
      ...(required ? [send(`without the header ${name}`, headers)] : []),
      ...sendable.map(text => send(say(text), { ...headers, [key]: text })),
    ]
  }
  if (place !== 'path') return []
  const template = path.split('/')
  const at = template.indexOf(`{${name}}`)
  if (at < 0) return []
  const segments = valid.path.split('/')
  const from = segments.length - template.length + at
  return wrong.map(text => ({
    what: say(text),
    request: { ...valid, path: segments.map((segment, i) => (i === from ? text : segment)).join('/') },
  }))
}

const decode = (text = ''): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function bodyMistakes(
  contract: Contract,
  operation: Operation,
  valid: Request,
): Promise<readonly InvalidRequest[]> {
  const { body } = operation
  if (body === undefined || !valid.hasBody) return []
  const type = String(valid.headers['content-type'])
  const withText = (what: string, text: string | Uint8Array, headers = valid.headers): InvalidRequest => ({
    what,
    request: { ...valid, headers, readBody: async () => ({ bytes: Buffer.from(text) }) },
  })
  const { 'content-type': _, ...untyped } = valid.headers
  const found: InvalidRequest[] = []
  if (body.required) {
    const none = { ...valid, headers: untyped, hasBody: false, readBody: async () => ({ bytes: new Uint8Array() }) }
    found.push({ what: 'without its body', request: none })
  }
  const read = await valid.readBody(1e7)
  const text = 'bytes' in read ? Buffer.from(read.bytes).toString() : ''
  const documented = [...body.content.keys()]
  // Nothing is of another type: a form without fields has no bytes, and is then the same as no body.
  if (text !== '' && !documented.some(one => one.includes('*'))) {
    for (const other of ['application/x-unknown', 'image/png', 'nonsense', '']) {
      found.push(withText(`of the type "${other}"`, text, { ...valid.headers, 'content-type': other }))
    }
  }
  if (type !== 'application/json') return found
  for (const broken of ['{', '{"a":}', `${text} x`, '\u0000', 'undefined', '{"a":1,}', "{'a':1}", 'NaN']) {
    found.push(withText(`with the body ${broken.slice(0, 30)}`, broken))
  }
  found.push(withText('whose body is not UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))
  const node = body.content.get('application/json')?.schema?.node
  const value = JSON.parse(text) as Json
  for (const { what, wrong } of wrongValues(contract, node, value, '', 0)) {
    found.push(withText(what, JSON.stringify(wrong)))
  }
  return found
}

interface WrongValue {
  readonly what: string
  readonly wrong: Json
}

const OF_TYPES: readonly (readonly [type: string, value: Json])[] = [
  ['null', null],
  ['boolean', true],
  ['number', 1.5],
  ['string', 'text'],
  ['array', []],
  ['object', {}],
]

/** Values that are not of a schema, each different from a valid one in one place. */
function wrongValues(
  contract: Contract,
  node: Node | undefined,
  value: Json,
  pointer: string,
  depth: number,
): readonly WrongValue[] {
  const plain = plainAt(contract, node)
  if (plain === undefined || depth > 3) return []
  const { raw } = plain
  // A server sets these: a request that has them, or not, may be accepted.
  if (raw.readOnly === true) return []
  const type = typeOf(raw)
  const out: WrongValue[] = []
  const add = (what: string, wrong: Json) => out.push({ what: `whose ${pointer || 'body'} ${what}`, wrong })
  if (type !== undefined) {
    const fitting = type === 'integer' ? ['integer'] : [type]
    for (const [other, wrong] of OF_TYPES) if (!fitting.includes(other)) add(`is of type ${other}`, wrong)
  }
  const { minimum, maximum, minLength, maxLength, format, minItems, maxItems } = raw
  if (type === 'integer' || type === 'number') {
    if (typeof minimum === 'number') add('is too small', minimum - 1)
    if (typeof maximum === 'number' && maximum < 1e15) add('is too large', maximum + 1)
  }
  if (type === 'string') {
    if (typeof minLength === 'number' && minLength > 0) add('is too short', '')
    if (typeof maxLength === 'number' && maxLength < 5000) add('is too long', 'x'.repeat(maxLength + 1))
    if (Array.isArray(raw.enum)) add('is none of the values', 'none-of-these-values')
    else if (typeof format === 'string' && FORMATS[format] !== undefined) add('has another format', FORMATS[format])
  }
  if (type === 'array' && Array.isArray(value)) {
    if (typeof minItems === 'number' && minItems > 0) add('has too few items', [])
    if (typeof maxItems === 'number' && maxItems < 100 && value.length > 0)
      add('has too many items', Array(maxItems + 1).fill(value[0]))
    const [first] = value
    if (first !== undefined) {
      for (const { what, wrong } of wrongValues(
        contract,
        childOf(plain.node, 'items'),
        first,
        `${pointer}/0`,
        depth + 1,
      ))
        out.push({ what, wrong: [wrong, ...value.slice(1)] })
    }
  }
  if (type !== 'object' || !isRaw(value)) return out
  const object = value as { [name: string]: Json }
  const properties = childOf(plain.node, 'properties')
  for (const name of Array.isArray(raw.required) ? (raw.required as string[]) : []) {
    const own = plainAt(contract, childOf(properties, name))
    // A member that the server sets, or that has a default, need not be sent.
    if (own === undefined || own.raw.readOnly === true || 'default' in own.raw || !Object.hasOwn(object, name)) continue
    const { [name]: _, ...rest } = object
    add(`has no ${name}`, rest)
  }
  if (raw.additionalProperties === false && raw.patternProperties === undefined)
    add('has a field that is not allowed', { ...object, 'not-documented': 1 })
  for (const name of Object.keys(isRaw(properties.value) ? properties.value : {})) {
    const inner = wrongValues(
      contract,
      childOf(properties, name),
      object[name] ?? null,
      `${pointer}/${name}`,
      depth + 1,
    )
    for (const { what, wrong } of inner) out.push({ what, wrong: { ...object, [name]: wrong } })
  }
  return out
}
