// Relates paths: which names an item of which collection, whatever the spelling.

import { expressionsOf } from '../../contract/paths.ts'

/** A name in the form that all its spellings share: `per_page`, `perPage` and `per-page` are `perpage`. */
export const normal = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

export const singular = (name: string): string =>
  name
    .replace(/ies$/i, 'y')
    .replace(/(ss|x|ch|sh)es$/i, '$1')
    .replace(/([^s])s$/i, '$1')

/** Whether two names are the same word, singular or plural. */
export const sameWord = (a: string, b: string): boolean => normal(singular(a)) === normal(singular(b))

/** The segments of a path without a trailing slash or a suffix: `/things/{id}.json` and `/things/{id}/` are alike. */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1)
  if (segments.at(-1) === '') segments.pop()
  const last = segments.pop()
  return last === undefined
    ? []
    : [...segments, last.replace(/\.(?:json|xml|ya?ml)$/i, '').replace(/\.?\{format\}$/, '')]
}

const isExpression = (segment: string): boolean => /^\{[^{}]*\}$/.test(segment)

/** Whether a path names one thing by its last segment. */
export const isItemPath = (path: string): boolean => isExpression(segmentsOf(path).at(-1) ?? '')

/** The last segment that is a word: `/repos/{owner}/{repo}` → `repos`. */
export const wordOf = (path: string): string => segmentsOf(path).findLast(segment => !segment.includes('{')) ?? ''

/** The path parameter that names an item. */
export const itemParameter = (path: string): string => expressionsOf(path).at(-1) ?? ''

/** Paths that name one thing, with their segments. */
export type ItemPaths = readonly (readonly [path: string, segments: readonly string[]])[]

export const itemPathsOf = (paths: readonly string[]): ItemPaths =>
  paths.filter(isItemPath).map(path => [path, segmentsOf(path)])

/**
 * The path that names the items of a collection: `/things/{id}`, else `/thing/{id}` beside it, else one elsewhere:
 * `/authors/{id}/books` may have its items at `/books/{isbn}`.
 */
export function itemPathOf(collection: string, items: ItemPaths): string | undefined {
  const own = segmentsOf(collection)
  const last = own.at(-1) ?? ''
  const below = (
    segments: readonly string[],
    base: readonly string[],
    same: (a: string, b: string) => boolean,
  ): boolean => {
    return segments.length === base.length + 1 && base.every((one, i) => same(one, segments[i] as string))
  }
  const beside = (a: string, b: string) => a === b || (isExpression(a) ? isExpression(b) : sameWord(a, b))
  const find = (base: readonly string[], same: (a: string, b: string) => boolean) =>
    items.find(([, segments]) => below(segments, base, same))?.[0]
  return find(own, (a, b) => a === b) ?? find(own, beside) ?? find([last], sameWord)
}
