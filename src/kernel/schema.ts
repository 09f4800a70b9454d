// JSON Schema: compiles once, validates often, and describes mistakes in words. Only `schema*.ts` imports ajv.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { boundErrors, MOST_ERRORS } from './bounded-errors.ts'
import { approximate, holdsExact, type Json } from './json.ts'
import { keyOf, reachedBy } from './reached-schema.ts'
import { describeErrors, type Violations } from './schema-errors.ts'
import { addFormats, type Format } from './schema-formats.ts'
import { addKeywords, patternOf, SIDES, type Side, ValidationContext } from './schema-keywords.ts'
import { explainUnions, forgetBranches, type UnionContext } from './schema-unions.ts'

/** A JSON Schema of the 2020-12 dialect. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

/** Returns `undefined` for a valid value. `exact`: the value may hold bigints and decimals. */
export type Check = (value: unknown, exact?: boolean, side?: Side) => Violations | undefined

const BOOK = 'contract'

/** Returns whether a value is known to be valid. */
export type Fits = (schema: Schema, value: unknown) => boolean

/** A schema may hold bigints, which `JSON.stringify` refuses. */
const writeBigInt = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

/** Schemas that may refer to one another. Each is compiled on first use. */
export class Schemas {
  readonly #ajv: Ajv2020
  readonly #byText = new Map<string, Check>()
  readonly #defs: Record<string, Schema> = {}
  readonly #extra: Readonly<Record<string, Format>>
  readonly #names = new Map<string, string>()
  /** The checks that `judge` compiled last, by the text of their schemas; the oldest first. */
  readonly #judges = new Map<string, Check>()
  #branches = 0
  readonly #unions: UnionContext = {
    lookup: reference => this.#defs[keyOf(reference)],
    nameOf: reference => this.#names.get(keyOf(reference)),
    validatorOf: branch => this.#validatorOf(branch),
    compiled: new WeakMap(),
  }

  /**
   * @param defs schemas by key, as `add` takes them
   * @param extra formats beyond the usual ones
   */
  constructor(defs: Readonly<Record<string, Schema>> = {}, extra: Readonly<Record<string, Format>> = {}) {
    Object.assign(this.#defs, defs)
    this.#extra = extra
    // Unknown formats are annotations (JSON Schema 2020-12 §7.2.3), unknown keywords are the reader's to report.
    this.#ajv = new Ajv2020({
      allErrors: true,
      verbose: true,
      strict: false,
      ownProperties: true,
      // Compiling the meta-schema takes a tenth of a second; the compiler itself reports invalid schemas.
      meta: false,
      validateSchema: false,
      // Ajv's optimiser doubles the time of compiling, inlining doubles its memory, and V8 gains nothing from them.
      code: {
        optimize: false,
        regExp: Object.assign(patternOf, { code: 'patternOf' }),
        process: code => boundErrors(code),
      },
      inlineRefs: 30,
      logger: false,
      passContext: true,
      unicodeRegExp: false,
    })
    addFormats(this.#ajv, extra)
    addKeywords(this.#ajv)
    for (const keyword of ['anyOf', 'oneOf']) forgetBranches(this.#ajv, keyword)
    // Ajv resolves a reference when it compiles it, so definitions may be added later.
    this.#ajv.addSchema({ $defs: this.#defs }, BOOK, undefined, false)
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
    const matches = (pattern: string, name: string) => patternOf(pattern).test(name)
    const parts = reachedBy(value, key, this.#defs, fits, matches) as Record<string, Schema>
    const text = `${key} ${JSON.stringify(parts, writeBigInt)}`
    let check = this.#judges.get(text)
    if (check === undefined) {
      const reached = new Schemas(parts, this.#extra)
      for (const [one, name] of this.#names) reached.#names.set(one, name)
      check = reached.compileKey(key)
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
    const own = () => checkWith(this.#ajv.getSchema(`${BOOK}#/$defs/${key}`) as ValidateFunction, this.#unions)
    if (text.length > SMALL || text.includes('"$ref"')) return own()
    let check = this.#byText.get(text)
    if (check === undefined) {
      check = own()
      this.#byText.set(text, check)
    }
    return check
  }

  /** Compiles a schema; throws an `Error` whose message says why it cannot be. */
  compile(schema: Schema): Check {
    const { $defs = {} } = schema as { $defs?: Record<string, Schema> }
    return checkWith(this.#ajv.compile(schema as object), {
      lookup: reference => $defs[keyOf(reference)],
      nameOf: () => undefined,
      validatorOf: branch => this.#ajv.compile({ ...branch, $defs }),
      compiled: new WeakMap(),
    })
  }

  /** Keeps a branch under its own key, so that its references resolve. */
  #validatorOf(branch: object): ValidateFunction {
    const { $ref } = branch as { $ref?: unknown }
    const key =
      typeof $ref === 'string' && Object.keys(branch).length === 1 ? keyOf($ref) : `branch-${this.#branches++}`
    if (!Object.hasOwn(this.#defs, key)) this.#defs[key] = branch as Schema
    return this.#ajv.getSchema(`${BOOK}#/$defs/${key}`) as ValidateFunction
  }
}

const SMALL = 300
const MOST_JUDGES = 4

const checkWith =
  (validate: ValidateFunction, unions: UnionContext): Check =>
  (value, exact = false, side = undefined) => {
    const marked = exact && holdsExact(value)
    const context = marked ? new ValidationContext(side, value) : SIDES[side ?? 'none']
    if (validate.call(context, marked ? approximate(value as Json) : value)) return undefined
    const violations = describeErrors(explainUnions(validate.errors ?? [], unions, context))
    const { count = 0 } = validate as { count?: number }
    return count > MOST_ERRORS ? Object.assign(violations, { omitted: count - violations.length }) : violations
  }
