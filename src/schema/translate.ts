// Translates a schema of a contract to the validator's dialect (JSON Schema 2020-12): converts the differences of OpenAPI
// 3.0, removes annotations, and keeps references, so that cycles stay finite.

import type { Diagnostics } from '../kernel/diagnostic.ts'
import { isObject, put } from '../kernel/json.ts'
import type { Schema } from '../kernel/schema.ts'
import type { RequiredBy } from '../kernel/schema-keywords.ts'
import { type Closing, closingOf, refusedByBranches } from './closed.ts'
import { branchesOf, childrenOf, discriminatorOf, ownNamesOf } from './discriminator.ts'
import { childOf, type Documents, entriesOf, identityOf, itemsOf, type Node, placeOf } from './document.ts'
import { checkKeyword, IN_PLACE, isAssertion, KEPT, LIST, MAP, ONE, readKeyword } from './keywords.ts'
import { modernise } from './modernise.ts'
import { isMarked, shapeOf } from './shape.ts'
import { translateOwnNames, translateUnion, type Union, type Unions } from './union.ts'

/** The marks of a schema. */
export type SchemaMark = 'readOnly' | 'writeOnly' | 'deprecated'

/** The context of a translation: the dynamic anchors of outer schemas, and the parts to skip. */
export interface TranslationContext {
  readonly scope: ReadonlyMap<string, Node>
  /** Whether a child inherits this schema by `allOf`: everything except the union that the child is a branch of. */
  readonly base: boolean
  /** Whether it is part of a composition that is closed as a whole, so that it is not closed itself. */
  readonly opened: boolean
}

/** A reference in a translated schema. */
export interface ReferenceEdge {
  readonly to: string
  /** Whether it applies to the same value, so that a cycle of such edges never ends. */
  readonly inPlace: boolean
  readonly holder: Record<string, unknown>
  readonly node: Node
}

/** The functions that the translation needs from the dialect. */
export interface Surroundings {
  readonly documents: Documents
  readonly report: Diagnostics
  /** Whether the document is of OpenAPI 3.0. */
  readonly legacy: boolean
  /** Returns the key of another schema. */
  keyOf(node: Node, reading: TranslationContext): string
  /** Reports each unknown format once. */
  noteFormat(format: string, node: Node): void
  noteMark(mark: SchemaMark): void
}

interface Here {
  readonly inPlace: boolean
  /** See `TranslationContext`. */
  readonly opened: boolean
  /** The properties of the composition that this schema is part of. */
  readonly outer: (() => ReadonlyMap<string, Node>) | undefined
}

const MARKS: ReadonlySet<string> = new Set<SchemaMark>(['readOnly', 'writeOnly', 'deprecated'])
const ANYWHERE: Here = { inPlace: false, opened: false, outer: undefined }

export class Translation {
  readonly edges: ReferenceEdge[] = []
  /** Whether the validator needs another form of it: see `forValidator`. */
  special = false
  readonly unions: Unions = new Map()
  readonly #root: Node
  readonly #reading: TranslationContext
  readonly #around: Surroundings

  constructor(root: Node, reading: TranslationContext, around: Surroundings) {
    this.#root = root
    this.#reading = reading
    this.#around = around
  }

  run(): Schema {
    const schema = this.#schema(this.#root, { inPlace: true, opened: this.#reading.opened, outer: undefined })
    const own = this.#reading.base ? [] : ownNamesOf(this.#root, this.#around.documents)
    if (own.length === 0 || !isObject(schema)) return schema
    const { allOf } = schema as { allOf?: Schema[] }
    return { ...schema, allOf: [...(allOf ?? []), ...own.map(translateOwnNames)] }
  }

  #schema(node: Node, here: Here): Schema {
    const { value } = node
    if (typeof value === 'boolean') return value
    if (!isObject(value)) {
      this.#around.report.warning('invalid-schema', 'a schema must be an object', placeOf(node))
      return true
    }
    const { legacy, report } = this.#around
    if (typeof value.$ref === 'string') {
      // OpenAPI 3.0 ignores keywords beside a reference; 3.1 applies them.
      const beside = Object.keys(value).filter(
        key => key !== '$ref' && (isAssertion(key) || LIST.has(key) || MAP.has(key)),
      )
      if (legacy) {
        for (const key of beside.length > 0 ? [beside[0] as string] : []) {
          const message = `OpenAPI 3.0 ignores keys beside $ref: "${beside.join('", "')}"`
          report.warning('idle-keyword', message, placeOf(childOf(node, key), 'key'), 'combine them with allOf')
        }
        return this.#reference(node, value.$ref, here)
      }
      const speaks = (key: string) => ONE.has(key) || KEPT.has(key) || key === 'items' || key === 'required'
      if (beside.length === 0 && !Object.keys(value).some(speaks)) return this.#reference(node, value.$ref, here)
      const closing = this.#closingOf(node, here)
      const whole = closing === undefined ? here : { ...here, opened: true }
      const reference = this.#reference(node, value.$ref, whole)
      const own = this.#keywords(node, whole)
      if (closing?.always === true) own.unevaluatedProperties = false
      return typeof reference === 'boolean' ? own : { ...own, ...this.#rehold(reference, own) }
    }
    return this.#keywords(node, here)
  }

  /** The reference moves into another object, so its edge must be moved too. */
  #rehold(reference: Record<string, unknown>, holder: Record<string, unknown>): Record<string, unknown> {
    const at = this.edges.findIndex(edge => edge.holder === reference)
    const inner = { $ref: reference.$ref }
    if (at !== -1) this.edges[at] = { ...(this.edges[at] as ReferenceEdge), holder: inner }
    return { allOf: [...((holder.allOf as unknown[] | undefined) ?? []), inner] }
  }

  #reference(node: Node, $ref: string, here: Here): Record<string, unknown> | true {
    const target = this.#around.documents.follow(childOf(node, '$ref'), $ref)
    return target === undefined ? true : this.#refer(target, node, here, true)
  }

  #refer(target: Node, from: Node, { inPlace, opened }: Here, extending: boolean): Record<string, unknown> {
    const { scope } = this.#reading
    const anchors = this.#around.legacy ? scope : merge(scope, this.#around.documents.dynamicAnchors(target))
    const base = inPlace && extending && this.#isBranchOf(target)
    const to = this.#around.keyOf(target, { scope: anchors, base, opened })
    const holder = { $ref: `#/$defs/${to}` }
    this.edges.push({ to, inPlace, holder, node: from })
    return holder
  }

  /** Returns whether this schema is a branch of the other one. */
  #isBranchOf(target: Node): boolean {
    const { documents } = this.#around
    const parent = documents.resolve(target)
    if (parent === undefined || !isObject(parent.value)) return false
    const unions = ['oneOf', 'anyOf'].flatMap(union => itemsOf(childOf(parent, union)))
    const branches =
      unions.length > 0 || discriminatorOf(parent) === undefined
        ? unions
        : childrenOf(parent, documents).map(({ node }) => node)
    if (branches.length === 0) return false
    const root = identityOf(this.#root)
    const seen = new Set<string>()
    const reaches = (node: Node): boolean => {
      const identity = identityOf(node)
      if (identity === root) return true
      if (seen.has(identity) || !isObject(node.value)) return false
      seen.add(identity)
      if (typeof node.value.$ref === 'string') {
        const next = documents.follow(childOf(node, '$ref'), node.value.$ref)
        if (next !== undefined && reaches(next)) return true
      }
      return ['allOf', 'oneOf', 'anyOf'].some(keyword => itemsOf(childOf(node, keyword)).some(reaches))
    }
    return branches.some(reaches)
  }

  /** Returns whether the parts of a schema refuse each other's properties, so that they are closed together. */
  #closingOf(node: Node, { opened }: Here): Closing | undefined {
    const { value } = node as { value: Record<string, unknown> }
    if (opened || !COMPOSED.some(keyword => value[keyword] !== undefined)) return undefined
    const { documents, legacy, report } = this.#around
    const closing = closingOf(node, documents, legacy)
    if (closing === undefined) return undefined
    const message = `this refuses "${closing.refused}", which another part of the composition declares; it is checked against all parts together`
    report.warning(
      'closed-all-of',
      message,
      placeOf(closing.place, 'key'),
      'write unevaluatedProperties: false beside allOf',
    )
    return closing
  }

  #keywords(node: Node, given: Here): Record<string, unknown> {
    const { report, legacy } = this.#around
    const closing = this.#closingOf(node, given)
    const here = closing === undefined ? given : { ...given, opened: true }
    const out: Record<string, unknown> = {}
    const leaveOut = this.#reading.base && node === this.#root
    for (const [keyword, child] of entriesOf(node)) {
      if (keyword === '$ref' || keyword.startsWith('x-')) continue
      const said = checkKeyword(keyword, legacy)
      if (said !== undefined) report.warning(said.code, said.message, placeOf(child, 'key'), said.hint)
      if (leaveOut && (keyword === 'oneOf' || keyword === 'anyOf')) continue
      if (here.opened && keyword === 'additionalProperties' && child.value === false) continue
      if (ONE.has(keyword)) {
        out[keyword] = this.#schema(child, this.#inside(keyword, node, here))
      } else if (LIST.has(keyword)) this.#list(keyword, child, node, here, out)
      else if (MAP.has(keyword)) this.#map(keyword, child, node, here, out)
      else if (isAssertion(keyword)) {
        const { value, fault, code = 'invalid-keyword', hint } = readKeyword(keyword, child.value)
        if (fault !== undefined) report.warning(code, `"${keyword}" ${fault}`, placeOf(child), hint)
        if (value !== undefined) out[keyword] = withoutBigInt(value)
        if (keyword === 'format' && typeof value === 'string') this.#around.noteFormat(value, child)
      } else if (keyword === 'items') this.#items(child, out)
      else if (keyword === 'required') this.#required(child, node, here, out)
      else if (keyword === 'dependencies') this.#dependencies(child, here, out)
      else if (keyword === '$dynamicRef') this.#dynamicRef(child, here, out)
      else if (KEPT.has(keyword)) {
        out[keyword] = child.value
        if (MARKS.has(keyword) && child.value === true) this.#around.noteMark(keyword as SchemaMark)
      } else if (keyword === 'nullable' && !legacy) {
        report.warning(
          'older-keyword',
          '"nullable" is a keyword of OpenAPI 3.0; it is applied anyway',
          placeOf(child, 'key'),
          "type: [string, 'null']",
        )
      }
    }
    if (!leaveOut) this.#discriminate(node, here, out)
    if (closing?.always === true && out.unevaluatedProperties === undefined) out.unevaluatedProperties = false
    return modernise(node, out, report)
  }

  #inside(keyword: string, node: Node, here: Here): Here {
    if (!IN_PLACE.has(keyword)) return ANYWHERE
    const outer = () => merge(shapeOf(node, this.#around.documents).properties, here.outer?.() ?? NONE)
    return { inPlace: here.inPlace, opened: here.opened && COMPOSING.has(keyword), outer }
  }

  #list(keyword: string, child: Node, node: Node, here: Here, out: Record<string, unknown>): void {
    const items = itemsOf(child)
    if (items.length === 0) {
      this.#around.report.warning('invalid-keyword', `"${keyword}" must be a list of schemas`, placeOf(child, 'key'))
      return
    }
    const inside = this.#inside(keyword, node, here)
    const opened = (keyword === 'oneOf' || keyword === 'anyOf') && inside.opened
    const { documents, legacy } = this.#around
    const refused = opened ? refusedByBranches(node, keyword, documents, legacy) : []
    const schemas = items.map((item, index) => withoutNames(this.#schema(item, inside), refused[index] ?? []))
    out[keyword] = keyword === 'allOf' ? [...((out.allOf as Schema[] | undefined) ?? []), ...schemas] : schemas
  }

  #map(keyword: string, child: Node, node: Node, here: Here, out: Record<string, unknown>): void {
    if (!isObject(child.value)) {
      this.#around.report.warning('invalid-keyword', `"${keyword}" must be a map of schemas`, placeOf(child))
      return
    }
    const inside = this.#inside(keyword, node, here)
    const schemas: Record<string, Schema> = {}
    for (const [name, schema] of entriesOf(child)) {
      if (keyword === 'patternProperties' && readKeyword('pattern', name).value === undefined) {
        this.#around.report.warning('invalid-keyword', `"${name}" is not a regular expression`, placeOf(schema, 'key'))
      } else put(schemas, name, this.#schema(schema, inside))
    }
    out[keyword] = schemas
  }

  #items(child: Node, out: Record<string, unknown>): void {
    if (!Array.isArray(child.value)) {
      out.items = this.#schema(child, ANYWHERE)
      return
    }
    // Before 2020-12 a tuple was a list under `items`.
    if (child.value.length > 0) out.prefixItems = itemsOf(child).map(item => this.#schema(item, ANYWHERE))
    const rest = childOf(
      { ...child, path: child.path.slice(0, -1), value: parentValue(child, this.#root) },
      'additionalItems',
    )
    if (rest.value !== undefined) out.items = this.#schema(rest, ANYWHERE)
  }

  /** Separates properties that one side only must send (OpenAPI "readOnly": required "affects the response only"). */
  #required(child: Node, node: Node, here: Here, out: Record<string, unknown>): void {
    if (!Array.isArray(child.value) || !child.value.every(name => typeof name === 'string')) {
      const hint = 'write it beside "properties": required: [name]'
      this.#around.report.warning('invalid-keyword', '"required" must be a list of names', placeOf(child), hint)
      if (!Array.isArray(child.value)) return
    }
    const { documents } = this.#around
    const own = childOf(node, 'properties')
    const both: string[] = []
    const request: string[] = []
    const reply: string[] = []
    for (const name of new Set((child.value as unknown[]).filter(item => typeof item === 'string'))) {
      const declared = childOf(own, name)
      const property = declared.value === undefined ? here.outer?.().get(name) : declared
      if (property !== undefined && isMarked(property, 'readOnly', documents)) reply.push(name)
      else if (property !== undefined && isMarked(property, 'writeOnly', documents)) request.push(name)
      else both.push(name)
    }
    if (both.length + reply.length > 0) out.required = [...both, ...reply]
    if (request.length + reply.length === 0) return
    out.requiredBy = { request, reply } satisfies RequiredBy
    this.special = true
  }

  /** `dependencies` of older drafts. */
  #dependencies(child: Node, here: Here, out: Record<string, unknown>): void {
    for (const [name, entry] of entriesOf(child)) {
      const target = Array.isArray(entry.value) ? 'dependentRequired' : 'dependentSchemas'
      out[target] = out[target] ?? {}
      const into = out[target] as Record<string, unknown>
      const names = Array.isArray(entry.value) ? entry.value.filter(item => typeof item === 'string') : undefined
      put(into, name, names ?? this.#schema(entry, { inPlace: here.inPlace, opened: false, outer: undefined }))
    }
  }

  /** Resolves a `$dynamicRef` at load: to the outermost schema on the path that defines the anchor (2020-12 §8.2.3.2). */
  #dynamicRef(child: Node, here: Here, out: Record<string, unknown>): void {
    if (typeof child.value !== 'string') return
    const name = child.value.slice(child.value.indexOf('#') + 1)
    const bound = this.#reading.scope.get(name)
    const target = bound ?? this.#around.documents.follow(child, child.value)
    if (target === undefined) return
    const reference = this.#refer(target, child, { ...here, opened: false }, false)
    out.allOf = [...((out.allOf as Schema[] | undefined) ?? []), reference]
  }

  #discriminate(node: Node, here: Here, out: Record<string, unknown>): void {
    const property = discriminatorOf(node)
    if (property === undefined) return
    const { documents } = this.#around
    const refer = (branch: Node): Schema =>
      isObject(branch.value) && typeof branch.value.$ref === 'string'
        ? this.#reference(branch, branch.value.$ref, here)
        : this.#refer(branch, branch, here, false)
    const keyword = out.oneOf === undefined ? 'anyOf' : 'oneOf'
    if (out[keyword] !== undefined) {
      const branches = branchesOf(node, keyword, property, documents)
      if (branches === undefined) return
      const besides = keyword === 'oneOf' && out.anyOf !== undefined ? [{ anyOf: out.anyOf } as Schema] : []
      if (besides.length > 0) out.allOf = [...((out.allOf as Schema[] | undefined) ?? []), ...besides]
      delete out.oneOf
      out.anyOf = this.#union({ property, branches, open: false }, refer)
      return
    }
    const children = childrenOf(node, documents)
    if (children.length === 0) return
    const anyOf = this.#union({ property, branches: children, open: true }, refer)
    out.allOf = [...((out.allOf as Schema[] | undefined) ?? []), { anyOf }]
  }

  #union(union: Union, refer: (branch: Node) => Schema): Schema[] {
    const named = translateUnion(union, refer)
    this.unions.set(named, union)
    this.special = true
    return named
  }
}

/** Returns the schema for values without these properties. */
const withoutNames = (schema: Schema, names: readonly string[]): Schema =>
  names.length === 0
    ? schema
    : { allOf: [schema, { properties: Object.fromEntries(names.map(name => [name, false])) }] }

/** Keywords by which a schema consists of several parts. */
const COMPOSED = ['allOf', 'oneOf', 'anyOf', 'discriminator', '$ref'] as const
/** Keywords whose schemas may be closed together with their parent. */
const COMPOSING = new Set(['allOf', 'anyOf', 'oneOf'])

const NONE: ReadonlyMap<string, Node> = new Map()

/** Anchors of outer schemas take precedence. */
const merge = (outer: ReadonlyMap<string, Node>, inner: ReadonlyMap<string, Node>): ReadonlyMap<string, Node> =>
  inner.size === 0 ? outer : new Map([...inner, ...outer])

/** The value of the schema that a node stands in. */
function parentValue(child: Node, root: Node): unknown {
  let value: unknown = root.value
  for (const key of child.path.slice(root.path.length, -1))
    value = (value as Record<string, unknown> | undefined)?.[key]
  return value
}

// The validator reads numbers as doubles; format int64 keeps the true range.
const withoutBigInt = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(withoutBigInt)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutBigInt(item)]))
    : value
}
