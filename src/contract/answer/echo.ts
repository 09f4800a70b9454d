// Repeats values of the request in a reply: its parameters, and the fields of its body that the reply documents.

import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, mapValues, memberAt, put } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { participlesOf, plainName } from '../../kernel/names.ts'
import { isWrapperName } from '../../sample/branches.ts'
import { orderPairs, pairsIn } from '../../sample/pairs.ts'
import type { ReplyPart } from '../../sample/sample.ts'
import type { Operation } from '../contract.ts'
import type { SchemaUse } from '../schema/schema-book.ts'

/** A received parameter. */
interface Said {
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
const IDS = /id$|key$|uuid$|number$|^name$|slug$/i
/** The id of a record itself. */
const OWN_IDS = /^_?(?:id|key|uuid)$/i
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
  const hasBody = isObject(body) || Array.isArray(body)
  if (parameters.length === 0 && !hasBody) return value
  const reply = new GuardedValue(value, next => schema === undefined || schema.fits(next))
  const { records, items, lists } = targetsIn(value)
  const repetition = new Repetition(isExample)
  /** Puts a value under its name, in the spelling of the reply; returns whether that has it. */
  const putNamed = (path: Path, name: string, said: Json): boolean => {
    const next = repetition.record(reply.at(path) as Json, { [name]: said }, undefined)
    if (next !== undefined) reply.put(path, next)
    return next !== undefined
  }
  // The last parameter of the path identifies the record. Its name does not count.
  const last = parameters.filter(one => one.in === 'path' && one.names === undefined).at(-1)
  const isOwn = (one: Said) => one.in === 'path' && one.names === undefined
  const named = new Set<Said>()
  const putAll = (some: readonly Said[]): void => {
    for (const path of records) for (const one of some) if (putNamed(path, one.name, one.value)) named.add(one)
  }
  // The body says more of the record than the query does, and the path names it.
  putAll(parameters.filter(one => !isOwn(one)))
  if (hasBody) repeatBody(reply, body as Json, schema?.sampler.part(schema.key), repetition)
  putAll(parameters.filter(isOwn))
  if (last !== undefined && IDS.test(last.name) && !named.has(last)) {
    for (const path of records) putNamed(path, 'id', last.value)
  }
  if (isExample) return reply.value
  const filters = parameters.filter(({ name }) => !PAGING.test(name))
  for (const path of items) for (const { name, value: said } of filters) putNamed(path, name, said)
  const limit = parameters.find(one => one.in === 'query' && LIMITS.test(one.name) && typeof one.value === 'number')
  if (limit === undefined) return reply.value
  for (const path of lists) {
    const list = reply.at(path)
    if (Array.isArray(list)) reply.put(path, list.slice(0, Number(limit.value)))
  }
  return reply.value
}

/**
 * Puts a body into a reply: in the whole, else inside its wrapper, `{ "user": {…} }`; the body itself, else the value inside
 * its wrapper.
 */
function repeatBody(reply: GuardedValue, body: Json, part: ReplyPart | undefined, repetition: Repetition): void {
  const inside = isObject(body) ? Object.values(body).filter(one => typeof one === 'object' && one !== null) : []
  const sources = inside.length === 1 ? [body, inside[0] as Json] : [body]
  const repeatAt = (path: Path): boolean =>
    sources.some(said => {
      const inner = path.reduce<ReplyPart | undefined>((at, step) => at?.within(String(step)), part)
      const known = reply.at(path) as Json
      const next = repetition.record(known, said, inner)
      if (next === undefined) return false
      if (reply.put(path, next) || !isObject(next)) return true
      for (const [name, one] of Object.entries(next as JsonObject)) {
        if (one !== (known as JsonObject)[name]) reply.put([...path, name], one)
      }
      return true
    })
  const found = repeatAt([])
  const whole = reply.value
  if (!isObject(whole)) return
  const members = Object.keys(whole).filter(name => typeof whole[name] === 'object' && whole[name] !== null)
  const only = members.length === 1 && !Object.keys(whole).some(name => OWN_IDS.test(name))
  for (const name of members)
    if (isObject(whole[name]) && isWrapperName(name)) repeatAt([name])
    else if (only && !found) repeatAt([name])
}

/** The maximum number of generated items of lists in a reply: further ones repeat these. */
const MOST_GENERATED = 20
/** The maximum length of a list that is repeated, and of names that are compared by spelling: each takes some 20 µs. */
const MOST_REPEATED = 2000

/** Repeats the documented fields of a body. What a reply needs besides is left as it is, or generated. */
class Repetition {
  readonly #isExample: boolean
  readonly #generated = new Map<ReplyPart, Json[]>()

  constructor(isExample: boolean) {
    this.#isExample = isExample
  }

  /** Returns a record, or records of a list, with the fields that were sent; `undefined` if there are none. */
  record(known: Json, said: Json, part: ReplyPart | undefined): Json | undefined {
    if (isObject(known) && isObject(said)) return this.#fields(known as JsonObject, said as JsonObject, part)
    if (!Array.isArray(known)) return undefined
    if (Array.isArray(said)) return this.#list(known, said, part)
    if (this.#isExample) return undefined
    const item = part?.within('0')
    const next = known.map((one: Json) => this.record(one, said, item))
    return next.some(one => one !== undefined) ? next.map((one, i) => one ?? (known[i] as Json)) : undefined
  }

  /** Returns a value that was sent, in the form of the reply; `undefined` if it does not fit there. */
  #value(known: Json | undefined, said: Json, part: ReplyPart | undefined): Json | undefined {
    if (Array.isArray(said) && (known === undefined || known === null || Array.isArray(known)))
      return this.#list(known ?? [], said, part)
    if (!isObject(said)) return inForm(said, known, part)
    const isDescribed = (part?.declared.size ?? 0) > 0
    const own = isObject(known) ? (known as JsonObject) : undefined
    if (isDescribed || (own !== undefined && Object.keys(own).length > 0 && part?.isUndescribed !== false))
      return this.#fields(own, said as JsonObject, part)
    return mapValues(said as JsonObject, (one, name) => this.#value(undefined, one, part?.within(name)) ?? one)
  }

  #list(known: readonly Json[], said: readonly Json[], part: ReplyPart | undefined): Json[] | undefined {
    if (said.length > MOST_REPEATED) return undefined
    const item = part?.within('0')
    const other = (one: Json) => (!isObject(one) || item === undefined ? known[0] : this.#generate(item))
    return said.flatMap((one, i) => this.#value(known[i] ?? other(one), one, item) ?? [])
  }

  #fields(known: JsonObject | undefined, said: JsonObject, part: ReplyPart | undefined): JsonObject | undefined {
    const wanted = new Set([...Object.keys(known ?? {}), ...(part?.declared ?? [])])
    const spellings = new Map([...wanted].map(name => [plainName(name), name]))
    const own: Record<string, Json> = {}
    const names = Object.keys(said)
    // A body may have 50,000 names.
    const compared = names.length > MOST_REPEATED ? [...wanted].filter(name => Object.hasOwn(said, name)) : names
    for (const sent of compared) {
      const name = wanted.has(sent) ? sent : spellings.get(plainName(sent))
      if (name === undefined || (name !== sent && Object.hasOwn(said, name))) continue
      const value = this.#value(known?.[name], said[sent] as Json, part?.within(name))
      if (value !== undefined) put(own, name, value)
    }
    if (Object.keys(own).length === 0) return undefined
    const record = { ...(known ?? (part === undefined || part.fits(own) ? {} : this.#generate(part))), ...own }
    const change = (name: string, value: Json) => void (Object.hasOwn(own, name) || put(record, name, value))
    orderPairs(pairsIn(Object.keys(record)), name => record[name], change)
    return record
  }

  #generate(part: ReplyPart): JsonObject {
    const made = getOrMake(this.#generated, part, (): Json[] => [])
    if (made.length < MOST_GENERATED) made.push(part.sample(made.length + 1) ?? {})
    const last = made.at(-1)
    return isObject(last) ? (last as JsonObject) : {}
  }
}

/** Returns the flags that an action sets by its path: `following` of `POST /users/{id}/follow`, which a DELETE takes back. */
export function flagsOf({ method, path }: Operation): EchoSource['parameters'] {
  const word = plainName(/\}\/([\w-]+)\/?$/.exec(path)?.[1] ?? '')
  if (word === '' || method === 'GET') return []
  const undone = /^un(.+)/.exec(word)?.[1]
  const value = method !== 'DELETE' && undone === undefined
  const names = participlesOf(undone ?? word).flatMap(name => [name, `is${name}`])
  return names.map(name => ({ name, in: 'path', value, names: 'another' }))
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
    } else if (isObject(inner) && (members.length === 2 || isWrapperName(String(path[0])))) targets.records.push(path)
  }
  return targets
}

/** Converts a value to the type of the value that it replaces; `undefined` if it does not fit there. */
function inForm(said: Json, known: Json | undefined, part: ReplyPart | undefined): Json | undefined {
  const one = Array.isArray(said) && !Array.isArray(known) ? (said[0] as Json | undefined) : said
  const isText = typeof known === 'string' && typeof one !== 'string' && typeof one !== 'object'
  const isNumber = typeof known === 'number' && typeof one === 'string' && /^-?\d+(?:\.\d+)?$/.test(one)
  const form = one === undefined ? undefined : isText ? String(one) : isNumber ? Number(one) : one
  return form === undefined || part?.fits(form) === false ? undefined : form
}

function replaced(value: Json | undefined, [key, ...rest]: Path, next: Json): Json {
  if (key === undefined) return next
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? replaced(item, rest, next) : item))
  return { ...(value as JsonObject), [key]: replaced((value as JsonObject | undefined)?.[key], rest, next) }
}

/** A value that changes only while it stays valid, part by part. */
export class GuardedValue {
  value: Json
  readonly #fits: (value: Json) => boolean

  /** @param fits whether a value is valid as a whole */
  constructor(value: Json, fits: (value: Json) => boolean) {
    this.value = value
    this.#fits = fits
  }

  at(path: Path): Json | undefined {
    return memberAt(this.value, path) as Json | undefined
  }

  /** Returns whether the whole would be valid with this part. */
  fits(path: Path, part: Json): boolean {
    return this.#fits(replaced(this.value, path, part))
  }

  /** Replaces or adds a part, and returns whether the whole stays valid; otherwise nothing changes. */
  put(path: Path, part: Json): boolean {
    const whole = replaced(this.value, path, part)
    const fits = this.#fits(whole)
    if (fits) this.value = whole
    return fits
  }

  /** Removes a property, in the same way. */
  drop(path: Path): boolean {
    const key = path.at(-1)
    const holder = this.at(path.slice(0, -1))
    if (typeof key !== 'string' || !isObject(holder)) return false
    if (!Object.hasOwn(holder, key)) return true
    const { [key]: _, ...rest } = holder as JsonObject
    return this.put(path.slice(0, -1), rest)
  }
}
