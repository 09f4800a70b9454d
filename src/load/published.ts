// Finds the public credentials: those that the gateway file itself contains, as the default of a variable that is not
// set. A key from the environment or a literal key is secret.

import { isObject } from '../kernel/json.ts'
import type { Environment } from '../kernel/source.ts'

const DEFAULTED = /^\$\{([A-Za-z_]\w*):-([^}]+)\}$/

/** Only `${NAME}` or `${NAME:-default}`. */
const VARIABLE = /^\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}$/

/**
 * Returns the names of the environment variables that credentials are read from, by `CONSUMER SCHEME`.
 *
 * @param file the gateway file before the environment is filled in
 */
export function keyVariables(file: unknown): ReadonlyMap<string, string> {
  const consumers = isObject(file) && isObject(file.consumers) ? file.consumers : {}
  const found = Object.entries(consumers).flatMap(([consumer, schemes]) =>
    Object.entries(isObject(schemes) ? schemes : {}).flatMap(([scheme, text]): [string, string][] => {
      const variable = VARIABLE.exec(String(text))?.[1]
      return variable === undefined ? [] : [[`${consumer} ${scheme}`, variable]]
    }),
  )
  return new Map(found)
}

/**
 * @param file the gateway file before the environment is filled in
 * @returns keys by `CONSUMER SCHEME`
 */
export function publishedKeys(file: unknown, environment: Environment): ReadonlyMap<string, string> {
  const consumers = isObject(file) && isObject(file.consumers) ? file.consumers : {}
  const found = Object.entries(consumers).flatMap(([consumer, schemes]) =>
    Object.entries(isObject(schemes) ? schemes : {}).flatMap(([scheme, text]): [string, string][] => {
      const [, variable, key] = DEFAULTED.exec(String(text)) ?? []
      return variable === undefined || key === undefined || environment[variable]
        ? []
        : [[`${consumer} ${scheme}`, key]]
    }),
  )
  return new Map(found)
}
