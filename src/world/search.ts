// Searches records for words.

import { isObject, type Json } from '../kernel/json.ts'
import { searchFor } from '../kernel/search-for.ts'

/** Every record is searched for every word, and no other request is answered meanwhile. */
export const MOST_WORDS = 20
export const LONGEST_SEARCH = 1000

/** Why a search takes too long; `undefined` if it does not, or without one. */
export const excessOf = (search: string | undefined): string | undefined =>
  search !== undefined && (search.length > LONGEST_SEARCH || wordsOf(search).length > MOST_WORDS)
    ? `must have at most ${MOST_WORDS} different words and 1,000 characters`
    : undefined

const wordsOf = (search: string): string[] => [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))]

/** Returns a function that tells whether a record mentions each word; `undefined` without words. */
export function compileSearch(search: string | undefined): ((record: Json) => boolean) | undefined {
  const words = wordsOf(search ?? '')
  if (words.length === 0) return undefined
  const searches = words.map(searchFor)
  return record => {
    let left = searches
    visitTexts(record, text => {
      const lower = text.toLowerCase()
      left = left.filter(finds => !finds(lower))
      return left.length === 0
    })
    return left.length === 0
  }
}

/** Visits all texts of a value until `visit` is done. Returns whether it is. */
function visitTexts(value: Json, visit: (text: string) => boolean): boolean {
  if (typeof value === 'string') return visit(value)
  if (Array.isArray(value)) return value.some(item => visitTexts(item, visit))
  return isObject(value) && Object.values(value).some(item => visitTexts(item as Json, visit))
}
