// Repeats values of the request in a reply: the id in the path, the fields of a created record, the filter of a list. Each
// only if the reply stays valid. Independent of HTTP.

import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import { GuardedValue } from './guarded-value.ts'

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

const LIMITS = /^(?:limit|per_?page|page_?size|size|count|max_?results|top|first)$/i
const WRAPPERS = /^(?:data|result|item|record|entity|payload|response|value)$/i
const IDS = /id$|key$|uuid$|number$|^name$|slug$/i
/** Parameters that do not name a field of the records in a list. */
const PAGING = /^(?:limit|offset|page|sort|order|q)$/i

/**
 * Returns a reply with the values of the request in it; the same value if nothing changes.
 *
 * @param isExample whether the reply is an example: the records of its lists are other records and stay unchanged
 */
export function echo(value: Json, source: EchoSource, schema: SchemaUse | undefined, isExample = false): Json {
  const { body } = source
  const parameters = isExample ? source.parameters.filter(one => one.in === 'path') : source.parameters
  if (parameters.length === 0 && !isObject(body)) return value
  const reply = new GuardedValue(value, next => schema === undefined || schema.fits(next))
  const { records, items, lists } = targetsIn(value)
  const put = (path: Path, name: string, said: Json): boolean => {
    const holder = reply.at(path)
    return isObject(holder) && formsOf(said, holder[name] as Json).some(form => reply.put([...path, name], form))
  }
  const has = (path: Path, name: string): boolean => {
    const holder = reply.at(path)
    return isObject(holder) && Object.hasOwn(holder, name)
  }
  const putNamed = (path: Path, { name, value: said }: Said): void => {
    const inside = namesFor(name).find(one => has(path, one))
    if (inside !== undefined) put(path, inside, said)
  }
  // The last parameter of the path identifies the record. Its name does not count.
  const last = parameters.filter(one => one.in === 'path' && one.names === undefined).at(-1)
  for (const path of records) {
    if (isObject(body)) {
      // Some declared properties may be absent in the reply. A set: the body may have 90,000 names.
      const declared = path.length === 0 ? (schema?.sampler.declared(schema.key) ?? []) : []
      const wanted = new Set([...Object.keys(reply.at(path) as JsonObject), ...declared])
      for (const name of Object.keys(body)) if (wanted.has(name)) put(path, name, (body as JsonObject)[name] as Json)
    }
    for (const one of parameters) putNamed(path, one)
    if (last !== undefined && IDS.test(last.name) && !namesFor(last.name).some(one => has(path, one))) {
      if (has(path, 'id')) put(path, 'id', last.value)
    }
  }
  if (isExample) return reply.value
  const filters = parameters.filter(({ name }) => !PAGING.test(name))
  for (const path of items) for (const one of filters) putNamed(path, one)
  const limit = parameters.find(one => one.in === 'query' && LIMITS.test(one.name) && typeof one.value === 'number')
  if (limit === undefined) return reply.value
  for (const path of lists) reply.put(path, (reply.at(path) as readonly Json[]).slice(0, Number(limit.value)))
  return reply.value
}

/** Returns the values of a request that creates a record below another: the id in the path is the other one's. */
export const saidBelow = ({ parameters, body }: EchoSource): EchoSource => ({
  parameters: parameters.flatMap(one => {
    if (one.in !== 'path') return [one]
    return /^(?:id|key|uuid)$/i.test(one.name) ? [] : [{ ...one, names: 'another' as const }]
  }),
  body,
})

/** The places of a reply's record, inside its wrapper if it has one, of its lists, and of their items. */
interface EchoTargets {
  readonly records: Path[]
  readonly items: Path[]
  readonly lists: Path[]
}

function targetsIn(value: Json): EchoTargets {
  const targets: EchoTargets = { records: isObject(value) ? [[]] : [], items: [], lists: [] }
  const members: readonly (readonly [Path, unknown])[] = [
    [[], value],
    ...(isObject(value) ? Object.entries(value).map(([name, inner]) => [[name], inner] as const) : []),
  ]
  for (const [path, inner] of members) {
    if (Array.isArray(inner)) {
      targets.lists.push(path)
      for (const i of inner.keys()) targets.items.push([...path, i])
    } else if (isObject(inner) && WRAPPERS.test(String(path[0]))) targets.records.push(path)
  }
  return targets
}

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
