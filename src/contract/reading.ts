// What everybody who reads a part of a contract needs: the documents, the schemas, and the words for what is wrong.
// A flaw is a warning with a place: the stand-in stays true to the rest.

import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import type { SchemaBook } from '../schema/dialect.ts'
import { type Documents, entriesOf, type Node, placeOf } from '../schema/document.ts'

export class Reading {
  readonly documents: Documents
  readonly schemas: SchemaBook
  /** Whether the contract is of OpenAPI 3.0. */
  readonly legacy: boolean
  readonly #report: Diagnostics
  readonly #warned = new Set<string>()

  constructor(documents: Documents, schemas: SchemaBook, legacy: boolean, report: Diagnostics) {
    this.documents = documents
    this.schemas = schemas
    this.legacy = legacy
    this.#report = report
  }

  warn(code: string, message: string, node: Node, part: 'key' | 'value' = 'value', hint?: string): undefined {
    this.#report.warning(code, message, placeOf(node, part), hint)
    return undefined
  }

  /** Warns of what a document does throughout: the first place speaks for all. */
  warnOnce(code: string, message: string, node: Node, part: 'key' | 'value' = 'value', hint?: string): void {
    if (this.#warned.has(code)) return
    this.#warned.add(code)
    this.warn(code, message, node, part, hint)
  }

  /** Text, or what YAML made of unquoted text. */
  text(node: Node): string | undefined {
    const { value } = node
    if (value === undefined || typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
    if (value !== null) this.warn('invalid-contract', `"${String(node.path.at(-1))}" must be text`, node)
    return undefined
  }

  flag(node: Node): boolean {
    if (node.value === undefined || node.value === null || typeof node.value === 'boolean') return node.value === true
    this.warn('invalid-contract', `"${String(node.path.at(-1))}" must be true or false`, node)
    return node.value === 'true'
  }

  unknownKeys(node: Node, known: ReadonlySet<string>): void {
    for (const [key, child] of entriesOf(node)) {
      if (known.has(key) || key.startsWith('x-')) continue
      const hint = suggest(key, known) ?? 'extensions begin with x-'
      this.warn('unknown-key', `"${key}" means nothing here`, child, 'key', hint)
    }
  }
}
