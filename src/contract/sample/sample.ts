// A value for a schema: generated, valid, readable, of bounded size, and the same for the same chance. What cannot be
// got right at once is tried again another way, a bounded number of times. Knows JSON Schema, and no OpenAPI.

import { approximate, holdsBigInt, type Json } from '../../kernel/json.ts'
import { DEAD_END, EXHAUSTED } from './dead-end.ts'
import { Facets } from './facets.ts'
import { type Definitions, entries, Fitting } from './fits.ts'
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
      const facets = new Facets(this.#definitions, branches => branches[0])
      facets.add({ $ref: `#/$defs/${key}` })
      const all = facets.schemas.flatMap(({ properties }) => entries(properties))
      const hidden = all.filter(([, schema]) => this.#fitting.isMarked(schema, 'writeOnly')).map(([name]) => name)
      names = new Set(all.map(([name]) => name).filter(name => !hidden.includes(name)))
      this.#declared.set(key, names)
    }
    return names
  }

  /** A value for the schema kept under `key`. */
  sample(key: string, options: SampleOptions): Sample {
    return (
      (options.sent === undefined ? undefined : this.#repeat(key, options.sent, options)) ?? this.#make(key, options)
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

  #make(key: string, options: SampleOptions): Sample {
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
