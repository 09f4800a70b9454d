// Environment variables in a configuration: `${NAME}` and `${NAME:-default}`.

import type { Filling } from './events.ts'
import type { Environment } from './source.ts'

/** Environment variables have upper-case names: `${now}` is for a template. */
const VARIABLE = /\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Fills in `${NAME}`. An unquoted scalar then gets the YAML type of its new text.
 *
 * @param retype reads the new text of an unquoted scalar
 * @param missing is called with the name of a variable that is not set
 */
export function fillFrom(
  environment: Environment,
  retype: (text: string) => unknown,
  missing: (name: string) => void,
): Filling {
  const fill = (text: string): string | undefined => {
    let whole = true
    const filled = text.replace(VARIABLE, (_, name: string, fallback?: string) => {
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined
      // As in a shell, `:-` also replaces a variable that is empty.
      if (value !== undefined && (value !== '' || fallback === undefined)) return value
      if (fallback !== undefined) return fallback
      missing(name)
      whole = false
      return ''
    })
    return whole && filled !== text ? filled : undefined
  }
  const plain = (text: string): unknown => {
    const filled = fill(text)
    return filled === undefined ? text : retype(filled)
  }
  return { plain, quoted: text => fill(text) ?? text }
}
