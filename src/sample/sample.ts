// Generates a value for a schema: valid, readable, of bounded size, and the same for the same seed. A failed attempt is
// repeated in another way, a bounded number of times. Depends on JSON Schema, not on OpenAPI.

import { approximate, holdsExact, type Json } from '../kernel/value/json.ts'
import { DEAD_END, EXHAUSTED } from './dead-end.ts'
import { Facets } from './facets.ts'
import { Fitting } from './fits.ts'
import { Needs } from './needs.ts'
import { type Fork, forkOf, pinsOf, wrappedForks, wrappedPins } from './pins.ts'
import { Run } from './run.ts'
import { type Definitions, entries, type SchemaObject } from './schema-parts.ts'
import { schemasWithin } from './schemas-within.ts'
import { StringWriter } from './strings.ts'
import type { Gap, Learnt, SampleOptions, Terms } from './terms.ts'

export interface Sample {
  readonly value: Json
  /** Whether the value is valid; an invalid one is the best that was found. */
  readonly fits: boolean
  /** The parts without a valid value, for an invalid value. */
  readonly gaps: readonly Gap[]
}

/** The unions in which a sample may take the branches of a value that was sent. */
interface Forks {
  readonly own: Fork | undefined
  readonly wrapped: readonly (readonly [string, Fork])[]
}

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
const NOTHING: Learnt = new Map()

/** The knowledge about a schema before a value is generated. */
interface Lesson {
  /** The first attempt that succeeded; absent if none did. */
  readonly first: number
  readonly learnt: Learnt
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

const UNTAUGHT: Lesson = { first: 0, learnt: NOTHING, value: undefined, cost: 0 }

/** Generates values for the schemas of one set of definitions. */
export class Sampler {
  readonly #definitions: Definitions
  readonly #fitting: Fitting
  readonly #requestFitting: Fitting
  readonly #strings: StringWriter
  readonly #needs: Needs
  readonly #declared = new Map<string, ReadonlySet<string>>()
  readonly #forks = new Map<string, Forks>()
  readonly #lessons = new Map<string, Lesson>()
  readonly #roots = new Map<string, SchemaObject>()
  /** The values of dear schemas, by key, options and seed. */
  readonly #kept = new Map<string, Sample>()

  constructor(definitions: Definitions) {
    this.#definitions = definitions
    this.#needs = new Needs(definitions)
    this.#fitting = new Fitting(definitions)
    this.#requestFitting = new Fitting(definitions, true)
    this.#strings = new StringWriter(this.#fitting)
  }

  /** Returns whether a value is valid for the schema kept under `key`. */
  fits(key: string, value: Json): boolean {
    return this.#fitting.fits(this.#definitions[key], holdsExact(value) ? approximate(value) : value)
  }

  /** Like `fits`, but `null` is always valid. */
  fitsButNulls(key: string, value: Json): boolean {
    return this.#fitting.fitsButNulls(this.#definitions[key], holdsExact(value) ? approximate(value) : value)
  }

  /** The number of comparisons so far. */
  get work(): number {
    return this.#fitting.work + this.#requestFitting.work
  }

  /** Returns the properties of a schema that a reply may have. */
  declared(key: string): ReadonlySet<string> {
    let names = this.#declared.get(key)
    if (names === undefined) {
      const all = this.facets(key).schemas.flatMap(({ properties }) => entries(properties))
      const hidden = all.filter(([, schema]) => this.#fitting.isMarked(schema, 'writeOnly')).map(([name]) => name)
      names = new Set(all.map(([name]) => name).filter(name => !hidden.includes(name)))
      this.#declared.set(key, names)
    }
    return names
  }

  /** Returns the facets of the schema kept under `key`, with the first branch of each union. */
  facets(key: string): Facets {
    return this.facetsOf([{ $ref: `#/$defs/${key}` }])
  }

  /** Returns the facets of all of the schemas. */
  facetsOf(schemas: readonly unknown[]): Facets {
    const facets = new Facets(this.#definitions, branches => branches[0])
    for (const schema of schemas) facets.add(schema)
    return facets
  }

  /** Returns whether the schema kept under `key` has a mark. */
  isMarked(key: string, mark: 'readOnly' | 'writeOnly'): boolean {
    return this.#fitting.isMarked({ $ref: `#/$defs/${key}` }, mark)
  }

  /** Returns the schemas that the schema kept under `key` has for a nested value, from all branches of its unions. */
  within(key: string, path: readonly string[]): readonly unknown[] {
    return schemasWithin([{ $ref: `#/$defs/${key}` }], path, this.#definitions)
  }

  /** Returns a value for the schema kept under `key`. */
  sample(key: string, options: SampleOptions): Sample {
    const repeated = options.sent === undefined ? undefined : this.#repeat(key, options.sent, options)
    if (repeated !== undefined) return repeated
    const lesson = this.#lessonOf(key, options)
    const isUsual = options.dynamic !== true && options.name === undefined && options.budget === undefined
    const isEnough = options.seed === LESSON || (options.few === true && lesson.cost > DEAREST)
    if (isUsual && isEnough && lesson.value !== undefined) return { value: lesson.value, fits: true, gaps: [] }
    if (options.few !== true || lesson.cost < DEAR) return this.#make([this.#rootOf(key)], options, lesson)
    const seed = Math.abs(options.seed) % FEW_VALUES
    const id = `${options.request === true} ${options.dynamic === true} ${seed} ${options.name ?? ''} ${key}`
    let kept = this.#kept.get(id)
    if (kept === undefined) {
      kept = this.#make([this.#rootOf(key)], { ...options, seed }, lesson)
      this.#kept.set(id, kept)
    }
    return kept
  }

  /**
   * Returns a value that takes the same branches as one that was sent; `undefined` without unions or without a valid value.
   */
  #repeat(key: string, sent: Json, options: SampleOptions): Sample | undefined {
    let forks = this.#forks.get(key)
    if (forks === undefined) {
      const schema = this.#definitions[key]
      forks = { own: forkOf(schema, this.#definitions), wrapped: wrappedForks(schema, this.#definitions) }
      this.#forks.set(key, forks)
    }
    const { own, wrapped } = forks
    if (own === undefined && wrapped.length === 0) return undefined
    const mark = options.request === true ? 'readOnly' : 'writeOnly'
    const hidden = (schema: unknown) => this.#fitting.isMarked(schema, mark)
    for (const all of [true, false]) {
      const pins = (own && pinsOf(sent, own, all, hidden)) ?? wrappedPins(sent, wrapped, all, hidden)
      if (pins === undefined) continue
      const terms = { limit: REPEATING, settle: false, learnt: NOTHING }
      const value = this.#attempt(this.#run(options, terms, pins), [pins, this.#rootOf(key)], options, 40)
      if (value !== undefined) return { value, fits: true, gaps: [] }
    }
    return undefined
  }

  /** Returns a value that is valid for all of the schemas. */
  sampleAll(schemas: readonly unknown[], options: SampleOptions): Sample {
    return this.#make(schemas, options, UNTAUGHT)
  }

  #make(schemas: readonly unknown[], options: SampleOptions, { first, learnt }: Lesson): Sample {
    for (const { budget, limit } of TRIES.slice(first)) {
      const most = Math.min(budget, options.budget ?? budget)
      const value = this.#attempt(this.#run(options, { limit, settle: false, learnt }), schemas, options, most)
      if (value !== undefined) return { value, fits: true, gaps: [] }
    }
    const run = this.#run(options, { limit: SETTLING, settle: true, learnt })
    const value = this.#attempt(run, schemas, options, 40) ?? null
    const fits = schemas.every(schema => this.#fittingFor(options).fits(schema, value))
    return { value, fits, gaps: fits ? [] : run.gaps }
  }

  /** Determines once how a schema is generated, with a trial value. */
  #lessonOf(key: string, { request }: SampleOptions): Lesson {
    const id = request === true ? `request ${key}` : key
    let lesson = this.#lessons.get(id)
    if (lesson === undefined) {
      const options = { seed: LESSON, request }
      let first = 0
      let learnt = NOTHING
      let value: Json | undefined
      const begun = this.work
      for (; first < TRIES.length; first++) {
        const { budget, limit } = TRIES[first] as (typeof TRIES)[number]
        const run = this.#run(options, { limit, settle: false, learnt })
        value = this.#attempt(run, [this.#rootOf(key)], options, budget)
        learnt = run.learnt
        if (value !== undefined) break
      }
      lesson = { first, learnt: learnt.size === 0 ? NOTHING : learnt, value, cost: this.work - begun }
      this.#lessons.set(id, lesson)
    }
    return lesson
  }

  #fittingFor({ request }: SampleOptions): Fitting {
    return request === true ? this.#requestFitting : this.#fitting
  }

  #run(options: SampleOptions, terms: Terms, pins?: SchemaObject): Run {
    const fitting = this.#fittingFor(options)
    return new Run(this.#definitions, fitting, this.#strings, this.#needs, options, terms, pins)
  }

  #attempt(run: Run, schemas: readonly unknown[], { name }: SampleOptions, budget: number): Json | undefined {
    try {
      return run.value(schemas, name, budget, 0)
    } catch (error) {
      if (error !== DEAD_END && error !== EXHAUSTED) throw error
      return undefined
    }
  }

  #rootOf(key: string): SchemaObject {
    let root = this.#roots.get(key)
    if (root === undefined) {
      root = { $ref: `#/$defs/${key}` }
      this.#roots.set(key, root)
    }
    return root
  }
}
