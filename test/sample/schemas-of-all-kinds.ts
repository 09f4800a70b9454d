// Schemas of every kind that values are generated for.

import type { Schema } from '../../src/kernel/schema/schema.ts'

const TEXTS = [
  ...['date', 'time', 'date-time', 'duration', 'email', 'idn-email', 'uuid', 'uri', 'uri-reference', 'iri', 'hostname'],
  ...['ipv4', 'ipv6', 'byte', 'binary', 'password', 'json-pointer', 'relative-json-pointer', 'regex', 'uri-template'],
]
const PATTERNS = [
  ...['^[A-Z]{3}-\\d{4}$', '^#[0-9a-fA-F]{6}$', '[a-z]+', '^\\p{L}+$', '^(?<y>\\d{4})-(?<m>0[1-9]|1[0-2])$'],
  ...[
    '^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{8,}$',
    '^(?!foo)[a-z]{3,}$',
    '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$',
    '\\bfoo\\b',
    '^$',
  ],
  ...['^\\+?[1-9]\\d{1,14}$', '^(\\d)\\1$', '^[\\w\\-]+$', '^arn:aws:[a-z]+:[^:]*:\\d{12}:.+$', '^.{1,255}$', '^\\S+$'],
  ...['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', '^[\\u4e00-\\u9fa5]{2,4}$', '^(?=.{3,9}$)[a-z]+(_[a-z]+)*$', '^(a|b){2}c?$'],
  ...['^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])(?=.*[^A-Za-z0-9]).{8,20}$', '[\\u0020-\\uD7FF\\uE000-\\uFFFD\\r\\n\\t]*'],
]
export const string = (rest: object) => ({ type: 'string', ...rest })
export const object = (rest: object) => ({ type: 'object', ...rest })
export const array = (rest: object) => ({ type: 'array', ...rest })

export const schemas: Record<string, Schema> = {
  ...Object.fromEntries(TEXTS.map(format => [`format ${format}`, string({ format })])),
  ...Object.fromEntries(PATTERNS.map(pattern => [`pattern ${pattern}`, string({ pattern })])),
  'a pattern and a length': string({ pattern: '^[a-z]+$', minLength: 20, maxLength: 22 }),
  'a pattern and one exact length': string({ pattern: '^[a-f0-9]+$', minLength: 64, maxLength: 64 }),
  'a pattern of two parts and a length': string({ pattern: '^[a-z]+-[a-z]+$', minLength: 100, maxLength: 101 }),
  'a pattern and a format': string({ pattern: '@example\\.com$', format: 'email' }),
  'two patterns': { allOf: [string({ pattern: '^[a-z]' }), { pattern: '\\d$' }] },
  'one character': string({ minLength: 1, maxLength: 1 }),
  'no character': string({ maxLength: 0 }),
  'a long text': string({ minLength: 5000 }),
  'an email with a bound': string({ format: 'email', maxLength: 30 }),
  int32: { type: 'integer', format: 'int32', minimum: 2_147_483_647 },
  int64: { type: 'integer', format: 'int64' },
  'a narrow range': { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.0001 },
  'a negative range': { type: 'number', minimum: -5.5, maximum: -5.4 },
  'an integer between numbers': { type: 'integer', minimum: 0.5, maximum: 1.5 },
  'a multiple of 0.01': { type: 'number', multipleOf: 0.01, minimum: 1, maximum: 20 },
  'a multiple of 7': { type: 'integer', multipleOf: 7, minimum: 50, maximum: 60 },
  'two multiples': { allOf: [{ type: 'integer', multipleOf: 4 }, { multipleOf: 6 }], minimum: 13 },
  'a large step': { type: 'integer', multipleOf: 1_000_000 },
  'an exclusive pair': { type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 5 },
  'a const': { const: { a: [1] } },
  'an enum of null': { enum: [null] },
  nullable: { type: ['null', 'string'] },
  'every value of an enum': array({ items: { enum: [1, 2, 3] }, uniqueItems: true, minItems: 3 }),
  'unique booleans': array({ items: { type: 'boolean' }, uniqueItems: true, minItems: 2 }),
  'unique objects': array({ items: object({ properties: { a: { enum: [1, 2] } } }), uniqueItems: true, minItems: 2 }),
  'a long list': array({ items: { type: 'integer' }, minItems: 500 }),
  'an empty list': array({ items: { type: 'integer' }, maxItems: 0 }),
  'a list of nothing': array({ items: false }),
  contains: array({ items: { type: 'integer' }, contains: { const: 7 }, minItems: 2 }),
  'contains two of four': array({ contains: { type: 'string' }, minContains: 2, maxContains: 2, minItems: 4 }),
  'a tuple': array({ prefixItems: [string({}), { type: 'integer' }], items: false, minItems: 2 }),
  'an open tuple': array({ prefixItems: [string({})], items: { type: 'integer' }, minItems: 3 }),
  'a tuple that contains': array({ prefixItems: [{ type: 'integer' }, {}], items: false, contains: { const: 'x' } }),
  'a map': object({ additionalProperties: { type: 'integer' }, minProperties: 3 }),
  'a map of lists': object({ additionalProperties: array({ items: string({ format: 'uri' }) }) }),
  'names by pattern': object({ minProperties: 2, propertyNames: { pattern: '^[a-z]{3}$' } }),
  'names by enum': object({ minProperties: 2, propertyNames: { enum: ['a', 'b'] }, additionalProperties: string({}) }),
  'properties by pattern': object({
    minProperties: 2,
    patternProperties: { '^x-': { type: 'boolean' } },
    additionalProperties: false,
  }),
  'at most one': object({ properties: { a: string({}), b: string({}) }, required: ['b'], maxProperties: 1 }),
  'some of the optional ones': object({ properties: { a: {}, b: {}, c: {} }, minProperties: 2, maxProperties: 2 }),
  'a property that cannot be': object({ properties: { a: false, b: string({}) } }),
  'an optional property that cannot be had': object({ properties: { a: { type: 'integer', minimum: 2, maximum: 1 } } }),
  'one requires another': object({
    required: ['a'],
    properties: { a: {}, b: {} },
    dependentRequired: { a: ['b', 'c'] },
  }),
  'one brings a schema': object({
    required: ['a'],
    properties: { a: string({}) },
    dependentSchemas: { a: { required: ['z'], properties: { z: { type: 'integer' } } } },
  }),
  __proto__: object({ required: ['__proto__'], properties: JSON.parse('{"__proto__":{"type":"integer"}}') }),
  'allOf narrows': {
    allOf: [
      object({ required: ['a'], properties: { a: string({ minLength: 3 }) } }),
      object({ required: ['a', 'b'], properties: { a: { maxLength: 5 }, b: { type: 'integer', minimum: 5 } } }),
    ],
  },
  'allOf of enums': { allOf: [{ enum: ['a', 'b', 'c'] }, { enum: ['c', 'd'] }] },
  'allOf of closed objects': {
    allOf: [
      object({ properties: { a: string({}), b: {} }, additionalProperties: false }),
      object({ properties: { a: {}, c: {} } }),
    ],
  },
  'oneOf that overlaps': {
    oneOf: [object({ properties: { a: string({}) } }), object({ required: ['b'], properties: { b: string({}) } })],
  },
  'oneOf of open objects': {
    oneOf: [object({ properties: { a: string({}) } }), object({ properties: { a: string({}), b: object({}) } })],
  },
  'oneOf of numbers': {
    oneOf: [
      { type: 'integer', multipleOf: 3 },
      { type: 'integer', multipleOf: 5 },
    ],
  },
  'oneOf by a discriminating const': {
    oneOf: ['a', 'b'].map(kind => object({ required: ['kind'], properties: { kind: { const: kind } } })),
  },
  'anyOf of two shapes': { anyOf: [object({ required: ['a'] }), object({ required: ['b'] })] },
  'anyOf within allOf': { allOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, { type: 'integer' }] },
  'not an enum': string({ not: { enum: ['', 'a'] }, maxLength: 1 }),
  'not required': object({ properties: { a: {}, b: {} }, not: { required: ['a'] }, minProperties: 1 }),
  'not a type': { not: { type: ['string', 'object'] } },
  'not both': object({ properties: { a: {}, b: {} }, not: { required: ['a', 'b'] } }),
  'not a range': { type: 'integer', minimum: 0, maximum: 10, not: { minimum: 5 } },
  'if then': object({
    required: ['kind'],
    properties: { kind: { enum: ['x', 'y'] }, v: { type: 'integer' } },
    if: { properties: { kind: { const: 'x' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['v'] },
    else: { properties: { v: false } },
  }),
  'unevaluated properties': {
    allOf: [object({ properties: { a: string({}) } })],
    properties: { b: string({}) },
    unevaluatedProperties: false,
  },
  anything: {},
  true: true,
}
