// JSON Schema: compiles once, validates often, and describes mistakes in words. Only this folder imports ajv.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { approximate, holdsExact, type Json } from '../value/json.ts'
import { addFormats, type Format } from './formats.ts'
import { addKeywords, patternOf, SIDES, type Side, ValidationContext } from './keywords.ts'
import { keyOf, reachedBy } from './parts.ts'
import { explainUnions, forgetBranches, type UnionContext } from './unions.ts'
import { describeErrors, type Violations } from './violations.ts'

/** A JSON Schema of the 2020-12 dialect. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

/** Returns `undefined` for a valid value. `exact`: the value may hold bigints and decimals. */
export type Check = (value: unknown, exact?: boolean, side?: Side) => Violations | undefined

const BOOK = 'contract'

/** Returns whether a value is known to be valid. */
export type Fits = (schema: Schema, value: unknown) => boolean

/** A schema may hold bigints, which `JSON.stringify` refuses. */
const writeBigInt = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

/** A validator, and what explains its mistakes. */
interface CompiledSchema {
  readonly validate: ValidateFunction
  readonly unions: UnionContext
}

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
    const own = () =>
      checkWith(mode => ({
        validate: this.#validatorOfKey(key, mode),
        unions: {
          lookup: reference => this.#defs[keyOf(reference)],
          nameOf: reference => this.#names.get(keyOf(reference)),
          validatorOf: cached(branch => this.#validatorOf(branch, mode)),
        },
      }))
    if (text.length > SMALL || text.includes('"$ref"')) return own()
    let check = this.#byText.get(text)
    if (check === undefined) {
      check = own()
      this.#byText.set(text, check)
    }
    return check
  }

  /**
   * Compiles a schema; throws an `Error` whose message says why it cannot be.
   *
   * @param thorough whether all mistakes of a value of any size are described
   */
  compile(schema: Schema, thorough = false): Check {
    const { $defs = {} } = schema as { $defs?: Record<string, Schema> }
    const compile = (mode: Mode) => ({
      validate: this.#compiler(mode).compile(schema as object),
      unions: {
        lookup: (reference: string) => $defs[keyOf(reference)],
        nameOf: () => undefined,
        validatorOf: cached(branch => this.#compiler(mode).compile({ ...branch, $defs })),
      },
    })
    return checkWith(compile, thorough)
  }

  /** Keeps a branch under its own key, so that its references resolve. */
  #validatorOf(branch: object, mode: Mode): ValidateFunction {
    const { $ref } = branch as { $ref?: unknown }
    const key =
      typeof $ref === 'string' && Object.keys(branch).length === 1 ? keyOf($ref) : `branch-${this.#branches++}`
    if (!Object.hasOwn(this.#defs, key)) this.#defs[key] = branch as Schema
    return this.#validatorOfKey(key, mode)
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
    addFormats(ajv, this.#extra)
    addKeywords(ajv)
    for (const keyword of ['anyOf', 'oneOf']) forgetBranches(ajv, keyword)
    // Ajv resolves a reference when it compiles it, so definitions may be added later.
    ajv.addSchema({ $defs: this.#defs }, BOOK, undefined, false)
    this.#compilers[mode] = ajv
    return ajv
  }
}

const SMALL = 300
const MOST_JUDGES = 4

/** Only the first mistake of a larger value is described: all of them would take time and memory out of proportion. */
const MOST_VALUES = 1000

/** A valid value costs only the validator that stops at the first mistake; the other one is compiled for the first invalid one. */
function checkWith(compile: (mode: Mode) => CompiledSchema, thorough = false): Check {
  const first = compile('first')
  let all: CompiledSchema | undefined
  return (value, exact = false, side = undefined) => {
    const marked = exact && holdsExact(value)
    const context = marked ? new ValidationContext(side, value) : SIDES[side ?? 'none']
    const checked = marked ? approximate(value as Json) : value
    if (first.validate.call(context, checked)) return undefined
    if (!thorough && exceeds(checked, MOST_VALUES)) return violationsOf(first, context)
    all ??= compile('all')
    all.validate.call(context, checked)
    return violationsOf(all, context)
  }
}

const violationsOf = ({ validate, unions }: CompiledSchema, context: ValidationContext): Violations =>
  describeErrors(explainUnions(validate.errors ?? [], unions, context))

function cached(compile: (branch: object) => ValidateFunction): (branch: object) => ValidateFunction {
  const compiled = new WeakMap<object, ValidateFunction>()
  return branch => {
    let validate = compiled.get(branch)
    if (validate === undefined) {
      validate = compile(branch)
      compiled.set(branch, validate)
    }
    return validate
  }
}

/** Returns whether a value has more than `most` values in it. */
function exceeds(value: unknown, most: number): boolean {
  let left = most
  const count = (item: unknown): boolean =>
    --left < 0 || (typeof item === 'object' && item !== null && Object.values(item).some(count))
  return count(value)
}
