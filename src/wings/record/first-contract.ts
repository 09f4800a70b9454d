// Infers a first contract from recorded exchanges: which parts of paths are ids, the parameters, and the schemas of bodies. Which
// operations are about the same records is left to the inference of state.

import { isJson } from '../../contract/media-types.ts'
import { isObject, type Json, type JsonObject, put } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { freeName } from '../../kernel/names.ts'
import { createContract } from '../project/described.ts'
import { parameterAfter } from '../project/handlebars.ts'
import type { RecordedExchange } from '../project/har.ts'
import { type ImportedRoute, newRoute, showQuery } from '../project/imported.ts'
import { decodeSegment, jsonOfMessage, typeOfMessage, valueOfRequest } from '../project/messages.ts'
import type { EarlierContract } from './earlier-contract.ts'

/** The bodies of an operation from which a schema is made; more only with another status. */
const MOST_BODIES = 500

/** The traffic of one operation; its path has `{}` for ids. */
interface SeenOperation {
  readonly route: ImportedRoute
  /** One of the paths that were sent. */
  readonly sample: string
  /** Statuses of requests without the header `Authorization`, and its first word. */
  readonly bare: Set<number>
  word: string
}

/**
 * @param exchanges is iterated twice
 * @param earlier that of an earlier recording, whose names are kept
 */
export async function firstContract(
  exchanges: AsyncIterable<RecordedExchange>,
  earlier: EarlierContract,
): Promise<JsonObject> {
  const paths = new PathBook()
  let title = ''
  for await (const { path, reply, origin } of exchanges) {
    title ||= `Recorded from ${origin}`
    paths.learn(path, reply.status, jsonOfMessage(reply))
  }
  paths.read()
  const seen = new Map<string, SeenOperation>()
  for await (const one of exchanges) {
    if (/^(?:GET|PUT|POST|DELETE|PATCH|TRACE)$/.test(one.method))
      note(one, earlier.shapeOf(one.path, paths.shapeOf(one.path)), seen)
  }
  const schemes: Record<string, Json> = {}
  const routes = [...seen.values()].map(({ route, sample, bare, word }) => {
    const { path: described, integers } = paths.describe(sample, route.path)
    const path = earlier.pathOf(described)
    for (const [i, [, name = '']] of [...path.matchAll(/\{([^}]*)\}/g)].entries())
      route.shown.parameters.set(`path ${name}`, [[integers[i] ? '1' : '']])
    if (word !== '' && bare.has(401) && [...bare].every(status => status >= 400)) {
      put(schemes, word, { type: 'http', scheme: word.toLowerCase() })
      route.shown.security.add(word)
    }
    return { ...route, path }
  })
  const contract = createContract()
  contract.addExamples(routes, earlier)
  return contract.write({ title, schemes })
}

function note(
  { method, path, query, request, reply, place }: RecordedExchange,
  shape: string,
  seen: Map<string, SeenOperation>,
): void {
  const { status } = reply
  const one = getOrMake(seen, `${method} ${shape}`, () => {
    return { route: newRoute(method, shape), sample: path, bare: new Set<number>(), word: '' }
  })
  const { cases, shown } = one.route
  const { authorization } = request.headers
  if (authorization === undefined) one.bare.add(status)
  else one.word ||= authorization.split(' ', 1)[0] as string
  const body = jsonOfMessage(reply)
  if (cases.length < MOST_BODIES || cases.every(known => known.status !== status)) {
    const type = typeOfMessage(reply)
    const isEmpty = (reply.body === undefined && !reply.isPartial) || type === ''
    cases.push({
      name: '',
      place,
      when: [],
      status,
      headers: {},
      ...(isEmpty ? {} : { type, body: isJson(type) ? body : '' }),
      ...(typeof request.body === 'string' ? { trial: { path, query, headers: {}, body: request.body } } : {}),
    })
  }
  const list = [body, ...Object.values(isObject(body) ? body : {})].find((value): value is Json[] =>
    Array.isArray(value),
  )
  if (query === '' && list !== undefined) shown.most = Math.max(shown.most ?? 0, list.length)
  if (request.body !== undefined) {
    const bodies = getOrMake(shown.bodies, typeOfMessage(request) || '*/*', () => [])
    const sent = valueOfRequest(request)
    if (sent !== undefined && status < 400 && bodies.length < MOST_BODIES) bodies.push(sent)
  }
  const given = new URLSearchParams(query)
  showQuery(shown, given)
  for (const [name, value] of given) {
    // A value that is a text in the records is one, even if it looks like a number.
    if (list?.some(item => isObject(item) && item[name] === value))
      showQuery(shown, new URLSearchParams({ [name]: 'text' }))
  }
}

// --- paths -----------------------------------------------------------------------------------------------------------

/** Numbers, UUIDs, hashes, prefixed ids, dates, addresses and blanks. */
const ID =
  /^(?:\d+|[\da-f]{8}-[\da-f-]{27}|(?=.*\d)[\da-f]{12,}|(?=.*\d)(?=.*[A-Z])[\w-]{10,}|[a-z]{2,}_(?=.*\d)\w{6,}|\d{4}-\d\d-\d\d|[^@]+@[^@]+|masked-\d+)$/

/** An id in paths: how often a field of replies has its value, and whether all of its values are integers. */
interface IdPlace {
  readonly fields: Map<string, number>
  isInteger: boolean
}

/** Returns the beginning of a path up to a segment. */
const upTo = (segments: readonly string[], last: number): string => segments.slice(0, last + 1).join('/')

/** Finds the ids in paths: by their form, and because a reply to the path has a field with that value. Learn all before `read`. */
class PathBook {
  /** The paths, and whether a reply to one shows something. */
  readonly #paths = new Map<string, boolean>()
  /** By the part of a path that ends with an id, the fields of replies with it. */
  readonly #fields = new Map<string, Set<string>>()
  /** By the shape that ends with an id. */
  readonly #places = new Map<string, IdPlace>()
  /** The shapes that end with a word. */
  readonly #words = new Set<string>()

  learn(path: string, status: number, body: Json | undefined): void {
    const isShown = status < 400 && body !== undefined
    this.#paths.set(path, this.#paths.get(path) === true || isShown)
    const segments = path.split('/').map(decodeSegment)
    for (const [field, value] of isShown ? scalarsIn(body) : []) {
      const at = segments.lastIndexOf(String(value))
      const name = typeof value === 'string' ? `"${field}` : `#${field}`
      if (at > 1) getOrMake(this.#fields, upTo(path.split('/'), at), () => new Set<string>()).add(name)
    }
  }

  read(): void {
    // Those that show something come first. Before the words among them are known, none of them is odd.
    const shown = [...this.#paths]
      .sort(([, a], [, b]) => Number(b) - Number(a))
      .map(([path, isShown]) => ({ path, isShown, parts: this.#partsOf(path) }))
    for (const { isShown, parts } of shown) {
      for (const i of parts.keys()) if (isShown && parts[i] !== '{}') this.#words.add(upTo(parts, i))
    }
    for (const { path } of shown) this.#readIds(path)
  }

  #readIds(path: string): void {
    const segments = path.split('/')
    const parts = this.#partsOf(path)
    for (const [i, segment] of segments.entries()) {
      if (parts[i] !== '{}') continue
      const place = getOrMake(this.#places, upTo(parts, i), (): IdPlace => ({ fields: new Map(), isInteger: true }))
      const fields = [...(this.#fields.get(upTo(segments, i)) ?? [])]
      for (const field of fields) place.fields.set(field.slice(1), (place.fields.get(field.slice(1)) ?? 0) + 1)
      place.isInteger &&= /^(?:0|[1-9]\d{0,14})$/.test(segment) && fields.every(field => field[0] === '#')
    }
  }

  #partsOf(path: string): string[] {
    const parts: string[] = []
    const segments = path.split('/')
    for (const [i, segment] of segments.entries()) {
      const isShown = ID.test(decodeSegment(segment)) || this.#fields.has(upTo(segments, i))
      // One that shows nothing is an id where others are.
      const isOdd = this.#places.has([...parts, '{}'].join('/')) && !this.#words.has([...parts, segment].join('/'))
      parts.push(i > 0 && (isShown || isOdd) ? '{}' : segment)
    }
    return parts
  }

  /** Returns a path with `{}` for each id. */
  shapeOf(path: string): string {
    return this.#partsOf(path).join('/')
  }

  /** Returns a path with a name for each id of its shape, and whether each is an integer. */
  describe(path: string, shape: string): { readonly path: string; readonly integers: readonly boolean[] } {
    const all = this.#partsOf(path)
    const parts = shape.split('/')
    const integers: boolean[] = []
    const names = new Set<string>()
    const template = parts.map((part, i) => {
      if (part !== '{}') return part
      const { isInteger = false, fields = [] } = this.#places.get(upTo(all, i)) ?? {}
      integers.push(isInteger)
      const [[field] = ['id']] = [...fields].sort(([a, x], [b, y]) => Number(b === 'id') - Number(a === 'id') || y - x)
      const before = decodeSegment(parts.slice(0, i).findLast(segment => segment !== '{}') ?? '')
      const name = field === 'id' ? parameterAfter(before, names) : freeName(field, names)
      names.add(name)
      return `{${name}}`
    })
    return { path: template.join('/'), integers }
  }
}

/** The names and values of texts and numbers in a body. */
function* scalarsIn(value: Json, depth = 0): Generator<readonly [field: string, value: string | number]> {
  if (typeof value !== 'object' || value === null || depth > 4) return
  for (const [name, one] of Object.entries(value)) {
    if (typeof one === 'string' || typeof one === 'number') yield [name, one]
    else yield* scalarsIn(one as Json, depth + 1)
  }
}
