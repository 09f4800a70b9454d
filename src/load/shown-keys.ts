// The credentials of consumers that may be printed, because the gateway file itself publishes them.

import type { Environment } from '../kernel/file/source.ts'
import { isObject } from '../kernel/json.ts'

/** A credential that is read from a variable: `${NAME}` or `${NAME:-default}`. */
const VARIABLE = /^\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}$/

/**
 * Returns the texts of those credentials that may be printed, by `CONSUMER SCHEME`: the default of a variable that is not set,
 * which the file itself publishes, else `$NAME`. A literal key is secret.
 *
 * @param file the gateway file before the environment is filled in
 */
export function shownKeysIn(file: unknown, environment: Environment): ReadonlyMap<string, string> {
  const consumers = Object.entries(isObject(file) && isObject(file.consumers) ? file.consumers : {})
  const shown = consumers.flatMap(([consumer, schemes]) =>
    Object.entries(isObject(schemes) ? schemes : {}).flatMap(([scheme, text]): [string, string][] => {
      const [, variable, key = ''] = VARIABLE.exec(String(text)) ?? []
      if (variable === undefined) return []
      return [[`${consumer} ${scheme}`, key === '' || environment[variable] ? `$${variable}` : key]]
    }),
  )
  return new Map(shown)
}
