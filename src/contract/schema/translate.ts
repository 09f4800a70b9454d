// Translates a schema of a contract to the validator's dialect (JSON Schema 2020-12): converts the differences of OpenAPI
// 3.0, removes annotations, and keeps references, so that cycles stay finite.

import { approximate, isObject, type Json, put } from '../../kernel/json.ts'
import { COMPOSITIONS, LIST, MAP, ONE, type Schema } from '../../kernel/schema/schema.ts'
import { branchesIn, childOf, type Documents, isReference, itemsOf, membersOf, type Node } from '../documents.ts'
import { type Closing, conflictIn, refusedByBranches, withoutNames } from './closed.ts'
import {
  branchesOf,
  childrenOf,
  discriminatorOf,
  ownNamesOf,
  translateOwnNames,
  translateUnion,
  type Union,
  type Unions,
} from './discriminator.ts'
import { checkKeyword, IN_PLACE, isAssertion, KEPT, modernise, readKeyword } from './keywords.ts'
import { isMarked, layersOf, type SideMark, shapeOf } from './shape.ts'

/** The marks of a schema. */
export type SchemaMark = SideMark | 'deprecated'

/** The place of a schema among others. Its translation differs with each. */
export interface SchemaContext {
  /** The dynamic anchors of outer schemas. */
  readonly scope: ReadonlyMap<string, Node>
  /** Whether a child inherits this schema by `allOf`: everything except the union that the child is a branch of. */
  readonly base: boolean
  /** Whether it is part of a composition that is closed as a whole, so that it is not closed itself. */
  readonly opened: boolean
}

/** A reference in a translated schema. */
export interface Reference {
  readonly target: Node
  readonly context: SchemaContext
  /** Whether it applies to the same value, so that a cycle of such references never ends. */
  readonly inPlace: boolean
  /** The translated schema whose `$ref` will name the target. */
  readonly holder: Record<string, unknown>
  /** The schema that contains it. */
  readonly from: Node
}

/** The position of a schema that is being translated, relative to the schema around it. */
interface Here {
  readonly inPlace: boolean
  /** See `SchemaContext`. */
  readonly opened: boolean
  /** The properties of the composition that this schema is part of. */
  readonly outer: (() => ReadonlyMap<string, Node>) | undefined
}

/** The position of a schema for another value than the root's. */
const ANYWHERE: Here = { inPlace: false, opened: false, outer: undefined }

const MARKS: ReadonlySet<string> = new Set<SchemaMark>(['readOnly', 'writeOnly', 'deprecated'])
/** Keywords whose schemas may be closed together with their parent. */
const COMPOSING: ReadonlySet<string> = new Set(COMPOSITIONS)
/** Keywords by which a schema consists of several parts. */
const COMPOSED = [...COMPOSING, 'discriminator', '$ref']

type TranslatedKeywords = Record<string, unknown>

export class Translation {
  readonly references: Reference[] = []
  readonly unions: Unions = new Map()
  /** Whether the validator needs another form of it: see `forValidator`. */
  special = false
  readonly marks = new Set<SchemaMark>()
  /** The formats by name, each at its first place. */
  readonly formats = new Map<string, Node>()
  readonly #root: Node
  readonly #context: SchemaContext
  readonly #documents: Documents

  constructor(root: Node, context: SchemaContext, documents: Documents) {
    this.#root = root
    this.#context = context
    this.#documents = documents
  }

  run(): Schema {
    const schema = this.#schema(this.#root, { inPlace: true, opened: this.#context.opened, outer: undefined })
    const own = this.#context.base ? [] : ownNamesOf(this.#root, this.#documents)
    if (own.length === 0 || !isObject(schema)) return schema
    const whole: TranslatedKeywords = { ...schema }
    addParts(whole, ...own.map(translateOwnNames))
    return whole
  }

  #schema(node: Node, here: Here): Schema {
    const { value } = node
    if (typeof value === 'boolean') return value
    if (!isObject(value)) {
      this.#documents.warn('invalid-schema', 'a schema must be an object', node)
      return true
    }
    if (!isReference(node)) return this.#keywords(node, here)
    // OpenAPI 3.0 ignores keywords beside a reference; 3.1 applies them.
    const beside = Object.keys(value).filter(
      key => key !== '$ref' && (isAssertion(key) || LIST.has(key) || MAP.has(key)),
    )
    const [ignored] = this.#documents.legacy ? beside : []
    if (ignored !== undefined) {
      const message = `OpenAPI 3.0 ignores keys beside $ref: "${beside.join('", "')}"`
      this.#documents.warn('idle-keyword', message, childOf(node, ignored), 'key', 'combine them with allOf')
    }
    const says = (key: string) => ONE.has(key) || KEPT.has(key) || key === 'required'
    if (this.#documents.legacy || (beside.length === 0 && !Object.keys(value).some(says)))
      return this.#follow(node, here)
    const closing = this.#closingOf(node, here)
    const whole = closing === undefined ? here : { ...here, opened: true }
    const reference = this.#follow(node, whole)
    const own = this.#keywords(node, whole)
    if (closing?.always === true) own.unevaluatedProperties = false
    if (reference !== true) addParts(own, reference)
    return own
  }

  /** Returns a reference to the schema that `$ref` of a node leads to; `true` if it leads nowhere. */
  #follow(node: Node, here: Here): TranslatedKeywords | true {
    const $ref = childOf(node, '$ref')
    const target = this.#documents.follow($ref, $ref.value as string)
    return target === undefined ? true : this.#refer(target, node, here, true)
  }

  #refer(target: Node, from: Node, { inPlace, opened }: Here, extending: boolean): TranslatedKeywords {
    const { scope: outer } = this.#context
    const scope = this.#documents.legacy ? outer : joined(outer, this.#documents.dynamicAnchors(target))
    const base = inPlace && extending && this.#isBranchOf(target)
    const holder: TranslatedKeywords = { $ref: '' }
    this.references.push({ target, context: { scope, base, opened }, inPlace, holder, from })
    return holder
  }

  /** Returns whether this schema is a branch of the other one. */
  #isBranchOf(target: Node): boolean {
    const parent = this.#documents.resolve(target)
    if (parent === undefined || !isObject(parent.value)) return false
    const unions = branchesIn(parent)
    const branches =
      unions.length > 0 || discriminatorOf(parent) === undefined
        ? unions
        : childrenOf(parent, this.#documents).map(({ node }) => node)
    const { value } = this.#root
    return layersOf(branches, this.#documents).some(layer => layer.value === value)
  }

  /** Reports that the parts of a schema refuse each other's properties, so that they are closed together. */
  #closingOf(node: Node, { opened }: Here): Closing | undefined {
    const { value } = node as { value: TranslatedKeywords }
    if (opened || !COMPOSED.some(keyword => value[keyword] !== undefined)) return undefined
    const closing = conflictIn(node, this.#documents)
    if (closing === undefined) return undefined
    const message = `this refuses "${closing.refused}", which another part of the composition declares; it is checked against all parts together`
    const hint = 'write unevaluatedProperties: false beside allOf'
    this.#documents.warn('closed-all-of', message, closing.place, 'key', hint)
    return closing
  }

  #keywords(node: Node, given: Here): TranslatedKeywords {
    const documents = this.#documents
    const closing = this.#closingOf(node, given)
    const here = closing === undefined ? given : { ...given, opened: true }
    const out: TranslatedKeywords = {}
    const leaveOut = this.#context.base && node === this.#root
    for (const [keyword, child] of membersOf(node)) {
      if (keyword === '$ref' || (keyword.startsWith('x-') && !KEPT.has(keyword))) continue
      const said = checkKeyword(keyword, documents.legacy)
      if (said !== undefined) documents.warn(said.code, said.message, child, 'key', said.hint)
      if (leaveOut && (keyword === 'oneOf' || keyword === 'anyOf')) continue
      if (here.opened && keyword === 'additionalProperties' && child.value === false) continue
      if (keyword === 'items') this.#items(child, node, out)
      else if (ONE.has(keyword)) out[keyword] = this.#schema(child, this.#inside(keyword, node, here))
      else if (LIST.has(keyword)) this.#list(keyword, child, node, here, out)
      else if (MAP.has(keyword)) this.#map(keyword, child, node, here, out)
      else if (isAssertion(keyword)) {
        const { value, fault, code = 'invalid-keyword', hint } = readKeyword(keyword, child.value)
        if (fault !== undefined) documents.warn(code, `"${keyword}" ${fault}`, child, 'value', hint)
        if (value !== undefined) out[keyword] = approximate(value as Json)
        if (keyword === 'format' && typeof value === 'string' && !this.formats.has(value))
          this.formats.set(value, child)
      } else if (keyword === 'required') this.#required(child, node, here, out)
      else if (keyword === 'dependencies') this.#dependencies(child, here, out)
      else if (keyword === '$dynamicRef') this.#dynamicRef(child, here, out)
      else if (KEPT.has(keyword)) {
        out[keyword] = child.value
        if (MARKS.has(keyword) && child.value === true) this.marks.add(keyword as SchemaMark)
      } else if (keyword === 'nullable' && !documents.legacy) {
        const message = '"nullable" is a keyword of OpenAPI 3.0; it is applied anyway'
        documents.warn('older-keyword', message, child, 'key', "type: [string, 'null']")
      }
    }
    if (!leaveOut) this.#discriminate(node, here, out)
    if (closing?.always === true && out.unevaluatedProperties === undefined) out.unevaluatedProperties = false
    return modernise(node, out, documents)
  }

  #inside(keyword: string, node: Node, here: Here): Here {
    if (!IN_PLACE.has(keyword)) return ANYWHERE
    const outer = () => joined(shapeOf(node, this.#documents).properties, here.outer?.() ?? NONE)
    return { inPlace: here.inPlace, opened: here.opened && COMPOSING.has(keyword), outer }
  }

  #list(keyword: string, child: Node, node: Node, here: Here, out: TranslatedKeywords): void {
    const items = itemsOf(child)
    if (items.length === 0) {
      this.#warn(`"${keyword}" must be a list of schemas`, child, 'key')
      return
    }
    const inside = this.#inside(keyword, node, here)
    const isUnion = keyword === 'oneOf' || keyword === 'anyOf'
    const refused = isUnion && inside.opened ? refusedByBranches(node, keyword, this.#documents) : []
    const schemas = items.map((item, index) => withoutNames(this.#schema(item, inside), refused[index] ?? []))
    if (keyword === 'allOf') addParts(out, ...schemas)
    else out[keyword] = schemas
  }

  #map(keyword: string, child: Node, node: Node, here: Here, out: TranslatedKeywords): void {
    if (!isObject(child.value)) {
      this.#warn(`"${keyword}" must be a map of schemas`, child)
      return
    }
    const inside = this.#inside(keyword, node, here)
    const schemas: Record<string, Schema> = {}
    for (const [name, schema] of membersOf(child)) {
      if (keyword === 'patternProperties' && readKeyword('pattern', name).value === undefined) {
        this.#warn(`"${name}" is not a regular expression`, schema, 'key')
      } else put(schemas, name, this.#schema(schema, inside))
    }
    out[keyword] = schemas
  }

  #warn(message: string, node: Node, part?: 'key' | 'value', hint?: string): void {
    this.#documents.warn('invalid-keyword', message, node, part, hint)
  }

  #items(child: Node, node: Node, out: TranslatedKeywords): void {
    if (!Array.isArray(child.value)) {
      out.items = this.#schema(child, ANYWHERE)
      return
    }
    // Before 2020-12 a tuple was a list under `items`.
    if (child.value.length > 0) out.prefixItems = itemsOf(child).map(item => this.#schema(item, ANYWHERE))
    const rest = childOf(node, 'additionalItems')
    if (rest.value !== undefined) out.items = this.#schema(rest, ANYWHERE)
  }

  /** Separates properties that one side only must send (OpenAPI "readOnly": required "affects the response only"). */
  #required(child: Node, node: Node, { outer }: Here, out: TranslatedKeywords): void {
    const names: readonly unknown[] = Array.isArray(child.value) ? child.value : []
    if (!Array.isArray(child.value) || !names.every(name => typeof name === 'string')) {
      const hint = 'write it beside "properties": required: [name]'
      this.#warn('"required" must be a list of names', child, 'value', hint)
    }
    const sides: Record<SideMark | 'neither', string[]> = { readOnly: [], writeOnly: [], neither: [] }
    for (const name of new Set(names.filter(item => typeof item === 'string'))) {
      const declared = childOf(node, 'properties', name)
      const property = declared.value === undefined ? outer?.().get(name) : declared
      const has = (mark: SideMark) => property !== undefined && isMarked(property, mark, this.#documents)
      sides[has('readOnly') ? 'readOnly' : has('writeOnly') ? 'writeOnly' : 'neither'].push(name)
    }
    const { readOnly: reply, writeOnly: request, neither } = sides
    if (neither.length + reply.length > 0) out.required = [...neither, ...reply]
    if (request.length + reply.length === 0) return
    out.requiredBy = { request, reply }
    this.special = true
  }

  /** `dependencies` of older drafts. */
  #dependencies(child: Node, here: Here, out: TranslatedKeywords): void {
    for (const [name, entry] of membersOf(child)) {
      const names = Array.isArray(entry.value) ? entry.value.filter(item => typeof item === 'string') : undefined
      const target = names === undefined ? 'dependentSchemas' : 'dependentRequired'
      out[target] ??= {}
      const schema = names ?? this.#schema(entry, { ...ANYWHERE, inPlace: here.inPlace })
      put<unknown>(out[target] as TranslatedKeywords, name, schema)
    }
  }

  /** Resolves a `$dynamicRef` at load: to the outermost schema on the path that defines the anchor (2020-12 §8.2.3.2). */
  #dynamicRef(child: Node, here: Here, out: TranslatedKeywords): void {
    if (typeof child.value !== 'string') return
    const bound = this.#context.scope.get(child.value.slice(child.value.indexOf('#') + 1))
    const target = bound ?? this.#documents.follow(child, child.value)
    if (target !== undefined) addParts(out, this.#refer(target, child, { ...here, opened: false }, false))
  }

  #discriminate(node: Node, here: Here, out: TranslatedKeywords): void {
    const property = discriminatorOf(node)
    if (property === undefined) return
    const translate = (union: Union): Schema[] => {
      const named = translateUnion(union, branch => {
        return isReference(branch) ? this.#follow(branch, here) : this.#refer(branch, branch, here, false)
      })
      this.unions.set(named, union)
      this.special = true
      return named
    }
    const keyword = out.oneOf === undefined ? 'anyOf' : 'oneOf'
    if (out[keyword] === undefined) {
      const children = childrenOf(node, this.#documents)
      if (children.length > 0) addParts(out, { anyOf: translate({ property, branches: children, open: true }) })
      return
    }
    const branches = branchesOf(node, keyword, property, this.#documents)
    if (branches === undefined) return
    if (keyword === 'oneOf' && out.anyOf !== undefined) addParts(out, { anyOf: out.anyOf })
    delete out.oneOf
    out.anyOf = translate({ property, branches, open: false })
  }
}

/** Adds schemas to the ones that a value must match besides. */
function addParts(out: TranslatedKeywords, ...schemas: readonly Schema[]): void {
  out.allOf = [...((out.allOf as readonly Schema[] | undefined) ?? []), ...schemas]
}

const NONE: ReadonlyMap<string, Node> = new Map()

/** Returns both maps as one; outer entries win. */
const joined = (outer: ReadonlyMap<string, Node>, inner: ReadonlyMap<string, Node>): ReadonlyMap<string, Node> =>
  inner.size === 0 ? outer : new Map([...inner, ...outer])
