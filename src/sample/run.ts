// Generates one value: tries the ways that its facets allow, one after the other, until a value is valid. `objects.ts` and
// `arrays.ts` call back for their members.

import { isObject, type Json, type JsonObject } from '../kernel/value/json.ts'
import { writeArray } from './arrays.ts'
import { orderBranches } from './branch-order.ts'
import { Chance } from './chance.ts'
import { DEAD_END, EXHAUSTED } from './dead-end.ts'
import { Facets } from './facets.ts'
import type { Fitting } from './fits.ts'
import { writeJsonText } from './json-text.ts'
import { firstAllowed, isListed } from './listed.ts'
import type { Needs } from './needs.ts'
import { writeNumber } from './numbers.ts'
import { writeObject } from './objects.ts'
import { denies, pinnedValues } from './pins.ts'
import type { Definitions, SchemaObject } from './schema-parts.ts'
import { stopgapFor, WITHIN_ITSELF, whyNothingFits } from './stopgap.ts'
import type { StringWriter } from './strings.ts'
import { tellApart } from './tell-apart.ts'
import type { Gap, Learnt, SampleOptions, Terms } from './terms.ts'
import { typeOf } from './value-type.ts'
import type { Writer } from './writer.ts'

/** The maximum depth of a value, and of a definition inside itself. */
const DEEPEST = 48
const INNERMOST = 3
/** The number of failed attempts before a value is made different on purpose. */
const MISSES = 3
/** The number of attempts for one part if an invalid value is accepted in the end. */
const FEW = 6

/** The cost of gathering one schema, in comparisons of a value with a schema. */
const ATTEMPT = 4
/** The factor by which a run that accepts an invalid value may exceed its limit, to finish it. */
const BEYOND = 2000
/** The maximum number of reported parts. */
const MOST_GAPS = 20

/** The generation of one body. */
export class Run implements Writer {
  /** The invalid parts of an accepted invalid value. */
  readonly gaps: Gap[] = []
  /** The path of the value that is being generated. */
  readonly path: (string | number)[] = []
  readonly settles: boolean
  readonly #definitions: Definitions
  readonly fitting: Fitting
  readonly #strings: StringWriter
  readonly #needs: Needs
  readonly chance: Chance
  readonly #dynamic: boolean
  /** The mark of the properties that are omitted. */
  readonly hidden: 'readOnly' | 'writeOnly'
  /** The definitions around the value that is being generated. */
  readonly #inside = new Map<string, number>()
  readonly #learnt: Map<unknown, { readonly attempt: number; readonly misses: number }>
  readonly #pinned: ReadonlyMap<string, Json>
  /** The amount of work at which this run ends. */
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
   * Returns a value that is valid for all of the schemas.
   *
   * @param name the property's name
   * @param budget the maximum number of values; below one, only required ones
   * @param turn the index of the way to begin with: another turn gives another value
   */
  value(schemas: readonly unknown[], name: string | undefined, budget: number, depth: number, turn = 0): Json {
    if (depth > DEEPEST) throw DEAD_END
    const fits = (value: Json) => schemas.every(schema => this.fitting.fits(schema, value))
    const denied = (branch: unknown) => this.#pinned.size > 0 && denies(branch, this.#pinned, this.#definitions)
    const circles = (branch: unknown) => this.circles([branch])
    // The result for one item of a list holds for the next one.
    const learnt = schemas.length === 1 ? this.#learnt.get(schemas[0]) : undefined
    let misses = learnt === undefined ? 0 : learnt.misses
    let ways = 4
    let best: Json | undefined
    const gaps = this.gaps.length
    for (let attempt = 0; attempt < ways; attempt++) {
      if (this.fitting.work > this.#end) {
        if (!this.settles) throw EXHAUSTED
        // Generate required parts only, by the first way only; at the last level, nothing.
        if (attempt > 0 || this.fitting.work > this.#end + BEYOND) break
        budget = 0
      }
      this.gaps.length = gaps
      // The number of the attempt determines the branch of each union, and its remainder how the rest is built.
      let code = attempt + turn + (learnt?.attempt ?? 0)
      let unions = 1
      const facets = new Facets(
        this.#definitions,
        branches => {
          const order = orderBranches(branches, denied, circles, this.#dynamic ? this.chance : undefined)
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
      // Later attempts have fewer optional parts.
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
      // The last failed value is the smallest. A few failures show that no branch works without a change.
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

  /** Records that the current part has no valid value. */
  note(why: string, ...further: string[]): void {
    if (this.gaps.length >= MOST_GAPS) return
    const path = [...this.path, ...further]
    const known = this.gaps.some(gap => gap.path.join('/') === path.join('/'))
    if (!known) this.gaps.push({ path, why })
  }

  /** The knowledge for the next run of the same schema. */
  get learnt(): Learnt {
    return this.#learnt
  }

  /** Returns whether a value would be nested too often inside its own definition. */
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

  /** Returns whether a value would have to contain another value of the same definition. */
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
      const proposed = proposals.find(value => (named === undefined || isListed(named, value)) && fits(value))
      if (proposed !== undefined) return proposed
    }
    if (choices === undefined && named !== undefined && variant < 2) {
      const name = named.find(fits)
      if (name !== undefined) return name
    }
    if (choices !== undefined) {
      const allowed = firstAllowed(choices, excluded, fits)
      const preferred = named === undefined ? [] : allowed.filter(value => isListed(named, value))
      // Prefer other values to empty ones and `null`.
      const telling = preferred.length > 0 ? preferred : allowed.filter(value => value !== null && value !== '')
      const from = telling.length > 0 && variant < 4 ? telling : allowed
      if (from.length === 0) return undefined
      return variant === 0 ? this.chance.pick(from) : from[variant % from.length]
    }
    const type = typeOf(facets, variant)
    switch (type) {
      case 'object':
        return writeObject(this, facets, name, budget, depth, variant)
      case 'array':
        return writeArray(this, facets, name, budget, depth, variant)
      case 'string':
        return writeJsonText(this, facets, name, budget, depth) ?? this.#strings.write(facets, name, this.chance)
      case 'integer':
      case 'number':
        return writeNumber(facets, type === 'integer', name, this.chance, this.fitting)
      case 'boolean':
        return variant < 2 ? this.chance.next() < 0.5 : variant % 2 === 0
      case 'null':
        return null
      default:
        return type satisfies never
    }
  }
}
