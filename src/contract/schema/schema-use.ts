// The interface of one schema of the contract: validates, describes and prunes values.

import type { Json } from '../../kernel/json.ts'
import type { Check, Schema } from '../../kernel/schema.ts'
import type { Violations } from '../../kernel/schema-errors.ts'
import type { Side } from '../../kernel/schema-keywords.ts'
import type { Node } from '../documents.ts'
import type { Shape } from './shape.ts'
import type { SchemaMark } from './translation-context.ts'

/** A schema of the contract that validates values and describes them. */
export interface SchemaUse {
  readonly node: Node
  /** Its key in `definitions`. */
  readonly key: string
  /** All schemas of the contract in the validator's dialect, annotations kept: a `$ref` in them is `#/$defs/KEY`. */
  readonly definitions: Readonly<Record<string, Schema>>
  readonly shape: Shape
  /** The types of a value, unions included. */
  readonly types: ReadonlySet<string>
  readonly check: Check
  /** Whether any schema of the contract has this mark. */
  marked(mark: SchemaMark): boolean
  /** Returns the value without the properties of the other side: `readOnly` in a request, `writeOnly` in a reply. */
  prune(value: Json): Json
}

/** The functions that a dialect provides for its schemas. */
export interface Tools {
  shapeOf(node: Node): Shape
  typesOf(node: Node): ReadonlySet<string>
  compile(key: string): Check
  /** The number of objects and lists in a schema and those that it refers to: each takes about 0.2 ms to compile. */
  sizeOf(key: string): number
  /** Whether every schema is walked before it is compiled. */
  walksAll(): boolean
  /** Returns whether a value is valid without compiling its schema; `undefined` if that is too much work. */
  fits(key: string, value: unknown, side: Side, exact: boolean): boolean | undefined
  /** Judges a value without compiling its schema whole. */
  judge(key: string, value: unknown, side: Side, exact: boolean): Violations | undefined
  prune(value: Json, node: Node, mark: 'readOnly' | 'writeOnly'): Json
}

/** From this size on, a schema and a value are walked instead of compiling the schema: for the first values. */
const LARGE = 40
/** The number of values that are walked: compiling pays off for more. */
const PATIENCE = 50
/** From this size on, compiling takes more than 40 ms, up to half a second, and every value is walked. */
const HUGE = 200

/** A class without closures, because there may be tens of thousands of instances. */
export class NodeUse implements SchemaUse {
  readonly node: Node
  readonly key: string
  readonly definitions: SchemaUse['definitions']
  readonly #side: Side
  readonly #marks: ReadonlySet<SchemaMark>
  readonly #tools: Tools
  #shape: Shape | undefined = undefined
  #types: ReadonlySet<string> | undefined = undefined
  #check: Check | undefined = undefined
  #size: number | undefined = undefined
  /** The number of values that were walked. */
  #walked = 0

  constructor(
    node: Node,
    key: string,
    side: Side,
    definitions: SchemaUse['definitions'],
    marks: ReadonlySet<SchemaMark>,
    tools: Tools,
  ) {
    this.node = node
    this.key = key
    this.#side = side
    this.definitions = definitions
    this.#marks = marks
    this.#tools = tools
  }

  marked(mark: SchemaMark): boolean {
    return this.#marks.has(mark)
  }

  get shape(): Shape {
    this.#shape ??= this.#tools.shapeOf(this.node)
    return this.#shape
  }

  get types(): ReadonlySet<string> {
    this.#types ??= this.#tools.typesOf(this.node)
    return this.#types
  }

  check(value: unknown, exact?: boolean): ReturnType<Check> {
    if (this.#check === undefined) {
      const size = this.#sizeNow()
      const isWalked = size >= HUGE || (size >= LARGE && this.#walked++ < PATIENCE)
      if (isWalked || this.#tools.walksAll()) {
        const fits = this.#tools.fits(this.key, value, this.#side, exact === true)
        if (fits === true) return undefined
        if (fits === false && isWalked) return this.#tools.judge(this.key, value, this.#side, exact === true)
      }
      this.#check = this.#tools.compile(this.key)
    }
    return this.#check(value, exact, this.#side)
  }

  #sizeNow(): number {
    this.#size ??= this.#tools.sizeOf(this.key)
    return this.#size
  }

  prune(value: Json): Json {
    const mark = this.#side === 'request' ? 'readOnly' : 'writeOnly'
    return this.#marks.has(mark) ? this.#tools.prune(value, this.node, mark) : value
  }
}
