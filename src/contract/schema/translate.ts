// Translates a schema of a contract to the validator's dialect (JSON Schema 2020-12): converts the differences of OpenAPI
// 3.0, removes annotations, and keeps references, so that cycles stay finite.

import { isObject, put } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/schema.ts'
import { childOf, entriesOf, itemsOf, type Node, parentValue, placeOf } from '../documents.ts'
import { type Closing, closingOf, refusedByBranches, reportClosing, withoutNames } from './closed.ts'
import { branchesOf, childrenOf, discriminatorOf, ownNamesOf } from './discriminator.ts'
import { checkKeyword, IN_PLACE, isAssertion, KEPT, LIST, MAP, ONE, readKeyword, withoutBigInt } from './keywords.ts'
import { modernise } from './modernise.ts'
import { References } from './references.ts'
import { translateRequired } from './required.ts'
import { shapeOf } from './shape.ts'
import {
  ANYWHERE,
  type Here,
  merge,
  type ReferenceEdge,
  type SchemaMark,
  type Surroundings,
  type TranslationContext,
} from './translation-context.ts'
import { translateOwnNames, translateUnion, type Union, type Unions } from './union.ts'

const MARKS: ReadonlySet<string> = new Set<SchemaMark>(['readOnly', 'writeOnly', 'deprecated'])
export class Translation {
  /** Whether the validator needs another form of it: see `forValidator`. */
  special = false
  readonly unions: Unions = new Map()
  readonly #references: References
  readonly #root: Node
  readonly #reading: TranslationContext
  readonly #around: Surroundings

  constructor(root: Node, reading: TranslationContext, around: Surroundings) {
    this.#references = new References(root, reading, around)
    this.#root = root
    this.#reading = reading
    this.#around = around
  }

  get edges(): readonly ReferenceEdge[] {
    return this.#references.edges
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
        return this.#references.follow(node, value.$ref, here)
      }
      const speaks = (key: string) => ONE.has(key) || KEPT.has(key) || key === 'items' || key === 'required'
      if (beside.length === 0 && !Object.keys(value).some(speaks))
        return this.#references.follow(node, value.$ref, here)
      const closing = this.#closingOf(node, here)
      const whole = closing === undefined ? here : { ...here, opened: true }
      const reference = this.#references.follow(node, value.$ref, whole)
      const own = this.#keywords(node, whole)
      if (closing?.always === true) own.unevaluatedProperties = false
      return typeof reference === 'boolean' ? own : { ...own, ...this.#references.rehold(reference, own) }
    }
    return this.#keywords(node, here)
  }

  /** Returns whether the parts of a schema refuse each other's properties, so that they are closed together. */
  #closingOf(node: Node, { opened }: Here): Closing | undefined {
    const { value } = node as { value: Record<string, unknown> }
    if (opened || !COMPOSED.some(keyword => value[keyword] !== undefined)) return undefined
    const { documents, legacy, report } = this.#around
    const closing = closingOf(node, documents, legacy)
    if (closing === undefined) return undefined
    reportClosing(closing, report)
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
      else if (keyword === 'required') {
        Object.assign(out, translateRequired(child, node, here, this.#around))
        if (out.requiredBy !== undefined) this.special = true
      } else if (keyword === 'dependencies') this.#dependencies(child, here, out)
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
    const reference = this.#references.to(target, child, { ...here, opened: false }, false)
    out.allOf = [...((out.allOf as Schema[] | undefined) ?? []), reference]
  }

  #discriminate(node: Node, here: Here, out: Record<string, unknown>): void {
    const property = discriminatorOf(node)
    if (property === undefined) return
    const { documents } = this.#around
    const refer = (branch: Node): Schema =>
      isObject(branch.value) && typeof branch.value.$ref === 'string'
        ? this.#references.follow(branch, branch.value.$ref, here)
        : this.#references.to(branch, branch, here, false)
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

/** Keywords by which a schema consists of several parts. */
const COMPOSED = ['allOf', 'oneOf', 'anyOf', 'discriminator', '$ref'] as const
/** Keywords whose schemas may be closed together with their parent. */
const COMPOSING = new Set(['allOf', 'anyOf', 'oneOf'])

const NONE: ReadonlyMap<string, Node> = new Map()
