// Patterns of file names: `./rules/*.yaml`. A `*` is any part of the name of a file; a folder has none.

import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { attempted } from '../memo.ts'

export const isPattern = (path: string): boolean => basename(path).includes('*')

/** Returns the files that a pattern matches, sorted by name. A `*` at the beginning matches no hidden file. */
export function filesMatching(pattern: string): string[] {
  const folder = dirname(pattern)
  const [first = '', ...parts] = basename(pattern).split('*')
  const names = attempted(() => readdirSync(folder)) ?? []
  const isHidden = (name: string) => name.startsWith('.') && first === ''
  return names
    .filter(name => !isHidden(name) && matches(name, first, parts))
    .sort()
    .map(name => join(folder, name))
}

/** Whether a name begins with `first`, has the parts behind it in their order, and ends with the last one. */
function matches(name: string, first: string, parts: readonly string[]): boolean {
  if (!name.startsWith(first)) return false
  const last = parts.at(-1) as string
  let at = first.length
  for (const part of parts.slice(0, -1)) {
    const next = name.indexOf(part, at)
    if (next === -1) return false
    at = next + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
