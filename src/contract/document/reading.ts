// The documents of a contract while it is read, with its schemas. A mistake is a warning with a place; the rest of the
// contract is still served.

import { suggest } from '../../kernel/diagnostic.ts'
import { Documents, isGiven, membersOf, type Node } from '../documents.ts'
import { SchemaBook } from '../schema/schema-book.ts'

export class ContractReading extends Documents {
  readonly schemas = new SchemaBook(this)

  /** Warns of a part that does not have the form that OpenAPI gives it. */
  invalid(message: string, node: Node, part?: 'key'): undefined {
    return this.warn('invalid-contract', message, node, part)
  }

  /** Returns a text, also for an unquoted YAML scalar of another type. */
  text(node: Node): string | undefined {
    const { value } = node
    if (value === undefined || typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
    return value === null ? undefined : this.invalid(`"${String(node.path.at(-1))}" must be text`, node)
  }

  flag(node: Node): boolean {
    if (!isGiven(node) || typeof node.value === 'boolean') return node.value === true
    this.invalid(`"${String(node.path.at(-1))}" must be true or false`, node)
    return node.value === 'true'
  }

  unknownKeys(node: Node, known: ReadonlySet<string>): void {
    for (const [key, child] of membersOf(node)) {
      if (known.has(key) || key.startsWith('x-')) continue
      const hint = suggest(key, known) ?? 'begin the name of an extension with x-'
      this.warn('unknown-key', `unknown key "${key}"`, child, 'key', hint)
    }
  }
}
