// Environment variables in a configuration: `${NAME}` and `${NAME:-default}`.

import type { Diagnostics } from '../diagnostic.ts'
import { isObject, parseInteger, put } from '../value/json.ts'
import type { Environment, Path, Source } from './source.ts'

/** Environment variables have upper-case names: `${now}` is for a template. */
const VARIABLE = /\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Returns the source with its variables filled in, or itself if it has none. An unquoted scalar then gets the YAML type of its
 * new text. Variables that are not set go to `report`, and stay as they are written.
 */
export function fillVariables(source: Source, environment: Environment, report: Diagnostics): Source {
  if (!source.text.includes('${')) return source
  /** The values that have been filled in: an alias stands for the same one. */
  const filled = new Map<object, unknown>()
  const fillText = (text: string, path: Path): unknown => {
    const missing = new Set<string>()
    const made = text.replace(VARIABLE, (_, name: string, fallback?: string) => {
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined
      // As in a shell, `:-` also replaces a variable that is empty.
      if (value !== undefined && (value !== '' || fallback === undefined)) return value
      if (fallback === undefined) missing.add(name)
      return fallback ?? ''
    })
    for (const name of missing) {
      const hint = `set ${name}, or write a default: \${${name}:-value}`
      report.error('missing-variable', `the environment variable ${name} is not set`, source.locate(path), hint)
    }
    if (missing.size > 0 || made === text) return text
    return source.isPlain(path) ? retype(made) : made
  }
  const fill = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') return value.includes('${') ? fillText(value, path) : value
    if (!Array.isArray(value) && !isObject(value)) return value
    if (filled.has(value)) return filled.get(value)
    const items = Array.isArray(value) ? value.map((item, i) => fill(item, [...path, i])) : fillMembers(value, path)
    filled.set(value, items)
    return items
  }
  const fillMembers = (object: Record<string, unknown>, path: Path): Record<string, unknown> => {
    const members: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(object)) put(members, key, fill(value, [...path, key]))
    return members
  }
  return source.derive(fill(source.value, []))
}

/** Returns the value that an unquoted scalar has as YAML. Only scalars change: a value with a colon or a bracket stays a text. */
function retype(text: string): unknown {
  const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, '': null }
  if (Object.hasOwn(words, text)) return words[text]
  return parseInteger(text) ?? (/^-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : text)
}
