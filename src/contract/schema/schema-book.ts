// All the schemas of a contract. Each is translated once and compiled on first use: a document may have thousands, and most
// requests use few of them.

import { holdsExact, type Json } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { isKnownFormat, type Side } from '../../kernel/schema/keywords.ts'
import { type Check, type Schema, Schemas } from '../../kernel/schema/schema.ts'
import type { Violations } from '../../kernel/schema/violations.ts'
import { Fitting } from '../../sample/fits.ts'
import { Sampler } from '../../sample/sample.ts'
import type { Sample, SampleOptions } from '../../sample/terms.ts'
import { componentOf, type Documents, identityOf, isReference, type Node, nameElsewhere } from '../documents.ts'
import { forValidator, type Unions } from './discriminator.ts'
import { Pruning, type Shape, type SideMark, shapeOf, typesOf } from './shape.ts'
import { type Reference, type SchemaContext, type SchemaMark, Translation } from './translate.ts'

/** The number of comparisons of a value with its schema, some milliseconds, before the schema is compiled instead. */
const MOST_COMPARISONS = 5000
/** From this size on, a schema and a value are walked instead of compiling the schema: for the first values. */
const LARGE = 40
/** The number of values that are walked: compiling pays off for more. */
const PATIENCE = 50
/** From this size on, compiling takes more than 40 ms, up to half a second, and every value is walked. */
const HUGE = 200

/** The maximum number of schemas that one value is compared with: some 20 ms. A public document has a few thousand. */
const MOST_WAYS = 100_000
/** The maximum length of a chain of such references: compiling one of them goes through all that follow. */
const LONGEST_CHAIN = 32

interface SchemaEntry {
  readonly node: Node
  readonly context: SchemaContext
  references: readonly (Reference & { readonly to: string })[]
  /** For the validator's form of the schema, if it differs. */
  unions: Unions | undefined
  /** The number of its objects and lists, once counted. */
  size: number | undefined
  /** In how many ways it compares a value by references to others; 0 while they are counted. */
  ways: number | undefined
  /** The length of the longest chain of such references. */
  chain: number
}

export class SchemaBook {
  readonly documents: Documents
  /** The schemas in the validator's dialect, annotations kept. */
  readonly definitions: Record<string, Schema> = {}
  readonly marks = new Set<SchemaMark>()
  /** The schemas in other files that references lead to, by identity. */
  readonly elsewhere = new Map<string, Node>()
  readonly prunings: Readonly<Record<SideMark, Pruning>>
  readonly sampler = new Sampler(this.definitions)
  /** Whether every value is walked before a schema is compiled. */
  walks = false
  readonly #entries = new Map<string, SchemaEntry>()
  readonly #keys = new Map<string, string>()
  readonly #uses = new Map<string, SchemaUse>()
  readonly #formats = new Set<string>()
  /** The formats that values are not checked against, and where each was met first. */
  readonly unknownFormats = new Map<string, Node>()
  /** The validator, and the schemas that it has. */
  readonly #schemas = new Schemas()
  readonly #given = new Set<string>()

  constructor(documents: Documents) {
    this.documents = documents
    this.prunings = { readOnly: new Pruning(documents, 'readOnly'), writeOnly: new Pruning(documents, 'writeOnly') }
  }

  /** The number of schemas in use, without those that are only a reference to another. */
  get size(): number {
    return this.nodes.filter(node => !isReference(node)).length
  }

  /** The schemas in use: those that are used by name or place, and those that they refer to. */
  get nodes(): readonly Node[] {
    return [...this.#entries.values()].map(({ node }) => node)
  }

  use(node: Node, side: Side = 'reply'): SchemaUse {
    return getOrMake(
      this.#uses,
      `${side} ${identityOf(node)}`,
      () => new SchemaUse(node, this.translate(node), side, this),
    )
  }

  /** Translates the schema at a node and all that it refers to; returns its key. */
  translate(node: Node): string {
    const pending: string[] = []
    const key = this.#keyOf(node, { scope: this.documents.dynamicAnchors(node), base: false, opened: false }, pending)
    const fresh: string[] = []
    // Iterative, not recursive: a chain of references may be longer than the stack.
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      this.#translate(next, pending)
      fresh.push(next)
    }
    for (const one of fresh.reverse()) this.#bound(one)
    return key
  }

  /**
   * Runs `work`. Meanwhile a value is compared with its schema by walking both, and the schema is compiled only for a value
   * that does not fit. Compiling pays off after some hundred values, and an inference is tried with a few of each schema.
   */
  async walking<Result>(work: () => Promise<Result>): Promise<Result> {
    this.walks = true
    try {
      return await work()
    } finally {
      this.walks = false
    }
  }

  /** Compiles every schema in use, and reports those that cannot be compiled at their places. */
  compile(): void {
    const sizes = new Map([...this.#entries.keys()].map(key => [key, this.#reach(key).size]))
    // Compiling a schema compiles those that it refers to, one call within the other unless that is done.
    for (const [key] of [...sizes].sort(([, a], [, b]) => a - b)) {
      try {
        this.#compile(key)
      } catch (error) {
        const why = (error as Error).message.replace(/^schema is invalid: /, '')
        this.documents.warn('invalid-schema', `this schema cannot be compiled: ${why}`, this.#entry(key).node, 'key')
      }
    }
  }

  /** Returns the check of values with a schema, which walks it or compiles it. @param compiled takes the compiled check */
  checkOf(key: string, side: Side, compiled: (check: Check) => void): Check {
    let size: number | undefined
    let walked = 0
    return (value, exact = false) => {
      size ??= this.#sizeOf(key)
      const isWalked = size >= HUGE || (size >= LARGE && walked++ < PATIENCE)
      if (isWalked || this.walks) {
        const fits = this.#walk(key, value, side, exact)
        if (fits === true) return undefined
        if (fits === false && isWalked) return this.#judge(key, value, side, exact)
      }
      const check = this.#compile(key)
      compiled(check)
      return check(value, exact, side)
    }
  }

  #compile(key: string): Check {
    return this.#validator(key).compileKey(key)
  }

  /** The number of objects and lists in a schema and those that it refers to: each takes about 0.2 ms to compile. */
  #sizeOf(key: string): number {
    let size = 0
    for (const one of new Set([key, ...this.#reach(key)])) {
      const entry = this.#entry(one)
      entry.size ??= countParts(this.definitions[one])
      size += entry.size
    }
    return size
  }

  /** Returns whether a value is valid without compiling its schema; `undefined` if that takes too many comparisons. */
  #walk(key: string, value: unknown, side: Side, exact: boolean): boolean | undefined {
    // The walk rounds numbers; the validator compares them exactly.
    if (value === undefined || (exact && holdsExact(value))) return false
    const { definitions } = this.#validator(key)
    const fitting = new Fitting(definitions, side === 'request', MOST_COMPARISONS)
    const fits = fitting.fits(definitions[key], value as Json)
    return fitting.work > MOST_COMPARISONS ? undefined : fits
  }

  /** Returns the mistakes of a value, as the whole schema would, and compiles only the part that decides about it. */
  #judge(key: string, value: unknown, side: Side, exact: boolean): Violations | undefined {
    const validator = this.#validator(key)
    const fitting = new Fitting(validator.definitions, side === 'request')
    const isExact = exact && holdsExact(value)
    const fits = (schema: Schema, inside: unknown) => !isExact && fitting.fits(schema, inside as Json)
    return validator.judge(key, value, fits, exact, side)
  }

  /** Returns a schema in JSON Schema 2020-12, with the schemas that it refers to under `$defs`. */
  selfContained(key: string): Schema {
    const root = this.definitions[key] as Schema
    const names = [...this.#reach(key)]
    if (typeof root === 'boolean' || names.length === 0) return root
    return { ...root, $defs: Object.fromEntries(names.map(name => [name, this.definitions[name]])) }
  }

  #entry(key: string): SchemaEntry {
    return this.#entries.get(key) as SchemaEntry
  }

  /** Returns the keys that a schema refers to, directly or through others. */
  #reach(key: string): ReadonlySet<string> {
    const found = new Set(this.#entry(key).references.map(({ to }) => to))
    for (const one of found) for (const { to } of this.#entry(one).references) found.add(to)
    return found
  }

  /** @param pending the keys that are to be translated */
  #keyOf(node: Node, context: SchemaContext, pending: string[]): string {
    const { scope, base, opened } = context
    const bound = [...scope].map(([name, target]) => `${name}=${identityOf(target)}`)
    const identity = `${base ? '~' : ''}${opened ? '^' : ''}${identityOf(node)} ${bound.join(' ')}`
    return getOrMake(this.#keys, identity, () => {
      const key = `s${this.#keys.size}`
      const open = { references: [], unions: undefined, size: undefined, ways: undefined, chain: 0 }
      this.#entries.set(key, { node, context, ...open })
      pending.push(key)
      return key
    })
  }

  #translate(key: string, pending: string[]): void {
    const entry = this.#entry(key)
    const translation = new Translation(entry.node, entry.context, this.documents)
    this.definitions[key] = translation.run()
    entry.references = translation.references.map(reference => {
      const { target } = reference
      if (target.document !== this.documents.root.document) this.elsewhere.set(identityOf(target), target)
      const to = this.#keyOf(target, reference.context, pending)
      reference.holder.$ref = `#/$defs/${to}`
      return { ...reference, to }
    })
    if (translation.special) entry.unions = translation.unions
    for (const mark of translation.marks) this.marks.add(mark)
    for (const [format, node] of translation.formats) {
      if (this.#formats.has(format)) continue
      this.#formats.add(format)
      if (!isKnownFormat(format)) this.unknownFormats.set(format, node)
    }
  }

  /**
   * Follows the references that apply to the same value. Deletes those by which a schema contains itself, and opens the
   * schemas that would compare a value in too many ways: thirty schemas, each of which refers to the next one twice, make a
   * thousand million comparisons of every value. Iterative, since a chain may be longer than the stack.
   */
  #bound(start: string): void {
    const path: {
      readonly key: string
      readonly entry: SchemaEntry
      readonly left: SchemaEntry['references'][number][]
    }[] = []
    const enter = (key: string) => {
      const entry = this.#entry(key)
      if (entry.ways !== undefined) return false
      entry.ways = 0
      path.push({ key, entry, left: entry.references.filter(({ inPlace }) => inPlace) })
      return true
    }
    enter(start)
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const { key, entry, left } = at
      const reference = left.at(-1)
      if (reference !== undefined) {
        if (enter(reference.to)) continue
        left.pop()
        if (this.#entry(reference.to).ways !== 0) continue
        delete reference.holder.$ref
        entry.references = entry.references.filter(one => one !== reference)
        this.documents.warn('circular-schema', 'this schema contains itself', reference.from, 'key')
        continue
      }
      const targets = entry.references.filter(({ inPlace }) => inPlace).map(({ to }) => this.#entry(to))
      entry.ways = targets.reduce((sum, { ways = 0 }) => sum + ways, 1)
      entry.chain = targets.reduce((longest, { chain }) => Math.max(longest, chain + 1), 0)
      if (entry.ways > MOST_WAYS) this.#open(key, `refers to others in more than ${MOST_WAYS} ways`)
      else if (entry.chain > LONGEST_CHAIN) this.#open(key, `begins a chain of more than ${LONGEST_CHAIN} references`)
      path.pop()
    }
  }

  /** Makes a schema accept every value. */
  #open(key: string, why: string): void {
    const entry = this.#entry(key)
    this.definitions[key] = {}
    Object.assign(entry, { references: [], unions: undefined, ways: 1, chain: 0 })
    this.documents.warn('too-many-ways', `this schema ${why}; values are not checked against it`, entry.node, 'key')
  }

  /** Returns the validator, which then has a schema and all that it refers to. */
  #validator(key: string): Schemas {
    const wanted = [key]
    for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
      if (this.#given.has(next)) continue
      this.#given.add(next)
      const { node, unions, references } = this.#entry(next)
      for (const { to } of references) wanted.push(to)
      const schema = this.definitions[next] as Schema
      this.#schemas.add(
        next,
        unions === undefined ? schema : (forValidator(schema, unions) as Schema),
        node.document === this.documents.root.document ? componentOf(node) : nameElsewhere(node),
      )
    }
    return this.#schemas
  }
}

/** Returns the number of objects and lists in a schema. */
const countParts = (schema: unknown): number =>
  typeof schema === 'object' && schema !== null
    ? Object.values(schema).reduce<number>((sum, part) => sum + countParts(part), 1)
    : 0

/** A schema of the contract for one side: validates values, describes and generates them. There may be tens of thousands. */
export class SchemaUse {
  readonly node: Node
  /** Its key in `definitions`. */
  readonly key: string
  readonly #side: Side
  readonly #book: SchemaBook
  #shape: Shape | undefined = undefined
  #types: ReadonlySet<string> | undefined = undefined
  #check: Check | undefined = undefined

  constructor(node: Node, key: string, side: Side, book: SchemaBook) {
    this.node = node
    this.key = key
    this.#side = side
    this.#book = book
  }

  /** All schemas of the contract in the validator's dialect, annotations kept: a `$ref` in them is `#/$defs/KEY`. */
  get definitions(): Readonly<Record<string, Schema>> {
    return this.#book.definitions
  }

  /** Generates values for any schema of the contract. */
  get sampler(): Sampler {
    return this.#book.sampler
  }

  get shape(): Shape {
    this.#shape ??= shapeOf(this.node, this.#book.documents)
    return this.#shape
  }

  /** The types of a value, unions included. */
  get types(): ReadonlySet<string> {
    this.#types ??= typesOf([this.node], this.#book.documents)
    return this.#types
  }

  /** Returns `undefined` for a valid value. `exact`: the value may hold bigints and decimals. */
  check(value: unknown, exact = false): Violations | undefined {
    this.#check ??= this.#book.checkOf(this.key, this.#side, check => {
      this.#check = check
    })
    return this.#check(value, exact, this.#side)
  }

  /** Returns whether a reply may have this value, without compiling the schema. */
  fits(value: Json): boolean {
    return this.sampler.fits(this.key, value)
  }

  /** Returns a generated value. */
  sample(options: SampleOptions): Sample {
    return this.sampler.sample(this.key, options)
  }

  /** Returns a generated value; `undefined` if no valid one was found. */
  validSample(options: SampleOptions): Json | undefined {
    const { value, fits } = this.sample(options)
    return fits ? value : undefined
  }

  /** Returns whether any schema of the contract has this mark. */
  marked(mark: SchemaMark): boolean {
    return this.#book.marks.has(mark)
  }

  /** Returns the value without the properties of the other side: `readOnly` in a request, `writeOnly` in a reply. */
  prune(value: Json): Json {
    const mark = this.#side === 'request' ? 'readOnly' : 'writeOnly'
    return this.#book.marks.has(mark) ? this.#book.prunings[mark].prune(value, this.node) : value
  }

  /** The schema in JSON Schema 2020-12, with the schemas that it refers to under `$defs`. */
  get selfContained(): Schema {
    return this.#book.selfContained(this.key)
  }
}
