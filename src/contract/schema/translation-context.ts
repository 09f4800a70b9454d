// The context of a translation: the marks, references and positions of schemas, and what the dialect provides.

import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Documents, Node } from '../documents.ts'

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

/** The position of a schema that is being translated, relative to the schema around it. */
export interface Here {
  readonly inPlace: boolean
  /** See `TranslationContext`. */
  readonly opened: boolean
  /** The properties of the composition that this schema is part of. */
  readonly outer: (() => ReadonlyMap<string, Node>) | undefined
}

/** The position of a schema for another value than the root's. */
export const ANYWHERE: Here = { inPlace: false, opened: false, outer: undefined }

/** Anchors of outer schemas take precedence. */
export const merge = (outer: ReadonlyMap<string, Node>, inner: ReadonlyMap<string, Node>): ReadonlyMap<string, Node> =>
  inner.size === 0 ? outer : new Map([...inner, ...outer])
