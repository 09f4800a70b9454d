// One value in the making: what its facets allow is tried, one way after the other, until something fits. Objects and
// lists have files of their own, and come back here for what is in them.

import { isObject, type Json, type JsonObject, stringifyJson } from '../kernel/json.ts'
import { writeArray } from './arrays.ts'
import { Chance } from './chance.ts'
import { DEAD_END, EXHAUSTED } from './dead-end.ts'
import { Facets, type Type } from './facets.ts'
import type { Definitions, Fitting, SchemaObject } from './fits.ts'
import type { Needs } from './needs.ts'
import { writeNumber } from './numbers.ts'
import { writeObject } from './objects.ts'
import { denies, pinnedValues } from './pins.ts'
import { stopgapFor, WITHIN_ITSELF, whyNothingFits } from './stopgap.ts'
import type { StringWriter } from './strings.ts'
import { tellApart } from './tell-apart.ts'

export interface SampleOptions {
  /** Any integer: the same one, the same value. */
  readonly seed: number
  /** Whether to make everything up, rather than to take what the schema proposes: examples and defaults. */
  readonly dynamic?: boolean
  /** Whether it is for a request: what is `readOnly` is then left out, and not what is `writeOnly`. */
  readonly request?: boolean
  /** What the value is for, as far as its name tells. */
  readonly name?: string
  /** A value of which the sample repeats what it can, where its schema chooses between branches. */
  readonly sent?: Json
  /** How many values it may consist of, beyond those that are required. */
  readonly budget?: number | undefined
}

/** How deep a value may go, and how often within itself, before a way in is given up. */
const DEEPEST = 48
const INNERMOST = 3
/** How often a value may miss before it is made odd on purpose. */
const MISSES = 3
/** How many ways are tried for one part where the best that can be made will do. */
const FEW = 6

/** What it costs to gather one schema for an attempt: as much as so many comparisons of a value with a schema. */
const ATTEMPT = 4
/** How far a run that settles may go beyond its limit, to finish what it has begun. */
const BEYOND = 2000
/** Nobody reads more. */
const MOST_GAPS = 20

/** What a run may cost, and what it settles for. */
export interface Terms {
  /** In comparisons of a value with a schema: `Fitting.work`. */
  readonly limit: number
  /** Whether to settle for the best that can be made where nothing fits. */
  readonly settle: boolean
  /** What an earlier run has learnt of the same schema. */
  readonly learnt: Learnt
}

/** For a schema that took more than one attempt: the one that did, and how many missed before it. */
export type Learnt = ReadonlyMap<unknown, { readonly attempt: number; readonly misses: number }>

/** A part of a value for which nothing fits. */
export interface Gap {
  readonly path: readonly (string | number)[]
  /** Reads on after the place: `its bounds exclude each other`. */
  readonly why: string
}

/** One body in the making. */
export class Run {
  /** The parts that nothing fits, where the best that can be made will do. */
  readonly gaps: Gap[] = []
  /** Where the value that is being made stands in the whole. */
  readonly path: (string | number)[] = []
  readonly settles: boolean
  readonly #definitions: Definitions
  readonly fitting: Fitting
  readonly #strings: StringWriter
  readonly #needs: Needs
  readonly chance: Chance
  readonly #dynamic: boolean
  /** The mark of what the value is without. */
  readonly hidden: 'readOnly' | 'writeOnly'
  /** The definitions that the value being made is inside of. */
  readonly #inside = new Map<string, number>()
  readonly #learnt: Map<unknown, { readonly attempt: number; readonly misses: number }>
  readonly #pinned: ReadonlyMap<string, Json>
  /** The work at which this run is over. */
  readonly #end: number

  constructor(
    definitions: Definitions,
    fitting: Fitting,
    strings: StringWriter,
    needs: Needs,
    { seed, dynamic, request }: SampleOptions,
    { limit, settle, learnt }: Terms,
    pins?: SchemaObject,
  ) {
    this.#end = fitting.work + limit
    this.settles = settle
    this.#learnt = new Map(learnt)
    this.#pinned = pinnedValues(pins)
    this.#needs = needs
    this.#definitions = definitions
    this.fitting = fitting
    this.#strings = strings
    this.chance = new Chance(seed)
    this.#dynamic = dynamic === true
    this.hidden = request === true ? 'readOnly' : 'writeOnly'
  }

  /**
   * A value that fits all of the schemas.
   *
   * @param name of the property it is for
   * @param budget how many values it may consist of; below one, only what is required
   * @param turn where to begin among the possible ways: another turn, another value
   */
  value(schemas: readonly unknown[], name: string | undefined, budget: number, depth: number, turn = 0): Json {
    if (depth > DEEPEST) throw DEAD_END
    const fits = (value: Json) => schemas.every(schema => this.fitting.fits(schema, value))
    // What was found out for one item of a list holds for the next.
    const learnt = schemas.length === 1 ? this.#learnt.get(schemas[0]) : undefined
    let misses = learnt === undefined ? 0 : learnt.misses
    let ways = 4
    let best: Json | undefined
    const gaps = this.gaps.length
    for (let attempt = 0; attempt < ways; attempt++) {
      if (this.fitting.work > this.#end) {
        if (!this.settles) throw EXHAUSTED
        // What is needed and nothing more, and the first way is the only one; at last nothing is gone into.
        if (attempt > 0 || this.fitting.work > this.#end + BEYOND) break
        budget = 0
      }
      this.gaps.length = gaps
      // The attempt's number says which branch of each union is taken, and what is left of it, how the rest is built.
      let code = attempt + turn + (learnt?.attempt ?? 0)
      let unions = 1
      const facets = new Facets(
        this.#definitions,
        branches => {
          const order = this.#orderOf(branches)
          const chosen = order[code % order.length]
          code = Math.floor(code / order.length)
          unions *= order.length
          return chosen
        },
        this.hidden === 'readOnly',
      )
      for (const schema of schemas) facets.add(schema)
      this.fitting.work += ATTEMPT * (1 + facets.schemas.length)
      if (attempt === 0) {
        ways = Math.min(48, Math.max(unions * 3, facets.doubtful ? 16 : 4))
        if (this.settles) ways = Math.min(ways, FEW)
      }
      if (!facets.possible || facets.types.length === 0) continue
      if (this.#isInnermost(facets)) continue
      // What did not do at once is tried again with less in it.
      const value = this.#attempt(facets, name, attempt === 0 ? budget : Math.min(budget, 12), depth, code)
      if (value === undefined) continue
      const learn = () => {
        if (attempt > 0 && schemas.length === 1)
          this.#learnt.set(schemas[0], { attempt, misses: Math.min(misses, MISSES - 1) })
      }
      if (!facets.doubtful) return value
      if (fits(value)) {
        learn()
        return value
      }
      best ??= value
      // The last miss is the smallest; a few are enough to know that none of the branches can be had plainly.
      if (++misses >= MISSES || attempt === ways - 1) {
        const mended = isObject(value)
          ? tellApart(value as JsonObject, schemas, this.#definitions, this.fitting, fits)
          : undefined
        if (mended !== undefined) {
          learn()
          return mended
        }
      }
    }
    if (!this.settles) throw DEAD_END
    const last = this.#facetsOf(schemas)
    if (this.gaps.length === gaps) this.note(this.#isInnermost(last) ? WITHIN_ITSELF : whyNothingFits(last))
    return best ?? stopgapFor(last, name, this.chance)
  }

  /** Says that nothing fits at the place that is being made. */
  note(why: string, ...further: string[]): void {
    if (this.gaps.length >= MOST_GAPS) return
    const path = [...this.path, ...further]
    const known = this.gaps.some(gap => gap.path.join('/') === path.join('/'))
    if (!known) this.gaps.push({ path, why })
  }

  /** What has been learnt, for the next run of the same schema. */
  get learnt(): Learnt {
    return this.#learnt
  }

  /** Whether a value for these would lie too often within another one of the same definition. */
  #isInnermost({ keys }: Facets): boolean {
    for (const key of keys) if ((this.#inside.get(key) ?? 0) >= INNERMOST) return true
    return false
  }

  #facetsOf(schemas: readonly unknown[]): Facets {
    const facets = new Facets(this.#definitions, branches => branches[0], this.hidden === 'readOnly')
    for (const schema of schemas) facets.add(schema)
    return facets
  }

  #attempt(facets: Facets, name: string | undefined, budget: number, depth: number, variant: number): Json | undefined {
    for (const key of facets.keys) this.#inside.set(key, (this.#inside.get(key) ?? 0) + 1)
    try {
      return this.#build(facets, name, budget, depth, variant)
    } catch (error) {
      if (error === DEAD_END) return undefined
      throw error
    } finally {
      for (const key of facets.keys) this.#inside.set(key, (this.#inside.get(key) as number) - 1)
    }
  }

  /** In the order of the document, but `null` after values, then what would begin a circle, then what pins deny. */
  #orderOf(branches: readonly unknown[]): readonly unknown[] {
    const denied = (branch: unknown) => this.#pinned.size > 0 && denies(branch, this.#pinned, this.#definitions)
    const rank = (branch: unknown) => (denied(branch) ? 3 : this.circles([branch]) ? 2 : isNull(branch) ? 1 : 0)
    if (branches.length < 2) return branches
    const ranks = branches.map(rank)
    const order = [0, 1, 2, 3].flatMap(wanted => branches.filter((_, i) => ranks[i] === wanted))
    if (!this.#dynamic) return order
    const values = order.slice(0, ranks.filter(one => one === 0).length)
    const shift = values.length === 0 ? 0 : this.chance.between(0, values.length - 1)
    return [...values.slice(shift), ...values.slice(0, shift), ...order.slice(values.length)]
  }

  /** Whether a value for these would have to lie within another value for the same definition. */
  circles(schemas: readonly unknown[]): boolean {
    for (const schema of schemas) {
      for (const key of this.#needs.of(schema)) if ((this.#inside.get(key) ?? 0) > 0) return true
    }
    return false
  }

  #build(facets: Facets, name: string | undefined, budget: number, depth: number, variant: number): Json | undefined {
    const fits = (value: Json) => facets.schemas.every(schema => this.fitting.fits(schema, value))
    const { choices, named, proposals, excluded } = facets
    if (!this.#dynamic && variant === 0) {
      const proposed = proposals.find(value => (named?.includes(value) ?? true) && fits(value))
      if (proposed !== undefined) return proposed
    }
    if (choices === undefined && named !== undefined && variant < 2) {
      const name = named.find(fits)
      if (name !== undefined) return name
    }
    if (choices !== undefined) {
      const allowed = choices.filter(value => !excluded.includes(value) && fits(value))
      const preferred = allowed.filter(value => named?.includes(value))
      // An empty choice, and `null`, say little where there is something else to say.
      const telling = preferred.length > 0 ? preferred : allowed.filter(value => value !== null && value !== '')
      const from = telling.length > 0 && variant < 4 ? telling : allowed
      if (from.length === 0) return undefined
      return variant === 0 ? this.chance.pick(from) : from[variant % from.length]
    }
    const type = this.#typeOf(facets, variant)
    switch (type) {
      case 'object':
        return writeObject(this, facets, name, budget, depth, variant)
      case 'array':
        return writeArray(this, facets, name, budget, depth, variant)
      case 'string':
        return this.#json(facets, name, budget, depth) ?? this.#strings.write(facets, name, this.chance)
      case 'integer':
      case 'number':
        return writeNumber(facets, type === 'integer', name, this.chance, this.fitting)
      case 'boolean':
        return variant < 2 ? this.chance.next() < 0.5 : variant % 2 === 0
      case 'null':
        return null
    }
  }

  /** The text of a value of `contentSchema`; `undefined` where the text is not of JSON, or has to be something else. */
  #json(facets: Facets, name: string | undefined, budget: number, depth: number): string | undefined {
    const content = facets.schemas.flatMap(({ contentSchema }) => (contentSchema === undefined ? [] : [contentSchema]))
    const types = facets.schemas.flatMap(({ contentMediaType }) =>
      typeof contentMediaType === 'string' ? contentMediaType : [],
    )
    if (content.length === 0 || !types.every(type => /\bjson\b/.test(type))) return undefined
    const text = stringifyJson(this.value(content, name, budget, depth + 1))
    return facets.schemas.every(schema => this.fitting.fits(schema, text)) ? text : undefined
  }

  /** The first type that is not `null`; where none is named, the one that the other keywords speak of. */
  #typeOf({ types, schemas }: Facets, variant: number): Type {
    const telling = types.filter(type => type !== 'null')
    const shift = Math.floor(variant / 3)
    if (types.length < 7) return (shift === 0 ? telling : types)[shift % types.length] ?? (types[0] as Type)
    const meant = schemas.flatMap(schema => SPEAKING.filter(([keyword]) => schema[keyword] !== undefined))
    const order = [...meant.map(([, type]) => type), 'string', ...types] as const
    return order[shift % order.length] as Type
  }
}

/** Which type a keyword speaks of, where no type is named. */
const SPEAKING: readonly (readonly [string, Type])[] = [
  ['properties', 'object'],
  ['required', 'object'],
  ['additionalProperties', 'object'],
  ['patternProperties', 'object'],
  ['propertyNames', 'object'],
  ['minProperties', 'object'],
  ['dependentRequired', 'object'],
  ['dependentSchemas', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['contains', 'array'],
  ['minItems', 'array'],
  ['uniqueItems', 'array'],
  ['pattern', 'string'],
  ['format', 'string'],
  ['minLength', 'string'],
  ['maxLength', 'string'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['multipleOf', 'number'],
]

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null'
