// Generates a value for a schema: valid, readable, of bounded size, and the same for the same seed. A failed attempt is
// repeated in another way, a bounded number of times. Depends on JSON Schema, not on OpenAPI. Libraries were measured with 23 small
// schemas: json-schema-faker 0.6 got 5 wrong, in up to 3.4 ms for a string; openapi-sampler 1.7 got 14 wrong.

import { approximate, holdsExact, type Json } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { entriesOf } from '../kernel/schema/schema.ts'
import { type Fork, forksOf, pinsOf, takesSameBranches } from './branches.ts'
import { Facets } from './facets.ts'
import { Fitting } from './fits.ts'
import { Run } from './run.ts'
import { type Definitions, type NeedsOf, needsAmong, type SchemaObject, schemasWithin } from './schema-parts.ts'
import { StringWriter } from './strings.ts'
import type { Learnt, Sample, SampleOptions, Terms } from './terms.ts'

/**
 * The maximum number of values in a body, and the maximum cost of generating it. A body that exceeds the cost is tried again
 * with fewer optional parts.
 * A comparison takes about a microsecond.
 */
const TRIES = [
  { budget: 400, limit: 10_000 },
  { budget: 40, limit: 5000 },
  { budget: 0, limit: 3000 },
] as const
/** The maximum cost of the best value for a schema without valid ones, and of repeating a value that was sent. */
const SETTLING = 4000
const REPEATING = 4000
/** The seed of the first trial of a schema, which decides how it is generated: the same whichever request comes first. */
const LESSON = 1

/** The knowledge about a schema before a value is generated. */
interface Lesson {
  /** The first attempt that succeeded; absent if none did. */
  readonly first: number
  readonly learnt: Learnt | undefined
  /** The value of the trial, if it succeeded. */
  readonly value: Json | undefined
  /** How many comparisons the lesson took. */
  readonly cost: number
}

/** A schema whose values need more comparisons (some milliseconds) has only this many values, which are cached. */
const DEAR = 1000
const FEW_VALUES = 8
/** One that takes more has the value of the first trial, unless values are to differ. */
const DEAREST = 4000

const valid = (value: Json): Sample => ({ value, fits: true, gaps: [] })

/** Generates values for the schemas of one set of definitions. */
export class Sampler {
  readonly #definitions: Definitions
  readonly #fitting: Fitting
  readonly #requestFitting: Fitting
  readonly #strings = new StringWriter()
  readonly #needsOf: NeedsOf
  readonly #parts = new Map<string, ReplyPart>()
  readonly #forks = new Map<string, readonly Fork[]>()
  readonly #lessons = new Map<string, Lesson>()
  readonly #roots = new Map<string, SchemaObject>()
  /** The values of dear schemas, by key, options and seed. */
  readonly #kept = new Map<string, Sample>()

  constructor(definitions: Definitions) {
    this.#definitions = definitions
    this.#needsOf = needsAmong(definitions)
    this.#fitting = new Fitting(definitions)
    this.#requestFitting = new Fitting(definitions, true)
  }

  /**
   * Returns whether a value is valid for the schema kept under `key`.
   *
   * @param nulls whether `null` inside it is always valid
   */
  fits(key: string, value: Json, nulls = false): boolean {
    const given = holdsExact(value) ? approximate(value) : value
    return this.#fitting[nulls ? 'fitsButNulls' : 'fits'](this.#definitions[key], given)
  }

  /** The number of comparisons so far. */
  get work(): number {
    return this.#fitting.work + this.#requestFitting.work
  }

  /** Returns the value of the schema kept under `key` as a part of a reply. */
  part(key: string): ReplyPart {
    return getOrMake(this.#parts, key, () => {
      return new ReplyPart([this.#rootOf(key)], this.#fitting, (schemas, options) => this.sampleAll(schemas, options))
    })
  }

  /** Returns the facets of the schema kept under `key`, with the first branch of each union. */
  facets(key: string): Facets {
    return new Facets([this.#rootOf(key)], this.#definitions)
  }

  /** Returns whether the schema kept under `key` has a mark. */
  isMarked(key: string, mark: 'readOnly' | 'writeOnly'): boolean {
    return this.#fitting.isMarked(this.#rootOf(key), mark)
  }

  /** Returns the schemas that the schema kept under `key` has for a nested value, from all branches of its unions. */
  within(key: string, path: readonly string[]): readonly unknown[] {
    return schemasWithin([this.#rootOf(key)], path, this.#definitions)
  }

  /** Returns a value for the schema kept under `key`. */
  sample(key: string, options: SampleOptions): Sample {
    const { seed, dynamic = false, request = false, name, few } = options
    const repeated = options.sent === undefined ? undefined : this.#repeat(key, options.sent, options)
    if (repeated !== undefined) return repeated
    const lesson = this.#lessonOf(key, request)
    const isUsual = !dynamic && name === undefined && options.budget === undefined && options.items === undefined
    const isEnough = seed === LESSON || (few === true && lesson.cost > DEAREST)
    if (isUsual && isEnough && lesson.value !== undefined) return valid(lesson.value)
    const make = (by: SampleOptions) => this.sampleAll([this.#rootOf(key)], by, lesson)
    if (few !== true || lesson.cost < DEAR || options.items !== undefined) return make(options)
    const one = Math.abs(seed) % FEW_VALUES
    return getOrMake(this.#kept, `${request} ${dynamic} ${one} ${name ?? ''} ${key}`, () =>
      make({ ...options, seed: one }),
    )
  }

  /** Returns whether a value of the schema kept under `key` takes the same branches of its unions as one that was sent. */
  agrees(key: string, value: Json, sent: Json): boolean {
    return takesSameBranches(value, sent, this.#forksOf(key), this.#fitting, this.#requestFitting)
  }

  #forksOf(key: string): readonly Fork[] {
    return getOrMake(this.#forks, key, () => forksOf(this.#definitions[key], this.#definitions))
  }

  /**
   * Returns a value that takes the same branches as one that was sent; `undefined` without unions or without a valid value.
   */
  #repeat(key: string, sent: Json, options: SampleOptions): Sample | undefined {
    const forks = this.#forksOf(key)
    const fitting = this.#fittingFor(options)
    for (const all of [true, false]) {
      const pins = pinsOf(sent, forks, all, schema => fitting.isHidden(schema))
      if (pins === undefined) continue
      const value = this.#run({ ...options, limit: REPEATING, pins }).write([pins, this.#rootOf(key)], 40)
      if (value !== undefined) return valid(value)
    }
    return undefined
  }

  /** Returns a value that is valid for all of the schemas. */
  sampleAll(schemas: readonly unknown[], options: SampleOptions, { first, learnt }: Partial<Lesson> = {}): Sample {
    // A usual list has two items, and no more than a hundred of a longer one are made.
    const times = Math.min(100, Math.max(2, options.items ?? 2)) / 2
    for (const { budget, limit } of TRIES.slice(first)) {
      const value = this.#run({ ...options, limit: limit * times, learnt }).write(
        schemas,
        Math.min(budget, options.budget ?? budget),
      )
      if (value !== undefined) return valid(value)
    }
    const run = this.#run({ ...options, limit: SETTLING * times, settles: true, learnt })
    const value = run.write(schemas, 40) ?? null
    const fits = this.#fittingFor(options).fitsAll(schemas, value)
    return { value, fits, gaps: fits ? [] : run.gaps }
  }

  /** Determines once how a schema is generated, with a trial value. */
  #lessonOf(key: string, request: boolean): Lesson {
    return getOrMake(this.#lessons, `${request} ${key}`, () => {
      const begun = this.work
      let learnt: Learnt | undefined
      let first = 0
      let value: Json | undefined
      for (const { budget, limit } of TRIES) {
        const run = this.#run({ seed: LESSON, request, limit, learnt })
        value = run.write([this.#rootOf(key)], budget)
        learnt = run.learnt
        if (value !== undefined) break
        first++
      }
      return { first, learnt, value, cost: this.work - begun }
    })
  }

  #fittingFor({ request }: SampleOptions): Fitting {
    return request === true ? this.#requestFitting : this.#fitting
  }

  #run(terms: SampleOptions & Terms): Run {
    return new Run(this.#fittingFor(terms), this.#strings, this.#needsOf, terms)
  }

  #rootOf(key: string): SchemaObject {
    return getOrMake(this.#roots, key, () => ({ $ref: `#/$defs/${key}` }))
  }
}

type SampleAll = (schemas: readonly unknown[], options: SampleOptions) => Sample

/** A part of a value in a reply, as its schemas describe it: the properties that it may have, and the parts inside it. */
export class ReplyPart {
  readonly #schemas: readonly unknown[]
  readonly #fitting: Fitting
  readonly #sampleAll: SampleAll
  /** The parts of each schema: schemas may contain themselves, and are as many as the document has. */
  readonly #known: WeakMap<object, ReplyPart>
  readonly #inner = new Map<string, ReplyPart>()
  #declared: ReadonlySet<string> | undefined = undefined

  constructor(
    schemas: readonly unknown[],
    fitting: Fitting,
    sampleAll: SampleAll,
    known: WeakMap<object, ReplyPart> = new WeakMap(),
  ) {
    this.#schemas = schemas
    this.#fitting = fitting
    this.#sampleAll = sampleAll
    this.#known = known
  }

  /** Whether no schema describes it. */
  get isUndescribed(): boolean {
    return this.#schemas.length === 0
  }

  /** The properties that it may have in a reply. */
  get declared(): ReadonlySet<string> {
    if (this.#declared === undefined) {
      const { schemas } = new Facets(this.#schemas, this.#fitting.definitions)
      const all = schemas.flatMap(({ properties }) => entriesOf(properties))
      const hidden = new Set(all.filter(([, schema]) => this.#fitting.isHidden(schema)).map(([name]) => name))
      this.#declared = new Set(all.map(([name]) => name).filter(name => !hidden.has(name)))
    }
    return this.#declared
  }

  /** Returns the part under a key, or at an index. */
  within(step: string): ReplyPart {
    const make = () => {
      const schemas = schemasWithin(this.#schemas, [step], this.#fitting.definitions)
      const [only, second] = schemas as readonly object[]
      const part = () => new ReplyPart(schemas, this.#fitting, this.#sampleAll, this.#known)
      return only !== undefined && second === undefined ? getOrMake(this.#known, only, part) : part()
    }
    // A map may have any key, so only declared ones are kept.
    return step === '0' || this.declared.has(step) ? getOrMake(this.#inner, step, make) : make()
  }

  fits(value: Json): boolean {
    return this.#fitting.fitsAll(this.#schemas, holdsExact(value) ? approximate(value) : value)
  }

  /** Returns a generated value; `undefined` if no valid one was found. */
  sample(seed: number): Json | undefined {
    if (this.isUndescribed) return undefined
    const { value, fits } = this.#sampleAll(this.#schemas, { seed })
    return fits ? value : undefined
  }
}
