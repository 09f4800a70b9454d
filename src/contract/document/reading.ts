// The context for reading a contract: the documents, the schemas, and the reports of mistakes. A mistake is a warning with a
// place; the rest of the contract is still served.

import { type Diagnostics, suggest } from '../../kernel/diagnostic.ts'
import { type Documents, entriesOf, type Node, placeOf } from '../documents.ts'
import type { SchemaBook } from '../schema/schema-book.ts'

export class ContractReading {
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

  /** Warns of a mistake that a document repeats: only the first place is reported. */
  warnOnce(code: string, message: string, node: Node, part: 'key' | 'value' = 'value', hint?: string): void {
    if (this.#warned.has(code)) return
    this.#warned.add(code)
    this.warn(code, message, node, part, hint)
  }

  /** Returns a text, also for an unquoted YAML scalar of another type. */
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
      const hint = suggest(key, known) ?? 'begin the name of an extension with x-'
      this.warn('unknown-key', `unknown key "${key}"`, child, 'key', hint)
    }
  }
}
