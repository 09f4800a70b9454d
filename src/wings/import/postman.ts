// Postman: collections of version 2.1, with their environments.

import { expressionsOf } from '../../contract/paths.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Path, Source } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, parseJson, put, stringifyJson } from '../../kernel/json.ts'
import { attempted, getOrMake } from '../../kernel/memo.ts'
import { freeName } from '../../kernel/names.ts'
import { isSecretName } from '../../kernel/secrets.ts'
import { Blanks } from '../project/blanks.ts'
import { parameterAfter } from '../project/handlebars.ts'
import {
  asList,
  createCallers,
  encodePairs,
  type ImportedCase,
  type ImportedRoute,
  type ImportedTrial,
  type ImportKind,
  METHODS_OF_PATHS,
  nameOfVariable,
  objectItems,
  RouteBook,
  showQuery,
} from '../project/imported.ts'
import type { Lose, Members } from './matchers.ts'

/** The collection in a file: an export, or a reply of the API of Postman. */
function collectionIn(value: unknown): Members | undefined {
  const inner = isObject(value) && isObject(value.collection) ? value.collection : value
  return isObject(inner) && isObject(inner.info) && Array.isArray(inner.item) ? inner : undefined
}
const isEnvironment = (value: unknown): value is Members =>
  isObject(value) && Array.isArray(value.values) && '_postman_variable_scope' in value
/** Version 1 has a flat list of requests. */
const isFirstVersion = (value: unknown): boolean =>
  isObject(value) && Array.isArray(value.requests) && Array.isArray(value.order)

export const postman: ImportKind = {
  name: 'postman',
  what: 'a collection of Postman',
  recognises: value => collectionIn(value) !== undefined || isEnvironment(value) || isFirstVersion(value),
  read(files, report) {
    const environments = files.flatMap(({ source }) => (isEnvironment(source.value) ? asList(source.value.values) : []))
    const reading = new CollectionReading(environments, report)
    let title = 'Imported from Postman'
    for (const { source } of files) {
      const found = collectionIn(source.value)
      if (isFirstVersion(source.value)) {
        const hint = 'import it in Postman, and export it as "Collection v2.1"'
        report.error('old-collection', 'this is a collection of version 1', source.locate([]), hint)
      } else if (found !== undefined) {
        title = String((found.info as Members).name ?? title)
        reading.readFolder(found, source, found === source.value ? [] : ['collection'], { variables: new Map() })
      }
    }
    const { book, callers } = reading
    return { title, routes: book.routes, records: [], hasExamples: true, ...callers.write() }
  },
}

/** The settings of the folders around a request. */
interface FolderSettings {
  readonly variables: Variables
  readonly tag?: string
  /** The name of a security scheme; `''` for none. */
  readonly auth?: string
}

class CollectionReading {
  readonly book = new RouteBook()
  readonly callers = createCallers()
  readonly #environments: readonly unknown[]
  readonly #report: Diagnostics
  readonly #blanks = new Blanks([], undefined)

  constructor(environments: readonly unknown[], report: Diagnostics) {
    this.#environments = environments
    this.#report = report
  }

  readFolder(folder: Members, source: Source, at: Path, around: FolderSettings): void {
    const lose = (path: Path, what: string, hint: string) =>
      this.#report.warning('not-imported', what, source.locate([...at, ...path]), hint)
    for (const [i, { listen, script }] of objectItems(folder.event).entries()) {
      const lines = asList(isObject(script) ? script.exec : '').join('')
      const what = `the ${listen === 'test' ? 'test' : 'script'} of "${folder.name ?? 'the collection'}" is not run`
      if (/\S/.test(lines)) lose(['event', i], what, 'write it as a rule, or in the tests of the client')
    }
    // Values of an environment replace those of the collection.
    const variables = new Map(around.variables)
    for (const { key, value, type, ...one } of objectItems([...asList(folder.variable), ...this.#environments])) {
      const isOn = one.enabled !== false && one.disabled !== true && type !== 'secret' && !isSecretName(String(key))
      if (isOn && value !== '' && value !== null) variables.set(String(key), String(value))
    }
    const auth = this.#schemeOf(folder.auth, variables, lose, ['auth']) ?? around.auth
    const inner = { ...around, variables, ...(auth === undefined ? {} : { auth }) }
    if (folder.request !== undefined) {
      this.#readRequest(folder, inner, (path: Path) => source.locate([...at, ...path]), lose)
      return
    }
    const isTop = !('tag' in around) && isObject(folder.info)
    const tag = isTop || around.tag ? around.tag : String(folder.name ?? '')
    for (const [i, item] of asList(folder.item).entries()) {
      if (!isObject(item)) continue
      this.readFolder(item, source, [...at, 'item', i], { ...inner, ...(tag ? { tag } : {}) })
    }
  }

  #readRequest(
    item: Members,
    around: FolderSettings,
    placeOf: (path: Path) => ImportedCase['place'],
    lose: Lose,
  ): void {
    const { variables, tag } = around
    const given = isObject(item.request) ? item.request : { url: item.request }
    const request = readMessage(given, variables)
    const method = METHODS_OF_PATHS.find(one => one === request.method)
    if (method === undefined) {
      lose(['request', 'method'], `the method ${request.method} has no equal`, 'use another')
      return
    }
    const authOf = ({ auth: own, header }: Members, known: string | undefined, tell?: Lose) =>
      (this.#schemeOf(own, variables, tell, ['request', 'auth']) ?? known) ||
      this.#schemeOf(authInHeaders(header), variables)
    const auth = authOf(given, around.auth, lose)
    const summary = String(item.name ?? '')
    const { description } = given
    const told = isObject(description) ? description.content : description
    const notes = { summary, tag, place: placeOf([]), description: typeof told === 'string' ? told : undefined }
    const route = this.book.routeAt(method, request.path, notes)
    const replies = objectItems(item.response)
    // A request that is refused shows no valid body.
    const isValid = replies.length === 0 || replies.some(one => Number(one.code) < 300)
    describeSent(route, isValid ? this.#masked(request) : { ...request, body: undefined }, auth)
    for (const [i, one] of replies.entries()) {
      const { code, header, body, name, originalRequest, _postman_previewlanguage: language } = one
      const status = Number(code)
      if (!(status >= 200 && status <= 599)) {
        lose(['response', i], 'this saved reply has no status', 'save it in Postman again')
        continue
      }
      const sent = isObject(originalRequest) ? readMessage({ ...given, ...originalRequest }, variables) : request
      // A reply that was copied from another request is not called like this one.
      const own = sent.method === method ? this.book.routeAt(method, sent.path, { tag, place: notes.place }) : route
      if (status < 300) {
        const known = isObject(originalRequest) ? authOf(originalRequest, auth) : auth
        describeSent(own, this.#masked(sent), known)
        if (known === undefined) own.shown.security.add('')
      }
      const type = sentFields(header).get('content-type')?.split(';')[0]?.trim() ?? TYPES.get(language)
      const shown = {
        status,
        // Files of a form are not in a collection.
        trial: sent.type === 'multipart/form-data' ? undefined : attempted(() => trialOf(sent)),
        ...(status === 204 || status === 304 ? {} : this.#masked(sentContent(body, type))),
      }
      if (!this.book.isNew(`${method} ${own.path} ${stringifyJson(shown)}`)) continue
      const common = { place: placeOf(['response', i]), when: [], headers: {} }
      own.cases.push({ name: exampleName(String(name ?? status), own), ...common, ...shown })
    }
  }

  /** A message as it may be written to a file: without the credentials in its body. */
  #masked<Part extends { readonly body?: ImportedCase['body'] }>(message: Part): Part {
    const { body } = message
    return body === undefined ? message : { ...message, body: this.#blanks.inValue(body as Json) }
  }

  /**
   * Notes a security scheme, and the consumer with its credential.
   *
   * @returns the name of the scheme, `''` for none; `undefined` where nothing is said
   */
  #schemeOf(auth: unknown, variables: Variables, lose?: Lose, at: Path = []): string | undefined {
    if (!isObject(auth) || typeof auth.type !== 'string') return undefined
    const { type } = auth
    const kind = AUTH.get(type)
    if (kind === undefined) {
      if (type !== 'noauth') lose?.(at, `credentials of the kind "${type}" are not asked for`, 'see docs/openapi.md')
      return ''
    }
    // Version 2.0 has an object.
    const own = isObject(auth[type]) ? Object.entries(auth[type]).map(([key, value]) => ({ key, value })) : auth[type]
    const settings = sentFields(own)
    const name = fillIn(settings.get('key') ?? '', variables) || 'x-api-key'
    const isKey = kind === 'apiKey'
    const id = isKey ? name.replace(/[^\w.-]/g, '-') : kind
    const scheme: JsonObject = isKey
      ? { type: kind, in: settings.get('in') === 'query' ? 'query' : 'header', name }
      : { type: 'http', scheme: kind }
    const secrets: Readonly<Record<string, string>> =
      kind === 'basic'
        ? { username: 'BASIC_USERNAME', password: 'BASIC_PASSWORD' }
        : {
            [isKey ? 'value' : type === 'oauth2' ? 'accesstoken' : 'token']: isKey
              ? nameOfVariable(name)
              : 'BEARER_TOKEN',
          }
    const given = Object.entries(secrets).map(([field, usual]) => [settings.get(field) ?? '', usual] as const)
    return this.callers.add(id, scheme, ...given)
  }
}

/** The credential in the header of a request, as Postman writes those that it adds. */
function authInHeaders(header: unknown): Members | undefined {
  for (const [name, text] of sentFields(header)) {
    const [, word = '', token] = /^(bearer|basic)\s+(.*)$/i.exec(text) ?? []
    if (name === 'authorization' && token !== undefined)
      return { type: word.toLowerCase(), [word.toLowerCase()]: { token } }
    if (isSecretName(name) && !/csrf|xsrf|refresh/.test(name))
      return { type: 'apikey', apikey: { key: name, value: text } }
  }
  return undefined
}

type Variables = ReadonlyMap<string, string>

/** The schemes by the kinds of Postman. */
const AUTH: ReadonlyMap<string, string> = new Map(
  Object.entries({ bearer: 'bearer', oauth2: 'bearer', jwt: 'bearer', basic: 'basic', apikey: 'apiKey' }),
)

/** The media types by the languages of Postman. */
const TYPES: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ json: 'application/json', xml: 'application/xml', html: 'text/html', text: 'text/plain' }),
)

/** The name of an example: short, and once for each status. */
function exampleName(text: string, { cases }: ImportedRoute): string {
  const plain =
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'reply'
  return freeName(plain, { has: name => cases.some(one => one.name === name) })
}

/** Returns the content of a message: JSON as its value. A variable without a value is 0 where it is no text. */
function sentContent(given: unknown, type: string | undefined): Pick<ImportedCase, 'type' | 'body'> {
  if (typeof given !== 'string' || given === '') return {}
  const [value] =
    type === undefined || /json/.test(type)
      ? [given, given.replace(/\{\{[^{}]*\}\}/g, '0')].map(text => parseJson(text)).filter(one => 'value' in one)
      : []
  return value === undefined
    ? { type: type ?? 'text/plain', body: given }
    : { type: type ?? 'application/json', body: (value as { readonly value: Json }).value }
}

/** Returns a text with the values of its variables; those that have none stay. */
function fillIn(text: string, variables: Variables, depth = 0): string {
  if (depth > 5 || !text.includes('{{')) return text
  const made = text.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => variables.get(name.trim()) ?? whole)
  return made === text ? text : fillIn(made, variables, depth + 1)
}

/** A value that may be written for a text; the empty text for others. */
const writtenText = (value: unknown): string => (typeof value === 'object' || value === undefined ? '' : String(value))

/** The fields of a message that are switched on, by their lower-case names. */
const sentFields = (list: unknown): Map<string, string> =>
  new Map(
    objectItems(list)
      .filter(({ disabled }) => disabled !== true)
      .map(({ key, value }) => [writtenText(key).toLowerCase(), writtenText(value)]),
  )

interface SentMessage {
  readonly method: string
  /** With the parameters in braces. */
  readonly path: string
  /** The values of the parameters in the path. */
  readonly values: ReadonlyMap<string, string>
  /** With those that are switched off. */
  readonly query: readonly (readonly [name: string, value: string, isOff?: unknown])[]
  readonly headers: ReadonlyMap<string, string>
  readonly type: string | undefined
  readonly body: Json | undefined
}

function readMessage({ method = 'GET', url, header, body }: Members, variables: Variables): SentMessage {
  const fill = (text: unknown) => fillIn(writtenText(text), variables)
  const parts: Members = isObject(url) ? url : { raw: url }
  const raw = String(parts.raw ?? '')
  const [before = '', search = ''] = raw.split('#', 1).join().split('?', 2)
  const bare = before.replace(/^[a-z]+:\/\//i, '')
  const host = parts.host === undefined ? /^[^/]*/.exec(bare)?.[0] : asList(parts.host).join('.')
  // A variable may have a whole URL: `{{baseUrl}}/users`.
  const base = fill(host)
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^[^/]*/, '')
    .replace(/\/$/, '')
  const own = parts.path === undefined ? bare.replace(/^[^/]*\/?/, '').split('/') : asList(parts.path).map(pathPart)
  const known = new Map(objectItems(parts.variable).map(({ key, value }) => [String(key), fill(value)]))
  const values = new Map<string, string>()
  const segments = [...base.split('/').slice(1), ...own]
  const path = segments.map((segment, i) => {
    const named = /^:([\w.-]+)$|^\{\{([^{}]+)\}\}$/.exec(segment)
    const text = named?.[1] === undefined ? fill(segment) : (known.get(named[1]) ?? '')
    const isId = /^(?:\d+|[\da-f]{8}-[\da-f-]{27}|[\da-f]{24})$/i.test(text)
    const isOpen = named?.[1] !== undefined || text.includes('{{') || isId
    if (!isOpen) return text
    const given = (named?.[1] ?? named?.[2] ?? '').replace(/\W+/g, '_')
    const name = given || parameterAfter(segments[i - 1]?.replace(/^:/, ''), new Set(values.keys()))
    values.set(name, text.includes('{{') ? '' : text)
    return `{${name}}`
  })
  const pairs = objectItems(parts.query).map(
    ({ key, value, disabled }) => [String(key ?? ''), fill(value), disabled] as const,
  )
  const query = parts.query === undefined ? [...new URLSearchParams(fill(search))] : pairs
  const headers = new Map([...sentFields(header)].map(([name, value]) => [name, fill(value)]))
  const sent = isObject(body) ? readSentBody(body, headers.get('content-type'), variables) : {}
  return {
    method: String(method).toUpperCase(),
    path: `/${path.join('/')}`,
    values,
    query,
    headers,
    ...sent,
  } as SentMessage
}

const pathPart = (part: unknown): string => String(isObject(part) ? part.value : part)

function readSentBody({ mode, raw, options, ...forms }: Members, known: string | undefined, variables: Variables) {
  if (mode === 'raw') {
    const { language } = (isObject(options) && isObject(options.raw) ? options.raw : {}) as Members
    return sentContent(fillIn(String(raw ?? ''), variables), known ?? TYPES.get(language))
  }
  if (mode === 'graphql') return { type: 'application/json', body: forms.graphql }
  if (mode === 'file') return { type: known ?? 'application/octet-stream' }
  if (mode !== 'urlencoded' && mode !== 'formdata') return {}
  const fields: Record<string, Json> = {}
  for (const { key, value, disabled } of objectItems(forms[mode])) {
    if (disabled !== true) put(fields, String(key), fillIn(String(value ?? ''), variables))
  }
  return { type: mode === 'formdata' ? 'multipart/form-data' : 'application/x-www-form-urlencoded', body: fields }
}

/** Adds what a request shows to the description of its operation. */
function describeSent({ path, shown }: ImportedRoute, sent: SentMessage, scheme: string | undefined): void {
  const { values, query, type, body } = sent
  const names = expressionsOf(path).map(name => `path ${name}`)
  for (const [i, value] of [...values.values()].slice(0, names.length).entries())
    getOrMake(shown.parameters, names[i] as string, (): string[][] => []).push([value])
  showQuery(
    shown,
    new URLSearchParams(query.map(([name, value]) => [name, isSecretName(name) ? '' : value] as [string, string])),
  )
  if (type !== undefined) {
    const bodies = getOrMake(shown.bodies, type, (): Json[] => [])
    if (body !== undefined) bodies.push(body)
  }
  if (scheme) shown.security.add(scheme)
}

/** The request of a saved reply, without a credential. */
function trialOf({ path, values, query, headers, type, body }: SentMessage): ImportedTrial {
  const isForm = type === 'application/x-www-form-urlencoded'
  const own = [...headers].filter(([name]) => !/^(?:accept$|content-|authorization|host)/.test(name))
  return {
    path: path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(values.get(name) || '1')),
    query: encodePairs(query.flatMap(([name, value, isOff]) => (isOff === true ? [] : [[name, value]]))),
    headers: Object.fromEntries(type === undefined ? own : [...own, ['content-type', type]]),
    body:
      body === undefined || typeof body === 'string'
        ? body
        : isForm
          ? encodePairs(Object.entries(body as Record<string, string>))
          : stringifyJson(body),
  }
}
