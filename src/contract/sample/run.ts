// One value in the making: what its facets allow is tried, one way after the other, until something fits. Objects and
// lists have files of their own, and come back here for what is in them.

import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { writeArray } from './arrays.ts'
import { Chance } from './chance.ts'
import { DEAD_END, EXHAUSTED } from './dead-end.ts'
import { Facets, type Type } from './facets.ts'
import type { Definitions, Fitting, SchemaObject } from './fits.ts'
import type { Needs } from './needs.ts'
import { writeNumber } from './numbers.ts'
import { writeObject } from './objects.ts'
import { denies, pinnedValues } from './pins.ts'
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

/** How many values may be tried for one body. */
const TRIALS = 2000
/** How deep a value may go, and how often within itself, before a way in is given up. */
const DEEPEST = 48
const INNERMOST = 3
/** How often a value may miss before it is made odd on purpose. */
const MISSES = 3
/** One body in the making. */
export class Run {
  /** The nearest miss at the top. */
  best: Json | undefined = undefined
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
  /** For a schema that took more than one attempt: the one that did, and how many missed before it. */
  readonly #learnt = new Map<unknown, { readonly attempt: number; readonly misses: number }>()
  readonly #pinned: ReadonlyMap<string, Json>
  #trials = 0

  constructor(
    definitions: Definitions,
    fitting: Fitting,
    strings: StringWriter,
    needs: Needs,
    { seed, dynamic, request }: SampleOptions,
    pins?: SchemaObject,
  ) {
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
    for (let attempt = 0; attempt < ways; attempt++) {
      if (++this.#trials > TRIALS) throw EXHAUSTED
      // The attempt's number says which branch of each union is taken, and what is left of it, how the rest is built.
      let code = attempt + turn + (learnt?.attempt ?? 0)
      let unions = 1
      const facets = new Facets(this.#definitions, branches => {
        const order = this.#orderOf(branches)
        const chosen = order[code % order.length]
        code = Math.floor(code / order.length)
        unions *= order.length
        return chosen
      })
      for (const schema of schemas) facets.add(schema)
      if (attempt === 0) ways = Math.min(48, Math.max(unions * 3, facets.doubtful ? 16 : 4))
      if (!facets.possible || facets.types.length === 0) continue
      if ([...facets.keys].some(key => (this.#inside.get(key) ?? 0) >= INNERMOST)) continue
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
      if (depth === 0) this.best ??= value
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
    throw DEAD_END
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
    if (facets.choices === undefined && facets.named !== undefined && variant < 2) {
      const name = facets.named.find(fits)
      if (name !== undefined) return name
    }
    if (facets.choices !== undefined) {
      const choices = facets.choices.filter(value => !facets.excluded.includes(value) && fits(value))
      const named = choices.filter(value => facets.named?.includes(value))
      // An empty choice, and `null`, say little where there is something else to say.
      const telling = named.length > 0 ? named : choices.filter(value => value !== null && value !== '')
      const from = telling.length > 0 && variant < 4 ? telling : choices
      if (from.length === 0) return undefined
      return variant === 0 ? this.chance.pick(from) : from[variant % from.length]
    }
    if (!this.#dynamic && variant === 0) {
      const proposed = facets.proposals.find(value => value !== null && fits(value))
      if (proposed !== undefined) return proposed
    }
    const type = this.#typeOf(facets, variant)
    switch (type) {
      case 'object':
        return writeObject(this, facets, name, budget, depth, variant)
      case 'array':
        return writeArray(this, facets, name, budget, depth, variant)
      case 'string':
        return this.#strings.write(facets, name, this.chance)
      case 'integer':
      case 'number':
        return writeNumber(facets, type === 'integer', name, this.chance, this.fitting)
      case 'boolean':
        return variant < 2 ? this.chance.next() < 0.5 : variant % 2 === 0
      case 'null':
        return null
    }
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
