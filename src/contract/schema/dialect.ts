// All the schemas of a contract. Each is translated once and compiled on first use: a document may have thousands, and most
// requests use few of them.

import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { type Check, type Schema, Schemas } from '../../kernel/schema.ts'
import { isKnownFormat } from '../../kernel/schema-formats.ts'
import type { Side } from '../../kernel/schema-keywords.ts'
import { componentOf, type Documents, identityOf, type Node, placeOf } from '../documents.ts'
import { Pruning } from './prune.ts'
import { NodeUse, type SchemaUse, type Tools } from './schema-use.ts'
import { type Shape, shapeOf, typesOf } from './shape.ts'
import { countParts, keysWithin, leavesFirst } from './size.ts'
import { Translation } from './translate.ts'
import type { ReferenceEdge, SchemaMark, Surroundings, TranslationContext } from './translation-context.ts'
import { forValidator, type Unions } from './union.ts'
import { fitsByWalking, judgeByParts } from './walk.ts'
import { type TooMuch, Ways } from './ways.ts'

export type { SchemaUse } from './schema-use.ts'
export { type Shape, shapeOf } from './shape.ts'

interface SchemaEntry {
  readonly node: Node
  readonly reading: TranslationContext
  edges: readonly ReferenceEdge[]
  /** The validator's form of the schema, if it differs. */
  unions: Unions | undefined
  /** The number of its objects and lists, once counted. */
  size: number | undefined
}

export class SchemaBook {
  readonly #documents: Documents
  readonly #report: Diagnostics
  readonly #around: Surroundings
  readonly #entries = new Map<string, SchemaEntry>()
  readonly #definitions: Record<string, Schema> = {}
  readonly #keys = new Map<string, string>()
  readonly #pending: string[] = []
  readonly #uses = new Map<string, SchemaUse>()
  readonly #shapes = new Map<string, Shape>()
  readonly #schemas = new Schemas()
  readonly #known = new Set<string>()
  readonly #acyclic = new Set<string>()
  readonly #formats = new Set<string>()
  readonly #marks = new Set<SchemaMark>()
  readonly #edgesOf = (key: string): readonly ReferenceEdge[] => (this.#entries.get(key) as SchemaEntry).edges
  readonly #ways = new Ways(this.#edgesOf, (key, why) => this.#open(key, why))
  readonly #pruning: Pruning
  /** Whether values are walked before a schema is compiled. */
  #walks = false
  readonly #tools: Tools = {
    shapeOf: node => this.#shapeOf(node),
    typesOf: node => typesOf(node, this.#documents),
    compile: key => this.#check(key),
    sizeOf: key => this.#sizeOf(key),
    walksAll: () => this.#walks,
    fits: (key, ...given) => fitsByWalking(this.#given(key), key, ...given),
    judge: (key, ...given) => judgeByParts(this.#given(key), key, ...given),
    prune: (...given) => this.#pruning.prune(...given),
  }

  /** @param legacy whether the schemas are of OpenAPI 3.0, with `nullable` and boolean bounds */
  constructor(documents: Documents, legacy: boolean, report: Diagnostics) {
    this.#documents = documents
    this.#report = report
    this.#pruning = new Pruning(documents, node => this.#shapeOf(node))
    this.#around = {
      documents,
      report,
      legacy,
      keyOf: (node, reading) => this.#keyOf(node, reading),
      noteFormat: (format, node) => this.#noteFormat(format, node),
      noteMark: mark => void this.#marks.add(mark),
    }
  }

  /** The number of schemas in use. */
  get size(): number {
    return this.#entries.size
  }

  use(node: Node, side: Side = 'reply'): SchemaUse {
    const name = `${side} ${identityOf(node)}`
    let use = this.#uses.get(name)
    if (use === undefined) {
      const key = this.translate(node)
      use = new NodeUse(node, key, side, this.#definitions, this.#marks, this.#tools)
      this.#uses.set(name, use)
    }
    return use
  }

  /** Translates the schema at a node and all that it refers to. `use` does so at once for a schema that is not translated yet. */
  translate(node: Node): string {
    const key = this.#keyOf(node, { scope: this.#documents.dynamicAnchors(node), base: false, opened: false })
    this.#translatePending()
    this.#ways.bound(key)
    return key
  }

  /**
   * Runs `work`. Meanwhile a value is compared with its schema by walking both, and the schema is compiled only for a value
   * that does not fit. Compiling pays off after some hundred values, and an inference is tried with a few of each schema.
   */
  async walking<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#walks = true
    try {
      return await work()
    } finally {
      this.#walks = false
    }
  }

  #sizeOf(key: string): number {
    let size = 0
    for (const one of keysWithin(key, this.#edgesOf)) {
      const entry = this.#entries.get(one) as SchemaEntry
      entry.size ??= countParts(this.#definitions[one])
      size += entry.size
    }
    return size
  }

  /** Compiles every schema in use, and reports those that cannot be compiled at their places. */
  compile(): void {
    // Compiling a schema compiles those that it refers to: in one call for each schema of a chain, unless that is done.
    for (const key of leavesFirst(this.#entries.keys(), this.#edgesOf)) {
      try {
        this.#check(key)
      } catch (error) {
        const why = (error as Error).message.replace(/^schema is invalid: /, '')
        const { node } = this.#entries.get(key) as SchemaEntry
        this.#report.warning('invalid-schema', `this schema cannot be compiled: ${why}`, placeOf(node, 'key'))
      }
    }
  }

  #check(key: string): Check {
    return this.#given(key).compileKey(key)
  }

  #keyOf(node: Node, reading: TranslationContext): string {
    const bound = [...reading.scope].map(([name, target]) => `${name}=${identityOf(target)}`)
    const identity = `${reading.base ? '~' : ''}${reading.opened ? '^' : ''}${identityOf(node)} ${bound.join(' ')}`
    let key = this.#keys.get(identity)
    if (key === undefined) {
      key = `s${this.#keys.size}`
      this.#keys.set(identity, key)
      this.#entries.set(key, { node, reading, edges: [], unions: undefined, size: undefined })
      this.#pending.push(key)
    }
    return key
  }

  /** Iterative, not recursive: a chain of references may be longer than the stack. */
  #translatePending(): void {
    for (let key = this.#pending.pop(); key !== undefined; key = this.#pending.pop()) {
      const entry = this.#entries.get(key) as SchemaEntry
      this.#documents.prepare(entry.node)
      const translation = new Translation(entry.node, entry.reading, this.#around)
      this.#definitions[key] = translation.run()
      entry.edges = translation.edges
      entry.unions = translation.special ? translation.unions : undefined
    }
  }

  #open(key: string, why: TooMuch): void {
    const entry = this.#entries.get(key) as SchemaEntry
    this.#definitions[key] = {}
    Object.assign(entry, { edges: [], unions: undefined })
    const message = `this schema ${why}; values are not checked against it`
    this.#report.warning('too-many-ways', message, placeOf(entry.node, 'key'))
  }

  /** Gives the validator a schema and all that it refers to. */
  #given(key: string): Schemas {
    const wanted = [key]
    for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
      if (this.#known.has(next)) continue
      this.#known.add(next)
      this.#breakCircles(next)
      const { node, unions, edges } = this.#entries.get(next) as SchemaEntry
      for (const { to } of edges) wanted.push(to)
      const schema = this.#definitions[next] as Schema
      const given = unions === undefined ? schema : (forValidator(schema, unions) as Schema)
      this.#schemas.add(next, given, componentOf(node))
    }
    return this.#schemas
  }

  /** Reports references in a cycle that consumes no value. The last reference of the cycle is ignored. */
  #breakCircles(start: string): void {
    const path = new Set<string>()
    const walk: { key: string; left: ReferenceEdge[] }[] = []
    const enter = (key: string) => {
      path.add(key)
      walk.push({ key, left: (this.#entries.get(key) as SchemaEntry).edges.filter(({ inPlace }) => inPlace) })
    }
    if (!this.#acyclic.has(start)) enter(start)
    for (let at = walk.at(-1); at !== undefined; at = walk.at(-1)) {
      const edge = at.left.pop()
      if (edge === undefined) {
        path.delete(at.key)
        this.#acyclic.add(at.key)
        walk.pop()
      } else if (path.has(edge.to)) {
        delete edge.holder.$ref
        this.#report.warning('circular-schema', 'this schema contains itself', placeOf(edge.node, 'key'))
      } else if (!this.#acyclic.has(edge.to)) enter(edge.to)
    }
  }

  #shapeOf(node: Node): Shape {
    const identity = identityOf(node)
    let shape = this.#shapes.get(identity)
    if (shape === undefined) {
      shape = shapeOf(node, this.#documents)
      this.#shapes.set(identity, shape)
    }
    return shape
  }

  #noteFormat(format: string, node: Node): void {
    if (this.#formats.has(format)) return
    this.#formats.add(format)
    if (isKnownFormat(format)) return
    this.#report.warning(
      'unknown-format',
      `unknown format "${format}"; values are not checked against it`,
      placeOf(node),
    )
  }
}
