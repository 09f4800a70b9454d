// The address of a new record, for `Location`.

import { expressionsOf } from '../../contract/paths.ts'
import type { Id } from '../../world/collection.ts'
import type { Exchange } from '../behaviour.ts'

/**
 * Returns the address of a new record: the path template of a reader, filled with the values of the creator's path.
 * Returns `undefined` if every reader needs other values.
 */
export function compileLocation(
  readers: readonly string[],
  creator: string,
): ((exchange: Exchange, id: Id) => string) | undefined {
  const names = expressionsOf(creator)
  const known = readers.filter(one =>
    expressionsOf(one)
      .slice(0, -1)
      .every(name => names.includes(name)),
  )
  const reader = known.find(one => one.startsWith(`${creator}/`)) ?? known[0]
  if (reader === undefined) return undefined
  const last = expressionsOf(reader).at(-1)
  // Texts and expressions alternate, beginning with a text.
  const parts = reader.split(/\{([^{}]*)\}/)
  return ({ basePath, segments }, id) => {
    let location = basePath + parts[0]
    for (let i = 1; i < parts.length; i += 2) {
      const name = parts[i] as string
      location += encodeURIComponent(name === last ? String(id) : (segments[names.indexOf(name)] ?? '')) + parts[i + 1]
    }
    return location
  }
}
