// A value for a schema: generated, valid, readable, of bounded size, and the same for the same chance. What cannot be
// got right at once is tried again another way, a bounded number of times. Knows JSON Schema, and no OpenAPI.

import { approximate, holdsBigInt, isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { Chance } from './chance.ts'
import { Facets, type Type } from './facets.ts'
import { type Definitions, Fitting, propertySchemas, type SchemaObject } from './fits.ts'
import { Needs } from './needs.ts'
import { writeNumber } from './numbers.ts'
import { StringWriter } from './strings.ts'
import { word } from './words.ts'

export interface SampleOptions {
  /** Any integer: the same one, the same value. */
  readonly seed: number
  /** Whether to make everything up, rather than to take what the schema proposes: examples and defaults. */
  readonly dynamic?: boolean
  /** What the value is for, as far as its name tells. */
  readonly name?: string
}

export interface Sample {
  readonly value: Json
  /** Whether the value fits; one that does not is the best that could be found. */
  readonly fits: boolean
}

/** How many values a body may have before it is kept to what is required. */
const AMPLE = 400
/** How many values may be tried for one body. */
const TRIALS = 2000
/** How deep a value may go, and how often within itself, before a way in is given up. */
const DEEPEST = 48
const INNERMOST = 3
/** How often a value may miss before it is made odd on purpose. */
const MISSES = 3
/** The longest list, whatever `minItems` asks for. */
const LONGEST = 10_000

// Thrown ten thousand times where a schema is hard, so they are made once: what costs is the stack trace.
/** No value was found here, this way. */
const DEAD_END = new Error('no value was found')
/** None will be: there were enough trials. */
const EXHAUSTED = new Error('no value was found in time')

/** Makes values for the schemas of one set of definitions. */
export class Sampler {
  readonly #definitions: Definitions
  readonly #fitting: Fitting
  readonly #strings: StringWriter
  readonly #needs: Needs
  readonly #declared = new Map<string, ReadonlySet<string>>()

  constructor(definitions: Definitions) {
    this.#definitions = definitions
    this.#needs = new Needs(definitions)
    this.#fitting = new Fitting(definitions)
    this.#strings = new StringWriter(this.#fitting)
  }

  /** Whether a value fits the schema kept under `key`. */
  fits(key: string, value: Json): boolean {
    return this.#fitting.fits({ $ref: `#/$defs/${key}` }, holdsBigInt(value) ? approximate(value) : value)
  }

  /** The properties that a schema knows, and that a reply may have. */
  declared(key: string): ReadonlySet<string> {
    let names = this.#declared.get(key)
    if (names === undefined) {
      const facets = new Facets(this.#definitions, branches => branches[0])
      facets.add({ $ref: `#/$defs/${key}` })
      const all = facets.schemas.flatMap(({ properties }) => Object.entries(objectOf(properties)))
      const hidden = all.filter(([, schema]) => this.#fitting.isWriteOnly(schema)).map(([name]) => name)
      names = new Set(all.map(([name]) => name).filter(name => !hidden.includes(name)))
      this.#declared.set(key, names)
    }
    return names
  }

  /** A value for the schema kept under `key`. */
  sample(key: string, options: SampleOptions): Sample {
    const schema = { $ref: `#/$defs/${key}` }
    let best: Json | undefined
    // A body that takes too long is tried again with less in it.
    for (const budget of [AMPLE, 40, 0]) {
      const run = new Run(this.#definitions, this.#fitting, this.#strings, this.#needs, options)
      try {
        return { value: run.value([schema], options.name, budget, 0), fits: true }
      } catch (error) {
        if (error !== DEAD_END && error !== EXHAUSTED) throw error
        best ??= run.best
        if (error === DEAD_END) break
      }
    }
    return { value: best ?? null, fits: false }
  }
}

/** One body in the making. */
class Run {
  /** The nearest miss at the top. */
  best: Json | undefined = undefined
  readonly #definitions: Definitions
  readonly #fitting: Fitting
  readonly #strings: StringWriter
  readonly #needs: Needs
  readonly #chance: Chance
  readonly #dynamic: boolean
  /** The definitions that the value being made is inside of. */
  readonly #inside = new Map<string, number>()
  /** For a schema that took more than one attempt: the one that did, and how many missed before it. */
  readonly #learnt = new Map<unknown, { readonly attempt: number; readonly misses: number }>()
  #trials = 0

  constructor(
    definitions: Definitions,
    fitting: Fitting,
    strings: StringWriter,
    needs: Needs,
    { seed, dynamic }: SampleOptions,
  ) {
    this.#needs = needs
    this.#definitions = definitions
    this.#fitting = fitting
    this.#strings = strings
    this.#chance = new Chance(seed)
    this.#dynamic = dynamic === true
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
    const fits = (value: Json) => schemas.every(schema => this.#fitting.fits(schema, value))
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
        const mended = isObject(value) ? this.#tellApart(value as JsonObject, schemas, fits) : undefined
        if (mended !== undefined) {
          learn()
          return mended
        }
      }
    }
    throw DEAD_END
  }

  /**
   * An object that fits several branches where it may fit one: with a property that only one of them allows as it is.
   * Branches that require nothing, and close nothing, cannot be told apart in any other way.
   */
  #tellApart(value: JsonObject, schemas: readonly unknown[], fits: (value: Json) => boolean): Json | undefined {
    let count = 0
    const known = new Map<string, unknown[]>()
    const gather = (branch: unknown): void => {
      count += 1
      const inside = new Facets(this.#definitions, branches => branches[0])
      inside.add(branch)
      for (const { properties } of inside.schemas) {
        for (const [name, schema] of Object.entries(objectOf(properties)))
          known.set(name, [...(known.get(name) ?? []), schema])
      }
    }
    const facets = new Facets(this.#definitions, branches => {
      if (branches.length > 1) branches.forEach(gather)
      return branches[0]
    })
    for (const schema of schemas) facets.add(schema)
    for (const [name, declared] of known) {
      for (const odd of ODDITIES) {
        const refused = declared.filter(schema => !this.#fitting.fits(schema, odd)).length
        // Odd to some of the branches, and not to all of them.
        if (refused === 0 || refused === count) continue
        const next = { ...value, [name]: odd }
        if (fits(next)) return next
      }
    }
    return undefined
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

  /** In the order of the document, but `null` after values, and what would begin a circle last of all. */
  #orderOf(branches: readonly unknown[]): readonly unknown[] {
    const rank = (branch: unknown) => (this.#circles([branch]) ? 2 : isNull(branch) ? 1 : 0)
    if (branches.length < 2) return branches
    const ranks = branches.map(rank)
    const order = [0, 1, 2].flatMap(wanted => branches.filter((_, i) => ranks[i] === wanted))
    if (!this.#dynamic) return order
    const values = order.slice(0, ranks.filter(one => one === 0).length)
    const shift = values.length === 0 ? 0 : this.#chance.between(0, values.length - 1)
    return [...values.slice(shift), ...values.slice(0, shift), ...order.slice(values.length)]
  }

  /** Whether a value for these would have to lie within another value for the same definition. */
  #circles(schemas: readonly unknown[]): boolean {
    for (const schema of schemas) {
      for (const key of this.#needs.of(schema)) if ((this.#inside.get(key) ?? 0) > 0) return true
    }
    return false
  }

  #build(facets: Facets, name: string | undefined, budget: number, depth: number, variant: number): Json | undefined {
    const fits = (value: Json) => facets.schemas.every(schema => this.#fitting.fits(schema, value))
    if (facets.choices !== undefined) {
      const choices = facets.choices.filter(value => !facets.excluded.includes(value) && fits(value))
      // An empty choice, and `null`, say little where there is something else to say.
      const telling = choices.filter(value => value !== null && value !== '')
      const from = telling.length > 0 && variant < 4 ? telling : choices
      if (from.length === 0) return undefined
      return variant === 0 ? this.#chance.pick(from) : from[variant % from.length]
    }
    if (!this.#dynamic && variant === 0) {
      const proposed = facets.proposals.find(value => value !== null && fits(value))
      if (proposed !== undefined) return proposed
    }
    const type = this.#typeOf(facets, variant)
    switch (type) {
      case 'object':
        return this.#object(facets, name, budget, depth, variant)
      case 'array':
        return this.#array(facets, name, budget, depth, variant)
      case 'string':
        return this.#strings.write(facets, name, this.#chance)
      case 'integer':
      case 'number':
        return writeNumber(facets, type === 'integer', name, this.#chance, this.#fitting)
      case 'boolean':
        return variant < 2 ? this.#chance.next() < 0.5 : variant % 2 === 0
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

  #object(facets: Facets, owner: string | undefined, budget: number, depth: number, variant: number): Json {
    const { required, forbidden, maxProperties } = facets
    const declared = new Set<string>()
    const gather = () => {
      for (const { properties } of facets.schemas)
        if (isObject(properties)) for (const key in properties) declared.add(key)
      for (const key of required) declared.add(key)
    }
    gather()
    const schemasOf = (key: string) => facets.schemas.flatMap(schema => propertySchemas(schema, key))
    const chosen = new Map<string, readonly unknown[]>()
    const choose = (key: string, must: boolean): boolean => {
      if (chosen.has(key)) return true
      const schemas = schemasOf(key)
      if (schemas.includes(false) || forbidden.has(key)) {
        if (must) throw DEAD_END
        return false
      }
      chosen.set(key, schemas)
      return true
    }
    for (let round = 0; round < 8; round++) {
      const before = chosen.size
      for (const key of [...declared].filter(one => required.has(one))) choose(key, true)
      for (const schema of facets.schemas) {
        for (const [key, others] of Object.entries(objectOf(schema.dependentRequired))) {
          if (chosen.has(key) && Array.isArray(others)) for (const other of others) required.add(String(other))
        }
        for (const [key, part] of Object.entries(objectOf(schema.dependentSchemas)))
          if (chosen.has(key)) facets.add(part)
      }
      gather()
      if (round === 0 && variant % 4 !== 1 && budget >= 1) {
        for (const key of declared) {
          if (chosen.size >= maxProperties) break
          if (variant % 4 > 1 && this.#chance.next() < 0.5) continue
          const schemas = schemasOf(key)
          if (schemas.some(schema => this.#fitting.isWriteOnly(schema)) || this.#circles(schemas)) continue
          choose(key, false)
        }
      } else if (chosen.size === before) break
    }
    const wanted = Math.max(facets.minProperties, this.#entriesOf(facets, declared, budget))
    for (let i = 0; chosen.size < Math.min(wanted, maxProperties) && i < wanted * 4 + 8; i++) {
      const key = i < declared.size && facets.minProperties > 0 ? [...declared][i] : this.#key(facets, i, depth)
      if (key === undefined) continue
      // What need not end where its pattern does is told apart by a word.
      choose(chosen.has(key) ? `${key}${word(this.#chance)}` : key, false)
    }
    if (chosen.size < facets.minProperties || chosen.size > maxProperties) throw DEAD_END
    const order = [
      ...[...declared].filter(key => chosen.has(key)),
      ...[...chosen.keys()].filter(key => !declared.has(key)),
    ]
    const share = (budget - order.length) / Math.max(1, order.length)
    const out: [string, Json][] = []
    for (const key of order) {
      try {
        // A name is read as the name of what it is in: an author's is a person's.
        const name = key === 'name' && owner !== undefined ? `${owner} name` : key
        out.push([key, this.value(chosen.get(key) as unknown[], name, share, depth + 1)])
      } catch (error) {
        // What may be absent, and cannot be had, is left out.
        if (error !== DEAD_END || required.has(key)) throw error
      }
    }
    if (out.length < facets.minProperties) throw DEAD_END
    // `fromEntries` defines properties and never assigns them, so that `__proto__` is a name like any other.
    return Object.fromEntries(out) as JsonObject
  }

  /** How many entries a map gets: an object that declares nothing, and says what its values are. */
  #entriesOf({ schemas }: Facets, declared: ReadonlySet<string>, budget: number): number {
    if (declared.size > 0 || budget < 1) return 0
    const values = schemas.flatMap(({ additionalProperties, patternProperties }) => [
      ...(isObject(additionalProperties) && Object.keys(additionalProperties).length > 0 ? [additionalProperties] : []),
      ...Object.values(objectOf(patternProperties)),
    ])
    return values.length === 0 || this.#circles(values) ? 0 : 2
  }

  /** A name for one more property. */
  #key({ schemas }: Facets, turn: number, depth: number): string | undefined {
    const names = schemas.flatMap(({ propertyNames }) => (propertyNames === undefined ? [] : [propertyNames]))
    const patterns = schemas.flatMap(({ patternProperties }) => Object.keys(objectOf(patternProperties)))
    if (names.length > 0 || (patterns.length > 0 && turn % 2 === 0)) {
      const pattern = names.length > 0 ? [] : [{ pattern: patterns[(turn >> 1) % patterns.length] }]
      try {
        return String(this.value([{ type: 'string' }, ...names, ...pattern], undefined, 0, depth + 1, turn))
      } catch (error) {
        if (error === DEAD_END) return undefined
        throw error
      }
    }
    return turn < 6 ? word(this.#chance) : `${word(this.#chance)}${turn}`
  }

  #array(facets: Facets, name: string | undefined, budget: number, depth: number, variant: number): Json {
    const { schemas, unique } = facets
    const prefix = Math.max(
      0,
      ...schemas.map(({ prefixItems }) => (Array.isArray(prefixItems) ? prefixItems.length : 0)),
    )
    const schemasAt = (index: number) =>
      schemas.flatMap(({ prefixItems, items }) => {
        if (Array.isArray(prefixItems) && index < prefixItems.length) return [prefixItems[index]]
        return items === undefined ? [] : [items]
      })
    const contained = schemas.filter(({ contains }) => contains !== undefined)
    const sought = contained.flatMap(({ contains, minContains = 1 }) =>
      Array.from({ length: Math.min(Number(minContains), LONGEST) }, () => contains),
    )
    const unsought = contained.filter(one => one.maxContains !== undefined).map(({ contains }) => ({ not: contains }))
    const start = [prefix, 0, Math.max(0, prefix - sought.length)][variant % 3] as number
    const least = Math.max(facets.minItems, sought.length > 0 ? start + sought.length : 0)
    const ample = budget >= 1 && variant % 4 !== 1 && !this.#circles(schemasAt(prefix))
    const usual = prefix > 0 ? prefix : schemasAt(0).length > 0 ? 2 : 0
    const want = Math.min(facets.maxItems, Math.max(least, ample ? usual : Math.min(prefix, facets.minItems)), LONGEST)
    const share = (budget - want) / Math.max(1, want)
    const singular = name?.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
    const out: Json[] = []
    const texts = new Set<string>()
    for (let index = 0; index < want; index++) {
      const inside = schemasAt(index)
      const seek = sought[index - start]
      const all = seek === undefined ? [...inside, ...unsought] : [...inside, seek]
      // A very long list of things that need not differ repeats itself.
      if (!unique && index >= prefix && index > 100 && seek === undefined) {
        out.push(out[index - 1] as Json)
        continue
      }
      const item = this.#item(all, singular, share, depth, unique ? texts : undefined, index)
      if (item === undefined) {
        if (out.length >= least) break
        throw DEAD_END
      }
      const text = JSON.stringify(item)
      // Nobody asked for the same thing twice.
      if (texts.has(text) && index >= Math.max(least, prefix)) break
      texts.add(text)
      out.push(item)
    }
    if (out.length < facets.minItems) throw DEAD_END
    return out
  }

  #item(
    schemas: readonly unknown[],
    name: string | undefined,
    budget: number,
    depth: number,
    taken: ReadonlySet<string> | undefined,
    index: number,
  ): Json | undefined {
    for (let turn = 0; turn < (taken === undefined ? 1 : 12); turn++) {
      try {
        const item = this.value(schemas, name, budget, depth + 1, turn === 0 ? 0 : turn + index)
        if (taken === undefined || !taken.has(JSON.stringify(item))) return item
      } catch (error) {
        if (error !== DEAD_END) throw error
      }
    }
    return undefined
  }
}

/** One value of each type. */
const ODDITIES: readonly Json[] = ['none', 1, true, null, [], {}]

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

const objectOf = (value: unknown): SchemaObject => (isObject(value) ? value : {})
const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null'
