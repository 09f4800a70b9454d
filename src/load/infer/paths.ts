// Relates paths: which names an item of which collection, in any spelling.

import { expressionsOf } from '../../contract/paths.ts'
import { plainName } from '../../kernel/text/names.ts'

/** The names that end in another letter are returned quickly: names are compared very often. */
export const singular = (name: string): string =>
  !name.endsWith('s') && !name.endsWith('S') ? name : withoutPlural(name)

const withoutPlural = (name: string): string =>
  name
    .replace(/ies$/i, 'y')
    .replace(/(ss|x|ch|sh)es$/i, '$1')
    .replace(/([^s])s$/i, '$1')

/** A name in the form that its spellings share, in the singular. */
export const wordFormOf = (name: string): string => plainName(singular(name))

/** Whether two names are the same word, singular or plural. */
export const sameWord = (a: string, b: string): boolean => wordFormOf(a) === wordFormOf(b)

/** The segments of a path without a trailing slash or a suffix: `/things/{id}.json` and `/things/{id}/` are alike. */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1)
  if (segments.at(-1) === '') segments.pop()
  const last = segments.pop()
  if (last === undefined) return []
  segments.push(
    last.includes('.') || last.endsWith('{format}')
      ? last.replace(/\.(?:json|xml|ya?ml)$/i, '').replace(/\.?\{format\}$/, '')
      : last,
  )
  return segments
}

const isExpression = (segment: string): boolean => /^\{[^{}]*\}$/.test(segment)

/** Whether a path names one thing by its last segment. */
export const isItemPath = (path: string): boolean => isExpression(segmentsOf(path).at(-1) ?? '')

/** The last segment that is a word: `/repos/{owner}/{repo}` → `repos`. */
export const wordOf = (path: string): string => segmentsOf(path).findLast(segment => !segment.includes('{')) ?? ''

/** The path parameter that names an item. */
export const itemParameter = (path: string): string => expressionsOf(path).at(-1) ?? ''

/** Paths that name one thing: by the path above them, and by that path with its words in their common form. */
export interface ItemPaths {
  readonly exact: ReadonlyMap<string, string>
  readonly alike: ReadonlyMap<string, string>
}

export function itemPathsOf(paths: readonly string[]): ItemPaths {
  const exact = new Map<string, string>()
  const alike = new Map<string, string>()
  for (const path of paths.filter(isItemPath)) {
    const above = segmentsOf(path).slice(0, -1)
    for (const [known, key] of [[exact, above.join('/')] as const, [alike, commonForm(above)] as const]) {
      if (!known.has(key)) known.set(key, path)
    }
  }
  return { exact, alike }
}

/** A path in the form that its spellings share: words in the singular, and any name of a parameter. */
const commonForm = (segments: readonly string[]): string =>
  segments.map(one => (isExpression(one) ? '{}' : wordFormOf(one))).join('/')

/**
 * The path that names the items of a collection: `/things/{id}`, else `/thing/{id}` beside it, else one elsewhere:
 * `/authors/{id}/books` may have its items at `/books/{isbn}`.
 */
export function itemPathOf(collection: string, items: ItemPaths): string | undefined {
  const own = segmentsOf(collection)
  return (
    items.exact.get(own.join('/')) ?? items.alike.get(commonForm(own)) ?? items.alike.get(commonForm(own.slice(-1)))
  )
}
