// The keywords of schemas: their names, their first version, the form of their values, and what older dialects call them.
// Malformed keywords are reported and removed, so that every schema compiles. Independent of references.

import { suggest } from '../../kernel/diagnostic.ts'
import { approximate, isObject } from '../../kernel/json.ts'
import { compilePattern } from '../../kernel/pattern.ts'
import { LIST, MAP, ONE } from '../../kernel/schema/schema.ts'
import { childOf, type Documents, type Node } from '../documents.ts'

const keywordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Keywords that apply their schemas to the very same value. */
export const IN_PLACE = keywordSet('allOf anyOf oneOf not if then else dependentSchemas')

const TYPES = keywordSet('string number integer boolean object array null')
/** Annotations: keywords that do not affect validity and describe the value. */
export const KEPT = keywordSet(
  'title default example examples readOnly writeOnly xml discriminator contentEncoding contentMediaType deprecated x-faker',
)
const ANNOTATIONS = keywordSet(
  'description nullable externalDocs $comment $schema $id id $anchor $dynamicAnchor $vocabulary $defs definitions',
)
/** Handled by name wherever schemas are read. */
const SPECIAL = keywordSet('$ref $dynamicRef additionalItems dependencies required')
/** Keywords that OpenAPI 3.0 does not have. */
const NEWER = new Set([
  ...keywordSet('const if then else contains minContains maxContains propertyNames prefixItems patternProperties'),
  ...keywordSet('dependentSchemas dependentRequired unevaluatedItems unevaluatedProperties examples contentEncoding'),
  ...keywordSet('contentMediaType contentSchema $dynamicRef $anchor $dynamicAnchor'),
])

/** The result of reading a keyword: its value, possibly corrected, and a mistake to report. */
interface KeywordReading {
  readonly value?: unknown
  readonly fault?: string
  /** The mistake's code if it is not `invalid-keyword`, and the hint. */
  readonly code?: string
  readonly hint?: string
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(item => typeof item === 'string')

/** Accepts valid values, converts numbers that are written as text, and removes the rest. */
const judgeNumber =
  (fits: (value: unknown) => boolean, what: string) =>
  (value: unknown): KeywordReading => {
    // The validator reads bounds as doubles; format int64 keeps the true range. A bound below it is often that of int64 as
    // JavaScript writes it, -9223372036854776000, and compares with values of requests as they do.
    if (fits(value)) return { value: isBelowZero(value) ? approximate(value) : Number(value) }
    const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
    return fits(read) ? { value: read, fault: `must be ${what}, not text` } : { fault: `must be ${what}` }
  }

const isBelowZero = (value: unknown): value is bigint => typeof value === 'bigint' && value < 0n

const bound = judgeNumber(value => isNumber(value) && Number.isFinite(Number(value)), 'a number')

type ReadValue = (value: unknown) => KeywordReading

const accept =
  (fits: (value: unknown) => boolean, what: string): ReadValue =>
  value =>
    fits(value) ? { value } : { fault: `must be ${what}` }
const sameFor = (keywords: string, read: ReadValue): Record<string, ReadValue> =>
  Object.fromEntries(keywords.split(' ').map(keyword => [keyword, read]))

const READERS: Readonly<Record<string, ReadValue>> = {
  type: readType,
  enum: accept(value => Array.isArray(value) && value.length > 0, 'a list of values'),
  const: value => ({ value }),
  multipleOf: judgeNumber(value => isNumber(value) && Number(value) > 0, 'a number above zero'),
  ...sameFor('minimum maximum', bound),
  ...sameFor('exclusiveMinimum exclusiveMaximum', value => (typeof value === 'boolean' ? { value } : bound(value))),
  ...sameFor(
    'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties',
    judgeNumber(value => Number.isInteger(value) && (value as number) >= 0, 'a count'),
  ),
  uniqueItems: accept(value => typeof value === 'boolean', 'true or false'),
  dependentRequired: accept(value => isObject(value) && Object.values(value).every(isTexts), 'a map of lists of names'),
  format: accept(value => typeof value === 'string', 'text'),
  pattern: readPattern,
}

const KNOWN = new Set([...SPECIAL, ...ONE, ...LIST, ...MAP, ...KEPT, ...ANNOTATIONS, ...Object.keys(READERS)])

/** Returns whether a keyword says nothing about values. */
export const isNote = (keyword: string): boolean => KEPT.has(keyword) || ANNOTATIONS.has(keyword) || !KNOWN.has(keyword)

/** Returns whether the keyword limits values by itself, without further schemas. */
export const isAssertion = (keyword: string): boolean => Object.hasOwn(READERS, keyword)

export const readKeyword = (keyword: string, value: unknown): KeywordReading => (READERS[keyword] as ReadValue)(value)

/** Returns the warning about a keyword itself: unknown, or newer than the document. */
export function checkKeyword(
  keyword: string,
  legacy: boolean,
): { code: string; message: string; hint?: string } | undefined {
  if (!KNOWN.has(keyword)) {
    const hint = suggest(keyword, KNOWN) ?? 'begin the name of an extension with x-'
    return { code: 'unknown-keyword', message: `unknown schema keyword "${keyword}"`, hint }
  }
  if (legacy && NEWER.has(keyword)) {
    return { code: 'newer-keyword', message: `"${keyword}" is a keyword of OpenAPI 3.1; it is applied anyway` }
  }
  return undefined
}

const MEANT = new Map(
  Object.entries({
    string: 'str text date datetime date-time uuid file',
    integer: 'int int32 int64 long',
    number: 'float double decimal',
    boolean: 'bool',
    array: 'list',
    object: 'map dict',
  }).flatMap(([type, names]) => names.split(' ').map(name => [name, type])),
)

function readType(value: unknown): KeywordReading {
  const given = Array.isArray(value) ? value : [value]
  const types = [...new Set(given.map(type => (type === null ? 'null' : meant(type))))].filter(
    type => type !== undefined,
  )
  const sound = given.length > 0 && given.every(type => typeof type === 'string' && TYPES.has(type))
  const fault = sound ? undefined : `must be one of ${[...TYPES].join(', ')}`
  if (types.length === 0) return { fault }
  return { value: types.length === 1 && !Array.isArray(value) ? types[0] : types, fault }
}

const meant = (type: unknown): string | undefined => {
  const name = String(type).toLowerCase()
  return TYPES.has(name) ? name : MEANT.get(name)
}

function readPattern(value: unknown): KeywordReading {
  if (typeof value !== 'string') return { fault: 'must be text' }
  if (compilePattern(value) === undefined) return { fault: 'is not a regular expression that JavaScript supports' }
  // The notation of code and of other languages: no text that is meant matches it.
  const anchor = (match: string, inner?: string) => inner ?? (match === '\\A' ? '^' : '$')
  const own = value.replace(/^\/(\^.*\$)\/[a-z]*$|^\\A|\\[zZ]$/gs, anchor)
  if (own === value) return { value }
  return { value, code: 'foreign-pattern', fault: 'is in a foreign notation', hint: `write ${own}` }
}

/**
 * Translates OpenAPI 3.0 (JSON Schema Wright 00), and common mixtures of two dialects, to 2020-12.
 *
 * @param node the schema as it is written
 * @param out its translated keywords
 */
export function modernise(node: Node, out: Record<string, unknown>, documents: Documents): Record<string, unknown> {
  for (const [bound, flag] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof out[flag] !== 'boolean') continue
    const exclusive = out[flag]
    delete out[flag]
    if (!exclusive || out[bound] === undefined) continue
    out[flag] = out[bound]
    delete out[bound]
  }
  mendEnum(node, out, documents)
  if (!isObject(node.value) || (node.value.nullable !== true && node.value['x-nullable'] !== true)) return out
  if (Array.isArray(out.enum) && !out.enum.includes(null)) out.enum = [...out.enum, null]
  const { type } = out
  if (type === undefined && Object.keys(out).length === 0) return out
  const isComposed = ['const', 'allOf', 'anyOf', 'oneOf', '$ref', 'if'].some(keyword => out[keyword] !== undefined)
  if (type === undefined || isComposed) return { anyOf: [out, { type: 'null' }] }
  return { ...out, type: [...new Set([type, 'null'].flat())] }
}

/** YAML turns unquoted words into numbers: `type: string` beside `enum: [1, 2]` means the texts. */
function mendEnum(node: Node, out: Record<string, unknown>, documents: Documents): void {
  const { type, enum: values } = out
  if (!Array.isArray(values) || typeof type !== 'string') return
  const mended = values.map(value => {
    if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
    const isText = (type === 'integer' || type === 'number') && typeof value === 'string' && value.trim() !== ''
    return isText && Number.isFinite(Number(value)) ? Number(value) : value
  })
  if (mended.every((value, index) => value === values[index])) return
  const message = `"enum" contains values that are not of type ${type}`
  documents.warn('invalid-keyword', message, childOf(node, 'enum'), 'key')
  out.enum = mended
}
