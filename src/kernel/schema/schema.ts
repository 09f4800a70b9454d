// JSON Schema: compiles once, validates often, and describes mistakes in words. Only this folder imports ajv.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { approximate, exceeds, holdsExact, isObject, type Json, mapValues } from '../json.ts'
import { getOrMake } from '../memo.ts'
import { addOurs, type Format, patternOf, SIDES, type Side, ValidationContext } from './keywords.ts'
import { FIRST_CALLS, rememberVerdicts } from './recall.ts'
import { type CompiledSchema, forgetBranches, type Violations, violationsOf } from './violations.ts'

/** A JSON Schema of the 2020-12 dialect. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

/** Returns `undefined` for a valid value. `exact`: the value may hold bigints and decimals. */
export type Check = (value: unknown, exact?: boolean, side?: Side) => Violations | undefined

const BOOK = 'contract'

/** Returns whether a value is known to be valid. */
export type Fits = (schema: Schema, value: unknown) => boolean

/** A schema may hold bigints, which `JSON.stringify` refuses. */
const writeBigInt = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

/** The validator stops at the first mistake, or collects all of them. */
type Mode = 'first' | 'all'

/** Schemas that may refer to one another. Each is compiled on first use. */
export class Schemas {
  readonly #byText = new Map<string, Check>()
  readonly #defs: Record<string, Schema> = {}
  readonly #extra: Readonly<Record<string, Format>>
  readonly #names = new Map<string, string>()
  /** The checks that `judge` compiled last, by the text of their schemas; the oldest first. */
  readonly #judges = new Map<string, Check>()
  readonly #compilers: { [mode in Mode]?: Ajv2020 } = {}
  #branches = 0

  /**
   * @param defs schemas by key, as `add` takes them
   * @param extra formats beyond the usual ones
   */
  constructor(defs: Readonly<Record<string, Schema>> = {}, extra: Readonly<Record<string, Format>> = {}) {
    Object.assign(this.#defs, defs)
    this.#extra = extra
  }

  /**
   * Keeps a schema under a key; `{ $ref: '#/$defs/KEY' }` in another one refers to it.
   *
   * @param name its name in messages
   */
  add(key: string, schema: Schema, name?: string): void {
    this.#defs[key] = schema
    if (name !== undefined) this.#names.set(key, name)
  }

  /** The schemas by key. */
  get definitions(): Readonly<Record<string, Schema>> {
    return this.#defs
  }

  /**
   * Judges one value by the schema kept under `key` without compiling it whole: only the parts that decide are compiled. The
   * last few are kept, because values that are mended, and records of a list, make the same mistakes one after the other.
   *
   * @param fits whether a value inside this one is known to be valid
   */
  judge(key: string, value: unknown, fits: Fits, ...further: [exact?: boolean, side?: Side]): Violations | undefined {
    const parts = reachedBy(value, key, this.#defs, fits) as Record<string, Schema>
    const text = `${key} ${JSON.stringify(parts, writeBigInt)}`
    let check = this.#judges.get(text)
    if (check === undefined) {
      const reached = new Schemas(parts, this.#extra)
      for (const [one, name] of this.#names) reached.#names.set(one, name)
      check = reached.#check(key)
      this.#judges.set(text, check)
      const [oldest] = this.#judges.keys()
      if (this.#judges.size > MOST_JUDGES) this.#judges.delete(oldest as string)
    }
    return check(value, ...further)
  }

  /** Compiles the schema kept under `key`. */
  compileKey(key: string): Check {
    // Documents repeat small schemas a thousand times: they share one validator.
    const text = JSON.stringify(this.#defs[key], writeBigInt)
    if (text.length > SMALL || text.includes('"$ref"')) return this.#check(key)
    return getOrMake(this.#byText, text, () => this.#check(key))
  }

  /**
   * Compiles a schema, and keeps its definitions; throws an `Error` whose message says why it cannot be.
   *
   * @param thorough whether all mistakes of a value of any size are described
   */
  compile(schema: Schema, thorough = false): Check {
    Object.assign(this.#defs, (schema as { $defs?: Record<string, Schema> }).$defs)
    return this.#check(this.#keep(schema), thorough)
  }

  #check(key: string, thorough = false): Check {
    return checkWith(
      mode => ({
        validate: this.#validatorOfKey(key, mode),
        unions: {
          lookup: reference => this.#defs[keyOf(reference)],
          nameOf: reference => this.#names.get(keyOf(reference)),
          validatorOf: cached(branch => this.#validatorOf(branch, mode)),
        },
      }),
      thorough,
    )
  }

  /** Keeps a schema under a new key, so that its references resolve, and returns the key. */
  #keep(schema: Schema): string {
    const key = `branch-${this.#branches++}`
    this.#defs[key] = schema
    return key
  }

  #validatorOf(branch: object, mode: Mode): ValidateFunction {
    const { $ref } = branch as { $ref?: unknown }
    const isReference = typeof $ref === 'string' && Object.keys(branch).length === 1
    return this.#validatorOfKey(isReference ? keyOf($ref) : this.#keep(branch as Schema), mode)
  }

  #validatorOfKey(key: string, mode: Mode): ValidateFunction {
    return this.#compiler(mode).getSchema(`${BOOK}#/$defs/${key}`) as ValidateFunction
  }

  #compiler(mode: Mode): Ajv2020 {
    const made = this.#compilers[mode]
    if (made !== undefined) return made
    // Unknown formats are annotations (JSON Schema 2020-12 §7.2.3), unknown keywords are the reader's to report.
    const ajv = new Ajv2020({
      allErrors: mode === 'all',
      verbose: true,
      strict: false,
      ownProperties: true,
      // Compiling the meta-schema takes a tenth of a second; the compiler itself reports invalid schemas.
      meta: false,
      validateSchema: false,
      // Ajv's optimiser doubles the time of compiling, inlining doubles its memory, and V8 gains nothing from them.
      code: { optimize: false, regExp: Object.assign(patternOf, { code: 'patternOf' }) },
      inlineRefs: 30,
      logger: false,
      passContext: true,
      unicodeRegExp: false,
    })
    addOurs(ajv, this.#extra)
    rememberVerdicts(ajv)
    for (const keyword of ['anyOf', 'oneOf']) forgetBranches(ajv, keyword)
    // Ajv resolves a reference when it compiles it. It searches the schema that it is given for `$id`, in examples too, so it
    // is given an empty one.
    const book: { $defs?: Record<string, Schema> } = {}
    ajv.addSchema(book, BOOK, undefined, false)
    book.$defs = this.#defs
    this.#compilers[mode] = ajv
    return ajv
  }
}

const SMALL = 300
const MOST_JUDGES = 4

/** Only the first mistake of a larger value is described: all of them would take time and memory out of proportion. */
const MOST_VALUES = 1000

/** A valid value costs only the validator that stops at the first mistake; the other one is compiled for the first invalid one. */
function checkWith(compile: (mode: Mode) => CompiledSchema, thorough: boolean): Check {
  const first = compile('first')
  let all: CompiledSchema | undefined
  return (value, exact = false, side = undefined) => {
    const marked = exact && holdsExact(value)
    const context = marked ? new ValidationContext(side, value) : SIDES[side ?? 'none']
    const checked = marked ? approximate(value as Json) : value
    try {
      if (first.validate.call(context, checked)) return undefined
      if (!thorough && exceeds(checked, MOST_VALUES)) return violationsOf(first, context)
      all ??= compile('all')
      all.validate.call(context, checked)
      return violationsOf(all, context)
    } finally {
      context.calls = FIRST_CALLS
      context.verdicts = undefined
    }
  }
}

function cached(compile: (branch: object) => ValidateFunction): (branch: object) => ValidateFunction {
  const compiled = new WeakMap<object, ValidateFunction>()
  return branch => getOrMake(compiled, branch, () => compile(branch))
}

type Keywords = Readonly<Record<string, unknown>>

/** Keywords whose schemas apply to the same value. */
const SAME = ['not', 'if', 'then', 'else'] as const
const CONDITION = new Set<string>(['if', 'then'])
/** Keywords with a list of schemas for the same value. */
export const COMPOSITIONS = ['allOf', 'anyOf', 'oneOf'] as const
/** Keywords with one schema, with a list of schemas, and with schemas by name. */
export const ONE: ReadonlySet<string> = new Set([
  ...SAME,
  ...['items', 'additionalProperties', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
  'contentSchema',
])
export const LIST: ReadonlySet<string> = new Set([...COMPOSITIONS, 'prefixItems'])
/** Keywords whose schema applies to any property. */
const EVERY_PROPERTY = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const
export const MAP: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas'])
type KeywordType = 'object' | 'array' | 'string' | 'number'
/** The type that a keyword applies to, for keywords of one type. */
export const TYPE_OF: ReadonlyMap<string, KeywordType> = new Map(
  Object.entries({
    object:
      'properties required additionalProperties patternProperties propertyNames minProperties maxProperties dependentRequired dependentSchemas',
    array: 'items prefixItems contains minItems maxItems uniqueItems',
    string: 'pattern format minLength maxLength',
    number: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  }).flatMap(([type, keywords]) => keywords.split(' ').map(keyword => [keyword, type as KeywordType] as const)),
)

/**
 * Returns the definitions that a value reaches, which judge it as the whole ones do: its mistakes can be described without
 * compiling a large schema whole. The schemas of absent members, and of members that fit, are `true` in them.
 *
 * @param fits whether a member is known to be valid
 */
export function reachedBy(
  value: unknown,
  key: string,
  definitions: Keywords,
  fits: (schema: Keywords, value: unknown) => boolean,
): Record<string, unknown> {
  /** The values that each kept schema judges. */
  const judged = new Map<object, Set<unknown>>()
  /** The valid values of schemas that are not reached otherwise; if a schema is reached, they are validated, too. */
  const fitting = new Map<object, unknown[]>()
  const keys = new Set<string>([key])

  const visitMember = (schema: unknown, member: unknown): void => {
    if (!isObject(schema)) return
    if (judged.has(schema) || !fits(schema, member)) visit(schema, member)
    else getOrMake(fitting, schema, () => [] as unknown[]).push(member)
  }
  const visit = (schema: unknown, at: unknown): void => {
    if (!isObject(schema)) return
    let values = judged.get(schema)
    if (values === undefined) {
      values = new Set()
      judged.set(schema, values)
      for (const other of fitting.get(schema) ?? []) visit(schema, other)
    }
    if (values.has(at)) return
    values.add(at)
    if (typeof schema.$ref === 'string') {
      keys.add(keyOf(schema.$ref))
      visit(definitions[keyOf(schema.$ref)], at)
    }
    // A discriminator may have a hundred conditions, and one that does not hold needs no consequence.
    const isIdle = schema.else === undefined && excludes(schema.if, at)
    for (const keyword of SAME) if (!isIdle || !CONDITION.has(keyword)) visit(schema[keyword], at)
    for (const keyword of COMPOSITIONS) for (const part of listOf(schema[keyword])) visit(part, at)
    if (Array.isArray(at)) visitItems(schema, at)
    else if (isObject(at)) visitMembers(schema, at)
  }
  const visitItems = (schema: Keywords, items: readonly unknown[]): void => {
    const prefix = listOf(schema.prefixItems)
    for (const [index, item] of items.entries()) {
      visitMember(index < prefix.length ? prefix[index] : schema.items, item)
      visitMember(schema.contains, item)
      visitMember(schema.unevaluatedItems, item)
    }
  }
  const visitMembers = (schema: Keywords, object: Keywords): void => {
    const { properties, patternProperties, dependentSchemas } = schema
    const patterns = entriesOf(patternProperties)
    // A large object costs only what the schema says about its properties.
    const names =
      patterns.length > 0 || EVERY_PROPERTY.some(keyword => isObject(schema[keyword]))
        ? Object.keys(object)
        : [properties, dependentSchemas]
            .flatMap(entriesOf)
            .flatMap(([name]) => (Object.hasOwn(object, name) ? name : []))
    for (const name of names) {
      const member = object[name]
      if (isObject(properties) && Object.hasOwn(properties, name)) visitMember(properties[name], member)
      for (const [pattern, part] of patterns) if (patternOf(pattern).test(name)) visitMember(part, member)
      visitMember(schema.additionalProperties, member)
      visitMember(schema.unevaluatedProperties, member)
      visitMember(schema.propertyNames, name)
      if (isObject(dependentSchemas) && Object.hasOwn(dependentSchemas, name)) visit(dependentSchemas[name], object)
    }
  }
  visit(definitions[key], value)

  const copies = new Map<object, unknown>()
  const copy = (schema: unknown): unknown => {
    if (!isObject(schema)) return schema
    if (!judged.has(schema)) return true
    return getOrMake(copies, schema, () => {
      const isIdle = isObject(schema.if) && !judged.has(schema.if)
      return mapValues(schema, (part, keyword) => (isIdle && CONDITION.has(keyword) ? true : copyPart(keyword, part)))
    })
  }
  const copyPart = (keyword: string, part: unknown): unknown => {
    if (ONE.has(keyword)) return copy(part)
    if (LIST.has(keyword) && Array.isArray(part)) return part.map(copy)
    if (!MAP.has(keyword) || !isObject(part)) return part
    return mapValues(part, copy)
  }
  return Object.fromEntries([...keys].map(one => [one, copy(definitions[one] ?? true)]))
}

/** Whether a value lacks a property that a schema requires, or has a text in it that the schema does not list. */
function excludes(schema: unknown, value: unknown): boolean {
  if (!isObject(schema) || !isObject(value)) return false
  if (listOf(schema.required).some(name => typeof name === 'string' && !Object.hasOwn(value, name))) return true
  return entriesOf(schema.properties).some(
    ([name, one]) =>
      Object.hasOwn(value, name) &&
      typeof value[name] === 'string' &&
      isObject(one) &&
      Array.isArray(one.enum) &&
      !one.enum.includes(value[name]),
  )
}

/** Returns the key of a reference to a definition: `#/$defs/KEY`. */
export const keyOf = (reference: string): string => reference.slice('#/$defs/'.length)
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])
