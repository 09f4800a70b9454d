// One schema of a contract with all its references, as a self-contained document.

import type { Schema } from '../../kernel/schema.ts'
import type { SchemaUse } from './schema-use.ts'

const REFERENCE = /^#\/\$defs\/(.+)$/

/** Returns the schema in JSON Schema 2020-12, with the schemas that it refers to under `$defs`. */
export function selfContained({ key, definitions }: Pick<SchemaUse, 'key' | 'definitions'>): Schema {
  const wanted = new Set<string>()
  const pending = [key]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const name of referencesIn(definitions[next])) {
      if (wanted.has(name)) continue
      wanted.add(name)
      pending.push(name)
    }
  }
  const root = definitions[key] as Schema
  if (typeof root === 'boolean' || wanted.size === 0) return root
  const $defs = Object.fromEntries([...wanted].map(name => [name, definitions[name]]))
  return { ...root, $defs } as Schema
}

/** Returns the names of the definitions that a schema refers to, one level deep. Stops below what is data. */
function referencesIn(schema: unknown): string[] {
  const found: string[] = []
  const pending: unknown[] = [schema]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (Array.isArray(at)) pending.push(...at)
    else if (typeof at === 'object' && at !== null) {
      for (const [keyword, value] of Object.entries(at)) {
        const name = keyword === '$ref' || keyword === '$dynamicRef' ? REFERENCE.exec(String(value))?.[1] : undefined
        if (name !== undefined) found.push(name)
        else if (!DATA.has(keyword) && typeof value === 'object') pending.push(value)
      }
    }
  }
  return found
}

const DATA = new Set(['const', 'enum', 'default', 'example', 'examples'])
