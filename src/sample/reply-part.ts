// A part of a value in a reply, as its schemas describe it: the properties that it may have, and the parts inside it.

import { approximate, holdsExact, type Json } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { entriesOf } from '../kernel/schema/schema.ts'
import { Facets } from './facets.ts'
import type { Fitting } from './fits.ts'
import { schemasWithin } from './schema-parts.ts'
import type { Sample, SampleOptions } from './terms.ts'

type SampleAll = (schemas: readonly unknown[], options: SampleOptions) => Sample

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
