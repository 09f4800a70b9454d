// Generates one value: tries the ways that its facets allow, one after the other, until a value is valid.

import { isObject, type Json, type JsonObject, stringifyJson } from '../kernel/json.ts'
import { entriesOf, listOf } from '../kernel/schema/schema.ts'
import { denies, orderBranches, pinnedValues, tellApart } from './branches.ts'
import { Chance } from './chance.ts'
import { Facets, type Type, typeOf } from './facets.ts'
import { type Fitting, firstAllowed, isListed } from './fits.ts'
import { writeNumber } from './numbers.ts'
import { orderProperties } from './pairs.ts'
import { type NeedsOf, objectOf, propertySchemas, type SchemaObject } from './schema-parts.ts'
import { type StringWriter, word, writeFor } from './strings.ts'
import type { Gap, Learnt, SampleOptions, Terms } from './terms.ts'

// A hard schema throws and catches ten thousand errors, so each is created once: the stack trace is the expensive part.
/** No value was found for this part in this attempt. */
const DEAD_END = new Error('no value was found')
/** The limit of attempts is reached. */
const EXHAUSTED = new Error('no value was found in time')

/** The maximum depth of a value, and of a definition inside itself. */
const DEEPEST = 48
const INNERMOST = 3
/** The number of failed attempts before a value is made different on purpose, and of all if an invalid one is accepted. */
const MISSES = 3
const FEW = 6
/** The cost of gathering one schema, in comparisons of a value with a schema. */
const ATTEMPT = 4
/** The factor by which a run that accepts an invalid value may exceed its limit, to finish it. */
const BEYOND = 2000
/** The maximum number of reported parts. */
const MOST_GAPS = 20
/** The maximum number of items or members, even if more are required. */
const LONGEST = 10_000
/** The reason for a value that would have to contain another one of its kind, endlessly. */
const WITHIN_ITSELF = 'contains itself endlessly'

/** The generation of one body. */
export class Run {
  /** The invalid parts of an accepted invalid value. */
  readonly gaps: Gap[] = []
  readonly #options: SampleOptions
  /** Whether an invalid value is accepted where no valid one is found. */
  readonly #settles: boolean
  readonly #fitting: Fitting
  readonly #strings: StringWriter
  readonly #needsOf: NeedsOf
  readonly #chance: Chance
  /** The knowledge for the next run of the same schema. */
  readonly learnt: Learnt
  readonly #pinned: ReadonlyMap<string, Json>
  /** The amount of work at which this run ends. */
  readonly #end: number
  /** The path of the value that is being generated. */
  readonly #path: (string | number)[] = []
  /** The definitions around the value that is being generated. */
  readonly #inside = new Map<string, number>()

  constructor(fitting: Fitting, strings: StringWriter, needsOf: NeedsOf, options: SampleOptions & Terms) {
    this.#options = options
    this.#end = fitting.work + options.limit
    this.#settles = options.settles === true
    this.learnt = new Map(options.learnt)
    this.#pinned = pinnedValues(options.pins)
    this.#needsOf = needsOf
    this.#fitting = fitting
    this.#strings = strings
    this.#chance = new Chance(options.seed)
  }

  /**
   * Returns a value that is valid for all of the schemas; `undefined` if none was found.
   *
   * @param budget the maximum number of values; below one, only required ones
   */
  write(schemas: readonly unknown[], budget: number): Json | undefined {
    try {
      return this.#value(schemas, this.#options.name, budget)
    } catch (error) {
      if (error !== DEAD_END && error !== EXHAUSTED) throw error
      return undefined
    }
  }

  /** @param turn the index of the way to begin with: another turn gives another value */
  #value(schemas: readonly unknown[], name: string | undefined, budget: number, turn = 0): Json {
    if (this.#path.length > DEEPEST) throw DEAD_END
    const fits = (value: Json) => this.#fitting.fitsAll(schemas, value)
    // The result for one item of a list holds for the next one.
    const learnt = schemas.length === 1 ? this.learnt.get(schemas[0]) : undefined
    let misses = learnt?.misses ?? 0
    let ways = 4
    let best: Json | undefined
    const gaps = this.gaps.length
    for (let attempt = 0; attempt < ways; attempt++) {
      if (this.#fitting.work > this.#end) {
        if (!this.#settles) throw EXHAUSTED
        // Generate required parts only, by the first way only; at the last level, nothing.
        if (attempt > 0 || this.#fitting.work > this.#end + BEYOND) break
        budget = 0
      }
      this.gaps.length = gaps
      // The number of the attempt determines the branch of each union, and its remainder how the rest is built.
      let code = attempt + turn + (learnt?.attempt ?? 0)
      let unions = 1
      const facets = this.#facetsOf(schemas, branches => {
        const order = this.#ordered(branches)
        const chosen = order[code % order.length]
        code = Math.floor(code / order.length)
        unions *= order.length
        return chosen
      })
      this.#fitting.work += ATTEMPT * (1 + facets.schemas.length)
      if (attempt === 0) {
        ways = Math.min(48, Math.max(unions * 3, facets.doubtful ? 16 : 4))
        if (this.#settles) ways = Math.min(ways, FEW)
      }
      if (!facets.possible || facets.types.length === 0 || this.#isInnermost(facets)) continue
      // Later attempts have fewer optional parts.
      const made = this.#attempt(facets, name, attempt === 0 ? budget : Math.min(budget, 12), code)
      if (made === undefined) continue
      if (!facets.doubtful) return made
      let value = fits(made) ? made : undefined
      if (value === undefined) {
        best ??= made
        misses++
        // The last failed value is the smallest. A few failures show that no branch works without a change.
        if ((misses >= MISSES || attempt === ways - 1) && isObject(made))
          value = tellApart(made as JsonObject, schemas, this.#fitting, fits)
      }
      if (value === undefined) continue
      if (attempt > 0 && schemas.length === 1)
        this.learnt.set(schemas[0], { attempt, misses: Math.min(misses, MISSES - 1) })
      return value
    }
    this.#giveUp()
    const last = this.#facetsOf(schemas)
    if (this.gaps.length === gaps) this.#note(this.#isInnermost(last) ? WITHIN_ITSELF : last.whyImpossible)
    return best ?? this.#stopgapFor(last, name)
  }

  #facetsOf(schemas: readonly unknown[], pick?: (branches: readonly unknown[]) => unknown): Facets {
    return new Facets(schemas, this.#fitting.definitions, pick, this.#fitting.request)
  }

  #ordered(branches: readonly unknown[]): readonly unknown[] {
    const rankOf = (branch: unknown) => {
      if (denies(branch, this.#pinned, this.#fitting.definitions)) return 3
      return this.#circles([branch]) ? 2 : isObject(branch) && branch.type === 'null' ? 1 : 0
    }
    return orderBranches(branches, rankOf, this.#options.dynamic === true ? this.#chance : undefined)
  }

  /** Gives up, or records that the current part has no valid value. */
  #note(why: string, ...further: string[]): void {
    this.#giveUp()
    if (this.gaps.length >= MOST_GAPS) return
    const path = [...this.#path, ...further]
    if (!this.gaps.some(gap => gap.path.join('/') === path.join('/'))) this.gaps.push({ path, why })
  }

  /** Returns whether a value would be nested too often inside its own definition. */
  #isInnermost({ keys }: Facets): boolean {
    return [...keys].some(key => (this.#inside.get(key) ?? 0) >= INNERMOST)
  }

  /** Returns whether a value would have to contain another value of the same definition. */
  #circles(schemas: readonly unknown[]): boolean {
    for (const schema of schemas)
      for (const key of this.#needsOf(schema)) if ((this.#inside.get(key) ?? 0) > 0) return true
    return false
  }

  /** Ends this attempt, unless an invalid value is accepted. */
  #giveUp(): void {
    if (!this.#settles) throw DEAD_END
  }

  /** Returns what is made; `undefined` for a dead end. */
  #unlessDeadEnd<Made>(make: () => Made): Made | undefined {
    try {
      return make()
    } catch (error) {
      if (error === DEAD_END) return undefined
      throw error
    }
  }

  #attempt(facets: Facets, name: string | undefined, budget: number, variant: number): Json | undefined {
    for (const key of facets.keys) this.#inside.set(key, (this.#inside.get(key) ?? 0) + 1)
    try {
      return this.#unlessDeadEnd(() => this.#build(facets, name, budget, variant))
    } finally {
      for (const key of facets.keys) this.#inside.set(key, (this.#inside.get(key) as number) - 1)
    }
  }

  /** Returns a value inside the current one; `undefined` if none was found. */
  #member(
    key: string | number,
    schemas: readonly unknown[],
    name: string | undefined,
    budget: number,
    turn = 0,
  ): Json | undefined {
    this.#path.push(key)
    try {
      return this.#unlessDeadEnd(() => this.#value(schemas, name, budget, turn))
    } finally {
      this.#path.pop()
    }
  }

  #build(facets: Facets, name: string | undefined, budget: number, variant: number): Json | undefined {
    const fits = (value: Json) => this.#fitting.fitsAll(facets.schemas, value)
    const { choices, named, proposals, excluded } = facets
    const isNamed = (value: Json) => named === undefined || isListed(named, value)
    if (this.#options.dynamic !== true && variant === 0) {
      const proposed = proposals.find(value => isNamed(value) && fits(value))
      if (proposed !== undefined) return proposed
    }
    if (choices !== undefined) {
      const allowed = firstAllowed(choices, excluded, fits)
      const preferred = named === undefined ? [] : allowed.filter(isNamed)
      // Prefer other values to empty ones and `null`.
      const telling = preferred.length > 0 ? preferred : allowed.filter(value => value !== null && value !== '')
      const from = telling.length > 0 && variant < 4 ? telling : allowed
      return variant === 0 && from.length > 0 ? this.#chance.pick(from) : from[variant % from.length]
    }
    const branchName = variant < 2 ? named?.find(fits) : undefined
    if (branchName !== undefined) return branchName
    const type = typeOf(facets, variant)
    switch (type) {
      case 'object':
        return this.#object(facets, name, budget, variant)
      case 'array':
        return this.#array(facets, name, budget, variant)
      case 'string':
        return this.#jsonText(facets, name, budget) ?? this.#strings.write(facets, name, this.#chance)
      case 'integer':
      case 'number':
        return writeNumber(facets, type === 'integer', name, this.#chance)
      case 'boolean':
        return variant < 2 ? this.#chance.next() < 0.5 : variant % 2 === 0
      case 'null':
        return null
      default:
        return type satisfies never
    }
  }

  /** Returns a value of `contentSchema` as text; `undefined` if the content is not JSON or another keyword decides the text. */
  #jsonText({ schemas }: Facets, name: string | undefined, budget: number): string | undefined {
    const content = schemas.flatMap(({ contentSchema }) => contentSchema ?? [])
    const isJson = ({ contentMediaType: type }: SchemaObject) => typeof type !== 'string' || /\bjson\b/.test(type)
    if (content.length === 0 || !schemas.every(isJson)) return undefined
    const text = stringifyJson(this.#value(content, name, budget))
    return this.#fitting.fitsAll(schemas, text) ? text : undefined
  }

  /** Returns the best value for a schema without valid ones: a value of its type. */
  #stopgapFor({ choices, schemas, types }: Facets, name: string | undefined): Json {
    const listed = [choices, ...schemas.map(schema => schema.enum)].find(list => listOf(list).length > 0)
    if (listed !== undefined) return listOf(listed)[0] as Json
    const stated = schemas.flatMap(({ type }) => type ?? [])
    const type = (types.length < 7 ? types[0] : undefined) ?? (stated[0] as Type | undefined)
    if (type === 'string') return writeFor(name, this.#chance)
    if (type === 'integer' || type === 'number') return this.#chance.between(1, 100)
    return type === 'object' ? {} : type === 'array' ? [] : type === 'boolean' ? true : null
  }

  #array(facets: Facets, name: string | undefined, budget: number, variant: number): Json {
    const { schemas, unique, minItems } = facets
    if (minItems > LONGEST) this.#giveUp()
    const prefix = Math.max(0, ...schemas.map(({ prefixItems }) => listOf(prefixItems).length))
    const schemasAt = (index: number) =>
      schemas
        .map(({ prefixItems, items }) => (index < listOf(prefixItems).length ? listOf(prefixItems)[index] : items))
        .filter(schema => schema !== undefined)
    const contained = schemas.filter(({ contains }) => contains !== undefined)
    const sought = contained.flatMap(({ contains, minContains = 1 }) =>
      Array.from({ length: Math.min(Number(minContains), LONGEST) }, () => contains),
    )
    const unsought = contained.filter(one => one.maxContains !== undefined).map(({ contains }) => ({ not: contains }))
    const start = [prefix, 0, Math.max(0, prefix - sought.length)][variant % 3] as number
    const least = Math.max(minItems, sought.length > 0 ? start + sought.length : 0)
    const asked = this.#path.some(key => typeof key === 'number') ? undefined : this.#options.items
    const ample = budget >= 1 && variant % 4 !== 1 && !this.#circles(schemasAt(prefix))
    const usual = prefix > 0 ? prefix : schemasAt(0).length > 0 ? 2 : 0
    const length = asked ?? (ample ? usual : Math.min(prefix, minItems))
    const want = Math.min(facets.maxItems, Math.max(least, length), LONGEST)
    // As many optional parts as each item of a usual list has.
    const [parts, shares] = asked === undefined ? [want, Math.max(1, want)] : [2, 2]
    const share = (budget - parts) / shares
    const singular = name?.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
    const out: Json[] = []
    const texts = new Set<string>()
    for (let index = 0; index < want; index++) {
      const seek = sought[index - start]
      // A very long list without `uniqueItems` repeats its items.
      if (!unique && index >= prefix && index > 100 && seek === undefined) {
        out.push(out[Math.max(prefix, index - 100)] as Json)
        continue
      }
      const all = [...schemasAt(index), ...(seek === undefined ? unsought : [seek])]
      let item: Json | undefined
      for (let turn = 0; turn < (unique ? 12 : 1) && item === undefined; turn++) {
        item = this.#member(index, all, singular, share, turn === 0 ? 0 : turn + index)
        if (unique && texts.has(JSON.stringify(item))) item = undefined
      }
      if (item === undefined) {
        if (out.length < least) this.#giveUp()
        break
      }
      const text = JSON.stringify(item)
      // Avoid examples with duplicate items.
      if (texts.has(text) && index >= Math.max(unique ? least : (asked ?? least), prefix)) break
      texts.add(text)
      out.push(item)
    }
    if (out.length < minItems) this.#giveUp()
    return out
  }

  /** Chooses the properties of an object and their order, and invents names for further ones. */
  #object(facets: Facets, owner: string | undefined, budget: number, variant: number): Json {
    const { required, forbidden, minProperties, maxProperties } = facets
    const declared = new Set<string>()
    const gather = () => {
      for (const { properties } of facets.schemas)
        for (const key of Object.keys(objectOf(properties))) declared.add(key)
      for (const key of required) declared.add(key)
    }
    gather()
    const schemasOf = (key: string) => facets.schemas.flatMap(schema => propertySchemas(schema, key))
    const chosen = new Map<string, readonly unknown[]>()
    const choose = (key: string, must = false): void => {
      if (chosen.has(key)) return
      const schemas = schemasOf(key)
      if (!schemas.includes(false) && !forbidden.has(key)) chosen.set(key, schemas)
      else if (must) this.#note('is required but not allowed', key)
    }
    for (let round = 0; round < 8; round++) {
      const before = chosen.size
      for (const key of [...declared].filter(one => required.has(one))) choose(key, true)
      for (const schema of facets.schemas) {
        for (const [key, others] of entriesOf(schema.dependentRequired))
          if (chosen.has(key)) for (const other of listOf(others)) required.add(String(other))
        for (const [key, part] of entriesOf(schema.dependentSchemas)) if (chosen.has(key)) facets.add(part)
      }
      gather()
      if (round === 0 && variant % 4 !== 1 && budget >= 1) {
        for (const key of declared) {
          if (chosen.size >= maxProperties) break
          if (variant % 4 > 1 && this.#chance.next() < 0.5) continue
          const schemas = schemasOf(key)
          if (!schemas.some(schema => this.#fitting.isHidden(schema)) && !this.#circles(schemas)) choose(key)
        }
      } else if (chosen.size === before) break
    }
    const usual = declared.size > 0 || budget < 1 ? 0 : this.#entriesOfMap(facets)
    const wanted = Math.min(LONGEST, Math.max(minProperties, usual))
    for (let i = 0; chosen.size < Math.min(wanted, maxProperties) && i < wanted * 4 + 8; i++) {
      const key = i < declared.size && minProperties > 0 ? [...declared][i] : this.#newKey(facets, i)
      if (key === undefined) continue
      // If the pattern is not anchored at its end, a word is appended to make the name unique.
      choose(chosen.has(key) ? `${key}${word(this.#chance)}` : key)
    }
    if (chosen.size < minProperties || chosen.size > maxProperties) this.#giveUp()
    const order = new Set([...[...declared].filter(key => chosen.has(key)), ...chosen.keys()])
    const share = (budget - order.size) / Math.max(1, order.size)
    const out = new Map<string, Json>()
    for (const key of order) {
      // A property `name` is generated for the object that contains it: an author's name is a person's.
      const name = key === 'name' && owner !== undefined ? `${owner} name` : key
      const value = this.#member(key, chosen.get(key) as unknown[], name, share)
      if (value !== undefined) out.set(key, value)
      // An optional property without a valid value is omitted.
      else if (required.has(key)) this.#note(WITHIN_ITSELF, key)
    }
    if (out.size < minProperties) this.#giveUp()
    return orderProperties(out, chosen, this.#fitting)
  }

  /** The number of entries of a map: an object with a schema for its values and no declared properties. */
  #entriesOfMap({ schemas }: Facets): number {
    const values = schemas.flatMap(({ additionalProperties, patternProperties }) => [
      ...(entriesOf(additionalProperties).length > 0 ? [additionalProperties] : []),
      ...Object.values(objectOf(patternProperties)),
    ])
    return values.length === 0 || this.#circles(values) ? 0 : 2
  }

  /** Invents a name for another property. */
  #newKey({ schemas }: Facets, turn: number): string | undefined {
    const names = schemas.flatMap(({ propertyNames }) => propertyNames ?? [])
    const patterns = schemas.flatMap(({ patternProperties }) => Object.keys(objectOf(patternProperties)))
    if (names.length === 0 && (patterns.length === 0 || turn % 2 !== 0))
      return `${word(this.#chance)}${turn < 6 ? '' : turn}`
    const pattern = names.length > 0 ? [] : [{ pattern: patterns[(turn >> 1) % patterns.length] }]
    const all = [{ type: 'string' }, ...names, ...pattern]
    return this.#unlessDeadEnd(() => String(this.#value(all, undefined, 0, turn)))
  }
}
