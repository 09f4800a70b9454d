// A value for a schema: generated, valid, readable, of bounded size, and the same for the same chance. What cannot be
// got right at once is tried again another way, a bounded number of times. Knows JSON Schema, and no OpenAPI.

import { approximate, holdsBigInt, isObject, type Json } from '../../kernel/json.ts'
import { DEAD_END, EXHAUSTED } from './dead-end.ts'
import { Facets } from './facets.ts'
import { type Definitions, entries, Fitting, keyOf, propertySchemas } from './fits.ts'
import { Needs } from './needs.ts'
import { type Fork, forkOf, pinsOf, wrappedForks, wrappedPins } from './pins.ts'
import { Run, type SampleOptions } from './run.ts'
import { StringWriter } from './strings.ts'

export interface Sample {
  readonly value: Json
  /** Whether the value fits; one that does not is the best that could be found. */
  readonly fits: boolean
}

/** Where the branches of unions are that a sample may take after a value that was sent. */
interface Forks {
  readonly own: Fork | undefined
  readonly wrapped: readonly (readonly [string, Fork])[]
}

/** How many values a body may have before it is kept to what is required. */
const AMPLE = 400
/** Makes values for the schemas of one set of definitions. */
export class Sampler {
  readonly #definitions: Definitions
  readonly #fitting: Fitting
  readonly #strings: StringWriter
  readonly #needs: Needs
  readonly #declared = new Map<string, ReadonlySet<string>>()
  readonly #forks = new Map<string, Forks>()

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
      const all = this.facets(key).schemas.flatMap(({ properties }) => entries(properties))
      const hidden = all.filter(([, schema]) => this.#fitting.isMarked(schema, 'writeOnly')).map(([name]) => name)
      names = new Set(all.map(([name]) => name).filter(name => !hidden.includes(name)))
      this.#declared.set(key, names)
    }
    return names
  }

  /** What the schema kept under `key` says of a value, with the first branch of each union. */
  facets(key: string): Facets {
    return this.facetsOf([{ $ref: `#/$defs/${key}` }])
  }

  /** What all of the schemas say of a value. */
  facetsOf(schemas: readonly unknown[]): Facets {
    const facets = new Facets(this.#definitions, branches => branches[0])
    for (const schema of schemas) facets.add(schema)
    return facets
  }

  /** Whether the schema kept under `key` carries a mark. */
  isMarked(key: string, mark: 'readOnly' | 'writeOnly'): boolean {
    return this.#fitting.isMarked({ $ref: `#/$defs/${key}` }, mark)
  }

  /** What the schema kept under `key` says of the value at a place within: from all branches of its unions. */
  within(key: string, path: readonly string[]): readonly unknown[] {
    return path.reduce<unknown[]>((schemas, step) => this.#inside(schemas, step), [{ $ref: `#/$defs/${key}` }])
  }

  #inside(schemas: readonly unknown[], step: string): unknown[] {
    const found: unknown[] = []
    const seen = new Set<unknown>()
    const visit = (schema: unknown): void => {
      if (!isObject(schema) || seen.has(schema)) return
      seen.add(schema)
      const { $ref, allOf, anyOf, oneOf, items, prefixItems } = schema
      if (typeof $ref === 'string') visit(this.#definitions[keyOf($ref)])
      found.push(...propertySchemas(schema, step))
      if (/^\d+$/.test(step)) {
        const place = Array.isArray(prefixItems) ? prefixItems[Number(step)] : undefined
        if (place !== undefined || items !== undefined) found.push(place ?? items)
      }
      // Of alternatives, the first that knows the property is as good as any: the whole is checked afterwards.
      for (const parts of [allOf, anyOf, oneOf]) {
        for (const part of Array.isArray(parts) ? parts : []) {
          if (parts !== allOf && found.length > 0) break
          visit(part)
        }
      }
    }
    schemas.forEach(visit)
    return found.filter(isObject)
  }

  /** A value for the schema kept under `key`. */
  sample(key: string, options: SampleOptions): Sample {
    return (
      (options.sent === undefined ? undefined : this.#repeat(key, options.sent, options)) ??
      this.sampleAll([{ $ref: `#/$defs/${key}` }], options)
    )
  }

  /** A value that takes the branches that a sent one took; `undefined` where the schema has none, or none fits. */
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
      const run = new Run(this.#definitions, this.#fitting, this.#strings, this.#needs, options, pins)
      try {
        return { value: run.value([pins, { $ref: `#/$defs/${key}` }], options.name, 40, 0), fits: true }
      } catch (error) {
        if (error !== DEAD_END && error !== EXHAUSTED) throw error
      }
    }
    return undefined
  }

  /** A value that fits all of the schemas. */
  sampleAll(schemas: readonly unknown[], options: SampleOptions): Sample {
    let best: Json | undefined
    // A body that takes too long is tried again with less in it.
    for (const budget of [options.budget ?? AMPLE, 40, 0]) {
      const run = new Run(this.#definitions, this.#fitting, this.#strings, this.#needs, options)
      try {
        return { value: run.value(schemas, options.name, budget, 0), fits: true }
      } catch (error) {
        if (error !== DEAD_END && error !== EXHAUSTED) throw error
        best ??= run.best
        if (error === DEAD_END) break
      }
    }
    return { value: best ?? null, fits: false }
  }
}
