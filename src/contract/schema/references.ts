// The references in one translated schema: makes them, and keeps an edge for each, by which cycles are found.

import { isObject } from '../../kernel/json.ts'
import { childOf, identityOf, itemsOf, type Node } from '../documents.ts'
import { childrenOf, discriminatorOf } from './discriminator.ts'
import {
  type Here,
  merge,
  type ReferenceEdge,
  type Surroundings,
  type TranslationContext,
} from './translation-context.ts'

export class References {
  readonly edges: ReferenceEdge[] = []
  readonly #root: Node
  readonly #reading: TranslationContext
  readonly #around: Surroundings

  constructor(root: Node, reading: TranslationContext, around: Surroundings) {
    this.#root = root
    this.#reading = reading
    this.#around = around
  }

  /** Moves a reference into `allOf` of another object, and its edge with it. */
  rehold(reference: Record<string, unknown>, holder: Record<string, unknown>): Record<string, unknown> {
    const at = this.edges.findIndex(edge => edge.holder === reference)
    const inner = { $ref: reference.$ref }
    if (at !== -1) this.edges[at] = { ...(this.edges[at] as ReferenceEdge), holder: inner }
    return { allOf: [...((holder.allOf as unknown[] | undefined) ?? []), inner] }
  }

  /** Returns a reference to the schema that `$ref` of a node leads to; `true` if it leads nowhere. */
  follow(node: Node, $ref: string, here: Here): Record<string, unknown> | true {
    const target = this.#around.documents.follow(childOf(node, '$ref'), $ref)
    return target === undefined ? true : this.to(target, node, here, true)
  }

  /** Returns a reference to a schema, as a new edge. */
  to(target: Node, from: Node, { inPlace, opened }: Here, extending: boolean): Record<string, unknown> {
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
}
