// Reads and checks a request's body, and says which names in it look misspelt.

import type { Operation } from '../../contract/contract.ts'
import { essenceOf } from '../../contract/media-types.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { slipOf } from '../../kernel/diagnostic.ts'
import { type BrokenRule, firstOf, problems, type Reply, refuse, withHeaders } from '../../kernel/http.ts'
import { isObject, type Json, type Parsed, parsePointer } from '../../kernel/json.ts'
import { schemasWithin } from '../../sample/schema-parts.ts'
import { breathe } from '../../world/clock.ts'
import type { Exchange, Invalid } from '../behaviour.ts'
import { inBody } from '../resource.ts'
import { type BodyReading, compileReadings, URL_ENCODED } from './readings.ts'

const NO_RULES: readonly BrokenRule[] = []

/**
 * Compiles the check of a body. `read` returns a refusal or the broken rules; `absent` those of a request without a body.
 *
 * @param ignored whether a body that the contract does not document is ignored
 */
export function compileBody({ body, method }: Operation, ignored: boolean, maxBody: number, invalid: Invalid) {
  if (body === undefined) {
    const unexpected = refuse(problems.unsupported_media_type, 'this operation does not accept a body')
    if (ignored) return undefined
    return {
      absent: () => NO_RULES,
      async read({ request }: Exchange): Promise<Reply | readonly BrokenRule[]> {
        const read = await request.readBody(maxBody)
        return 'bytes' in read && read.bytes.length === 0 ? NO_RULES : unexpected
      },
    }
  }
  const types = [...body.content.keys()].join(', ')
  const readingOf = compileReadings(body.content)
  const missing = body.required ? [inBody('', 'required', 'is required')] : NO_RULES
  const acceptable = { accept: types, ...(method === 'PATCH' ? { 'accept-patch': types } : {}) }
  const unsupported = (detail: string) => refuse(problems.unsupported_media_type, detail, acceptable)
  /** A form without fields has no bytes: its content type tells it from an absent body. */
  const absent = (exchange: Exchange): readonly BrokenRule[] => {
    const type = body.required ? firstOf(exchange.request.headers['content-type']) : undefined
    const reading = type === undefined || essenceOf(type) !== URL_ENCODED ? undefined : readingOf(type)
    const parsed = reading?.parse?.(NO_BYTES, URL_ENCODED)
    return reading === undefined || parsed === undefined || parsed instanceof Promise
      ? missing
      : checkParsed(reading, exchange, parsed, 0)
  }
  return {
    absent,
    read(exchange: Exchange): Promise<Reply | readonly BrokenRule[]> {
      const { request } = exchange
      const type = firstOf(request.headers['content-type']) ?? ''
      const isNamed = type.trim() !== ''
      const reading = isNamed ? readingOf(type) : undefined
      if (isNamed && reading === undefined) {
        return Promise.resolve(unsupported(`${essenceOf(type)} is not supported; this operation accepts ${types}`))
      }
      if (reading?.charset !== undefined) {
        return Promise.resolve(unsupported(`the charset ${reading.charset} is not supported; use UTF-8`))
      }
      return request.readBody(maxBody).then(read => {
        if (reading === undefined) {
          if ('bytes' in read && read.bytes.length === 0) return missing
          return unsupported(`the body has no content type; this operation accepts ${types}`)
        }
        if ('problem' in read) {
          if (read.problem !== problems.invalid_request) return refuse(read.problem, read.detail, read.headers)
          return withHeaders(invalid([inBody('', 'syntax', read.detail.replace(/^the body /, ''))]), read.headers)
        }
        const size = read.bytes.length
        if (size === 0) return absent(exchange)
        // A body that is not JSON, a form or text is kept as bytes.
        if (reading.parse === undefined) return NO_RULES
        const parsed = reading.parse(read.bytes, type)
        if (parsed instanceof Promise) return parsed.then(value => checkLarge(reading, exchange, value, size))
        return size > LARGE ? checkLarge(reading, exchange, parsed, size) : checkParsed(reading, exchange, parsed, size)
      })
    },
  }
}

const NO_BYTES = new Uint8Array()

/** A larger body, in bytes, is parsed, checked and answered with other requests in between. */
const LARGE = 100_000

async function checkLarge(...all: Parameters<typeof checkParsed>): Promise<readonly BrokenRule[]> {
  await breathe()
  const broken = checkParsed(...all)
  await breathe()
  return broken
}

/** Stores a valid body in the exchange, else returns the rules that it breaks. */
function checkParsed(
  { schema, patch, excessOf }: BodyReading,
  exchange: Exchange,
  parsed: Parsed,
  bytes: number,
): readonly BrokenRule[] {
  if ('fault' in parsed) return [inBody('', 'syntax', parsed.fault)]
  const { value, exact } = parsed
  const excess = bytes < COUNTED ? undefined : excessOf?.(value)
  if (excess !== undefined) return [inBody('', 'anyOf', excess)]
  // Some contracts describe a patch as an object, which is merged. A list is applied as a patch nevertheless.
  const isPatch = patch === 'named' && (Array.isArray(value) || schema?.types.has('object') !== true)
  const violations = isPatch ? undefined : schema?.check(value, exact)
  if (schema !== undefined && violations !== undefined) {
    return violations.map(({ pointer, keyword, message }, i) => {
      const rule = inBody(pointer, keyword, message)
      return i < MOST_SLIPS ? explainSlip(rule, value, schema) : rule
    })
  }
  const broken = isPatch || patch === 'described' ? checkPatch(value) : NO_RULES
  if (broken.length > 0) return broken
  if (schema === undefined || isPatch) exchange.body = value
  else {
    warnOfFieldSlips(exchange, value, schema)
    exchange.body = schema.prune(value)
    if (exchange.body !== value) exchange.sent = value
  }
  return NO_RULES
}

/** Values of a smaller body, in bytes, are not counted for `compileWorkBound`. */
const COUNTED = 20_000

/** Operations that a patch may have. */
const MOST = 1000
const WITH_VALUE: ReadonlySet<unknown> = new Set(['add', 'replace', 'test'])
const WITH_SOURCE: ReadonlySet<unknown> = new Set(['move', 'copy'])

/**
 * Returns the broken rules of a JSON Patch (RFC 6902 §4), which many contracts describe as an object or not at all; none for
 * one that can be applied.
 */
function checkPatch(value: Json): readonly BrokenRule[] {
  if (!Array.isArray(value)) return [inBody('', 'type', 'must be a list of operations (RFC 6902)')]
  if (value.length > MOST) return [inBody('', 'maxItems', `must have at most ${MOST} operations`)]
  return value.flatMap((one: Json, i): BrokenRule[] => {
    if (!isObject(one)) return [inBody(`/${i}`, 'type', 'must be an object')]
    const { op, path, from } = one
    const named = WITH_VALUE.has(op) || WITH_SOURCE.has(op) || op === 'remove'
    return [
      ...(named ? [] : [inBody(`/${i}/op`, 'enum', 'must be add, remove, replace, move, copy or test')]),
      ...(isPointer(path) ? [] : [inBody(`/${i}/path`, 'format', 'must be a JSON Pointer')]),
      ...(WITH_SOURCE.has(op) && !isPointer(from) ? [inBody(`/${i}/from`, 'format', 'must be a JSON Pointer')] : []),
      ...(WITH_VALUE.has(op) && !Object.hasOwn(one, 'value') ? [inBody(`/${i}/value`, 'required', 'is required')] : []),
    ]
  })
}

const isPointer = (value: unknown): boolean => typeof value === 'string' && parsePointer(value) !== undefined

/** Bounds the cost of looking for misspelt names. */
const MOST_SLIPS = 10
const MOST_PROPERTIES = 200

/**
 * Warns a client of undocumented names that look like misspelt documented ones, which would be ignored in silence.
 *
 * @param isKnown whether the contract has the name nevertheless, or the request the meant one
 */
export function warnOfSlips(
  exchange: Exchange,
  kind: 'query parameter' | 'body field',
  names: Iterable<string>,
  known: { keys(): Iterable<string> },
  isKnown: (name: string, meant: string) => boolean,
): void {
  let looked = 0
  for (const name of names) {
    if (++looked > MOST_SLIPS) return
    const meant = slipOf(name, known.keys())
    if (meant === undefined || isKnown(name, meant)) continue
    exchange.warn(`the contract has no ${kind} "${name}"; did you mean "${meant}"?`)
  }
}

/** Looks at the fields at the top of a valid body. */
function warnOfFieldSlips(exchange: Exchange, value: Json, schema: SchemaUse): void {
  const { properties } = schema.shape
  if (!isObject(value) || properties.size === 0 || properties.size > MOST_PROPERTIES) return
  const unknown: string[] = []
  for (const name in value) if (!properties.has(name) && unknown.length < MOST_SLIPS) unknown.push(name)
  if (unknown.length === 0) return
  const isKnown = (name: string, meant: string) => Object.hasOwn(value, meant) || isField([name], schema)
  warnOfSlips(exchange, 'body field', unknown, properties, isKnown)
}

/** Adds the name that the body has instead to the message about a missing field, and the meant one to that of an unknown one. */
function explainSlip(rule: BrokenRule, value: Json, schema: SchemaUse): BrokenRule {
  const isMissing = rule.rule === 'required'
  const path = (isMissing || UNKNOWN.has(rule.rule) ? parsePointer(rule.path) : undefined) ?? []
  const name = path.at(-1)
  const parents = path.slice(0, -1)
  const parent = parents.reduce<unknown>(
    (at, key) => (isObject(at) || Array.isArray(at) ? Reflect.get(at, key) : undefined),
    value,
  )
  if (name === undefined || !isObject(parent)) return rule
  const say = (message: string): BrokenRule => ({ ...rule, message: rule.message + message })
  if (isMissing) {
    const sent = slipOf(name, Object.keys(parent).slice(0, MOST_PROPERTIES))
    return sent === undefined || isField([...parents, sent], schema) ? rule : say(`, but the body has "${sent}"`)
  }
  const { properties } = schema.shape
  if (parents.length > 0 || properties.size > MOST_PROPERTIES) return rule
  const others = [...properties.keys()].filter(key => !Object.hasOwn(parent, key))
  const meant = slipOf(name, others)
  return meant === undefined ? rule : say(`; did you mean "${meant}"?`)
}

/** The keywords that refuse a field for its name. */
const UNKNOWN: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties'])

/** Returns whether some branch of the schema has a field. */
const isField = (path: readonly string[], { key, definitions }: SchemaUse): boolean =>
  schemasWithin([definitions[key]], path, definitions).length > 0
