// Repeats values of the request in a reply: the id in the path, the fields of a created record, the filter of a list. Each
// only if the reply stays valid. Independent of HTTP.

import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { Path } from '../../kernel/source.ts'
import { replaced, valueAt } from './places.ts'

/** A received parameter. */
export interface Said {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly value: Json
  /** Set if it names another record than the reply's. */
  readonly names?: 'another'
}

export interface EchoSource {
  readonly parameters: readonly Said[]
  readonly body: Json | undefined
}

export const NOTHING_GIVEN: EchoSource = { parameters: [], body: undefined }

/** Returns whether a value is valid as the whole reply. */
type ReplyFits = (value: Json) => boolean

/**
 * Returns the value with the values of the request in it.
 *
 * @param declared the properties of the reply's schema; some of them may be absent in the reply
 * @param kinds where to put it
 */
export function echo(
  value: Json,
  { parameters, body }: EchoSource,
  fits: ReplyFits,
  declared: ReadonlySet<string>,
  kinds: readonly EchoTarget['kind'][] = EVERYWHERE,
): Json {
  let current = value
  const attempt = (next: Json): boolean => {
    const fit = fits(next)
    if (fit) current = next
    return fit
  }
  for (const place of placesOf(current)) {
    if (!kinds.includes(place.kind)) continue
    const at = () => valueAt(current, place.path)
    const put = (name: string, said: Json): boolean => {
      const holder = at()
      if (!isObject(holder)) return false
      const known = holder[name] as Json | undefined
      return formsOf(said, known).some(form =>
        attempt(replaced(current, place.path, { ...(holder as JsonObject), [name]: form })),
      )
    }
    const has = (name: string) => {
      const holder = at()
      return isObject(holder) && Object.hasOwn(holder, name)
    }
    if (place.kind !== 'item' && isObject(body)) {
      // A set first: looking up each of 90,000 names in the reply takes as long as reading them.
      const wanted = new Set([...Object.keys(at() as JsonObject), ...(place.path.length === 0 ? declared : [])])
      for (const name of Object.keys(body)) if (wanted.has(name)) put(name, (body as JsonObject)[name] as Json)
    }
    const inPath = parameters.filter(one => one.in === 'path' && one.names === undefined)
    for (const { name, value: said } of parameters) {
      const inside = namesFor(name).find(has)
      if (inside !== undefined && !/^(?:limit|offset|page|sort|order|q)$/i.test(place.kind === 'item' ? name : ''))
        put(inside, said)
    }
    // The last parameter of the path identifies the record. Its name does not count.
    const last = inPath.at(-1)
    if (place.kind !== 'item' && last !== undefined && /id$|key$|uuid$|number$|^name$|slug$/i.test(last.name)) {
      if (!namesFor(last.name).some(has) && has('id')) put('id', last.value)
    }
  }
  const limit = parameters.find(one => one.in === 'query' && LIMITS.test(one.name) && typeof one.value === 'number')
  if (limit !== undefined) {
    for (const { path, kind } of placesOf(current)) {
      if (kind === 'list')
        attempt(replaced(current, path, (valueAt(current, path) as readonly Json[]).slice(0, Number(limit.value))))
    }
  }
  return current
}

/**
 * Returns an example with the id and the fields of the request. The records of a list are other records and stay
 * unchanged.
 */
export function echoOver(
  example: Json,
  { parameters, body }: EchoSource,
  fits: ReplyFits,
  declared: ReadonlySet<string>,
): Json {
  const named = parameters.filter(one => one.in === 'path')
  if (named.length === 0 && !isObject(body)) return example
  return echo(example, { parameters: named, body }, fits, declared, RECORD_ONLY)
}

/** Returns the values of a request that creates a record below another: the id in the path is the other one's. */
export const saidBelow = ({ parameters, body }: EchoSource): EchoSource => ({
  parameters: parameters.flatMap(one => {
    if (one.in !== 'path') return [one]
    return /^(?:id|key|uuid)$/i.test(one.name) ? [] : [{ ...one, names: 'another' as const }]
  }),
  body,
})

const LIMITS = /^(?:limit|per_?page|page_?size|size|count|max_?results|top|first)$/i

interface EchoTarget {
  readonly path: Path
  readonly kind: 'whole' | 'item' | 'list'
}

const EVERYWHERE: readonly EchoTarget['kind'][] = ['whole', 'item', 'list']
const RECORD_ONLY: readonly EchoTarget['kind'][] = ['whole']

/** Returns the reply's record, inside its wrapper if it has one, and the records of a list. */
function placesOf(value: Json): EchoTarget[] {
  if (Array.isArray(value))
    return [...value.map((_, i): EchoTarget => ({ path: [i], kind: 'item' })), { path: [], kind: 'list' }]
  if (!isObject(value)) return []
  const places: EchoTarget[] = [{ path: [], kind: 'whole' }]
  for (const [name, inner] of Object.entries(value)) {
    if (Array.isArray(inner)) {
      places.push(...inner.map((_, i): EchoTarget => ({ path: [name, i], kind: 'item' })), {
        path: [name],
        kind: 'list',
      })
    } else if (isObject(inner) && WRAPPERS.test(name)) places.push({ path: [name], kind: 'whole' })
  }
  return places
}

const WRAPPERS = /^(?:data|result|item|record|entity|payload|response|value)$/i

/** Returns the spellings of a name: bookId, book_id, book-id. */
function namesFor(name: string): string[] {
  const snake = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  const camel = snake.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase())
  return [...new Set([name, camel, snake, snake.replaceAll('_', '-')])]
}

/** Converts a value to the type of the value that it replaces. */
function formsOf(said: Json, known: Json | undefined): Json[] {
  const one = Array.isArray(said) && !Array.isArray(known) ? (said[0] as Json | undefined) : said
  if (one === undefined) return []
  if (typeof known === 'string' && typeof one !== 'string' && typeof one !== 'object') return [String(one)]
  if (typeof known === 'number' && typeof one === 'string' && /^-?\d+(?:\.\d+)?$/.test(one)) return [Number(one)]
  return [one]
}
