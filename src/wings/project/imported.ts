// The content of other tools' files in one form: routes, and the cases of each with their conditions in CEL.

import { Buffer } from 'node:buffer'
import { expressionsOf, METHODS, nameless } from '../../contract/paths.ts'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import type { Source } from '../../kernel/file/source.ts'
import { writeYaml } from '../../kernel/file/write-yaml.ts'
import { isObject, type Json, type JsonObject, parseJson, put, stringifyJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { freeName } from '../../kernel/names.ts'
import { isSecretName } from '../../kernel/secrets.ts'

/** One reply of a route, and when it is given. */
export interface ImportedCase {
  /** Its name in the source; becomes the name of an example. */
  readonly name: string
  readonly place: Place
  /** The conditions in CEL, all of which must hold. */
  readonly when: readonly string[]
  readonly status: number
  /** By lower-case name, without `content-type`. */
  readonly headers: Readonly<Record<string, string>>
  /** The media type of the body. */
  readonly type?: string | undefined
  /** A value for JSON, a text, or the name of a file of the output. */
  readonly body?: Json | ImportedFile | undefined
  /** Other keys of its rule: `latency`, `fault`, `times`, `enter`, another `respond`. */
  readonly settings?: JsonObject
  /** A request that the source says the case answers. */
  readonly trial?: ImportedTrial | undefined
}

/** A body that is kept in a file. */
export class ImportedFile {
  readonly name: string
  readonly bytes: Uint8Array

  constructor(name: string, bytes: Uint8Array) {
    this.name = name
    this.bytes = bytes
  }
}

export interface ImportedTrial {
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

interface RouteNotes {
  readonly place?: Place
  readonly summary?: string | undefined
  readonly description?: string | undefined
  readonly tag?: string | undefined
}

export interface ImportedRoute extends RouteNotes {
  readonly method: string
  /** With the parameters in braces. */
  readonly path: string
  /** In the order in which they are tried; one without conditions ends them. */
  readonly cases: ImportedCase[]
  readonly shown: ShownRequests
}

/** Parts that requests to an operation show. */
export interface ShownRequests {
  /** The values of each parameter in each request, by its place and name: `query limit`. */
  readonly parameters: Map<string, string[][]>
  /** The bodies by their media types. */
  readonly bodies: Map<string, Json[]>
  /** The names of security schemes; `''` if a request without a credential succeeds. */
  readonly security: Set<string>
  /** The most items of a list in replies to requests without a query. */
  most?: number
}

/** Adds the values in a query. */
export function showQuery({ parameters }: ShownRequests, given: URLSearchParams): void {
  for (const name of new Set(given.keys()))
    getOrMake(parameters, `query ${name}`, (): string[][] => []).push(given.getAll(name))
}

/** A collection of records, with the operations that list, create, read, replace, update and delete them. */
export interface ImportedRecords {
  readonly name: string
  readonly place: Place
  /** The path of the collection; its records are below it, by their ids. */
  readonly path: string
  readonly tag?: string | undefined
  readonly idField: string
  readonly records: readonly JsonObject[]
  /** Whether as many records are generated from the schema: the source has a template for them. */
  readonly isMade?: boolean
  /** The other keys of `respond` by the action: `list`, `delete`. */
  readonly respond?: Readonly<Record<string, JsonObject>>
  /** The query parameters by the action. */
  readonly query?: Readonly<Record<string, readonly JsonObject[]>>
  /** Requests that get pages with an envelope: when, and the keys of `respond` in place of those of the list. */
  readonly pages?: { readonly when: string; readonly respond: JsonObject }
  /** Whether the id of a new record may be one that the request gives. */
  readonly takesIds?: boolean
  /** Whether a POST to a single record replaces it, and is answered with 201. */
  readonly isPosted?: boolean
  /** The fields with ids of other records, which may be null once these are deleted: see `references`. */
  readonly references?: JsonObject
  /** The collections whose records have some of these, and the field that names one. */
  readonly owners?: readonly { readonly resource: string; readonly field: string }[]
}

/** The content of a file, without the parts that have no equal: these are in the report. */
export interface Imported {
  readonly title: string
  readonly routes: readonly ImportedRoute[]
  readonly records: readonly ImportedRecords[]
  /** Settings of the whole gateway: `defaults`, `upstream`, `consumers`. */
  readonly settings: JsonObject
  /** Whether the cases are examples, from which records are inferred; otherwise each is a rule. */
  readonly hasExamples?: boolean
  /** The security schemes by their names. */
  readonly schemes?: JsonObject
  /** The names of environment variables that the settings need. */
  readonly variables?: readonly string[]
}

/** The file of another tool. */
export interface ForeignFile {
  readonly source: Source
  /** Its name in messages. */
  readonly name: string
  /** Returns a file beside it: its bytes, or a sentence that says why it cannot be read. */
  readBeside(name: string): Uint8Array | string
}

/** One kind of file that can be imported. */
export interface ImportKind {
  /** Its name on the command line. */
  readonly name: string
  /** Its name in a sentence, with an article. */
  readonly what: string
  /** Whether a value is of this kind. */
  recognises(value: unknown): boolean
  /** Whether a value can be read as this kind if the command line names it. Default: `recognises`. */
  admits?(value: unknown): boolean
  read(files: readonly ForeignFile[], report: Diagnostics): Imported
}

/** Returns the condition in CEL that all conditions hold. */
export const allOf = (conditions: readonly string[]): string =>
  conditions.map(one => (conditions.length > 1 && /\|\||\?/.test(one) ? `(${one})` : one)).join(' && ') || 'true'

/** Returns a text as a literal of CEL. */
export const celText = (text: string): string => JSON.stringify(text)

/** Returns a JSON value as a literal of CEL. */
export function celValue(value: Json): string {
  if (typeof value === 'string') return celText(value)
  if (Array.isArray(value)) return `[${value.map(celValue).join(', ')}]`
  if (!isObject(value)) return stringifyJson(value)
  return `{${Object.entries(value as JsonObject)
    .map(([name, one]) => `${celText(name)}: ${celValue(one)}`)
    .join(', ')}}`
}

/** Returns a text with `${` and `{{` as a template writes them, so that it is sent as it is. */
export const plainTemplate = (text: string): string => text.replace(/\$\{|\{\{/g, part => `\${"${part}"}`)

/** Why a part of a file cannot be imported: the end of a sentence. */
export class ImportFault extends Error {}

/** Reads a part of a file. A part that cannot be read is left out, and reported. */
export function readPart(read: () => void, place: Place, report: Diagnostics): void {
  try {
    read()
  } catch (error) {
    const why = error instanceof ImportFault ? error.message : 'a value in it has another type than its tool writes'
    report.warning('not-imported', `this is left out, because ${why}`, place, 'correct it')
  }
}

/** Whether a value has a key with a placeholder, which a gateway.yaml fills in within values only. */
function hasPlaceholderKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasPlaceholderKey)
  return isObject(value) && Object.entries(value).some(([key, one]) => /\$\{|\{\{/.test(key) || hasPlaceholderKey(one))
}

export const newRoute = (method: string, path: string, notes: RouteNotes = {}): ImportedRoute => ({
  method,
  path,
  cases: [],
  shown: { parameters: new Map(), bodies: new Map(), security: new Set() },
  ...notes,
})

/** Collects routes, each once. */
export class RouteBook {
  readonly #routes = new Map<string, ImportedRoute>()
  /** The paths by their texts without the names of parameters. */
  readonly #paths = new Map<string, string>()
  readonly #told = new Set<string>()

  get routes(): ImportedRoute[] {
    return [...this.#routes.values()]
  }

  /** Returns whether a thing is named for the first time: a body may have thousands of one helper. */
  isNew(what: string): boolean {
    return this.#told.size < this.#told.add(what).size
  }

  /** Returns the route with a method and a path: paths that differ in the names of their parameters are one. */
  routeAt(method: string, given: string, notes: RouteNotes = {}): ImportedRoute {
    const shape = nameless(given)
    const path = this.#paths.get(shape) ?? (given.startsWith('/') ? given : `/${given}`)
    this.#paths.set(shape, path)
    return getOrMake(this.#routes, `${method} ${path}`, () => newRoute(method, path, notes))
  }

  /** Adds a case that is given under its conditions. @param report unset: a case that is never given is no loss */
  add(method: string, given: string, report: Diagnostics | undefined, one: ImportedCase, notes?: RouteNotes): void {
    const route = this.routeAt(method, given, notes)
    const { path } = route
    if (!(one.status >= 200 && one.status <= 599)) throw new ImportFault('its status is none from 200 to 599')
    if (!(one.body instanceof ImportedFile) && hasPlaceholderKey(one.body)) {
      const message = 'this reply is left out, because a key of its body has a placeholder, which only values may have'
      report?.warning('not-imported', message, one.place, 'give the key another name')
      return
    }
    const when = one.when.map(condition => renamed(condition, given, path))
    const isSame = (known: ImportedCase) => known.when.length === 0 || known.when.join() === when.join()
    const earlier = route.cases.find(known => isSame(known) && known.settings?.times === undefined)
    if (earlier === undefined) {
      const { body } = one
      const own = body instanceof ImportedFile ? body : renamed(body, given, path)
      route.cases.push({ ...one, when, body: own, ...(route.cases.some(isSame) ? { trial: undefined } : {}) })
      return
    }
    const { file, line } = earlier.place
    const message = `this reply is never given: the one at ${file}:${line} answers the same requests`
    report?.warning('not-imported', message, one.place, 'give it another condition')
  }
}

/** Whether a case answers all requests, without a rule. */
export const isUsual = ({ when, settings: { times, enter } = {} }: ImportedCase): boolean =>
  when.length === 0 && times === undefined && enter === undefined

/** A secret as its tool has it, and the name of an environment variable for one without a name. */
type NamedSecret = readonly [text: string, usual: string]

/** Collects security schemes, and the callers whose credentials will be in environment variables. */
export function createCallers() {
  const schemes: Record<string, JsonObject> = {}
  const consumers: Record<string, Record<string, string>> = {}
  /** The names of variables by the secrets that will be in them. */
  const variables = new Map<string, string>()
  const variableFor = ([text, usual]: NamedSecret): string =>
    getOrMake(variables, text || usual, () => {
      const [, named = ''] = /^\s*\{\{([^{}]+)\}\}\s*$/.exec(text) ?? []
      const wanted = isSecretName(named) ? nameOfVariable(named) : usual
      const taken = [...variables.values()]
      return freeName(wanted, { has: name => taken.includes(name.replace('-', '_')) }).replace('-', '_')
    })
  return {
    /** Adds a scheme and a caller with its secrets. Returns the id. */
    add(id: string, scheme: JsonObject, ...secrets: readonly NamedSecret[]): string {
      put(schemes, id, scheme)
      const credential = secrets.map(secret => `\${${variableFor(secret)}}`).join(':')
      const name = freeName('client', { has: one => ![undefined, credential].includes(consumers[one]?.[id]) })
      consumers[name] = { ...consumers[name], [id]: credential }
      return id
    },
    write(): Pick<Imported, 'settings' | 'schemes' | 'variables'> {
      const settings: JsonObject = variables.size === 0 ? {} : { consumers }
      return { settings, schemes, variables: [...variables.values()] }
    },
  }
}

/** A name as that of an environment variable: `ACCESS_TOKEN`. */
export const nameOfVariable = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .replace(/^(?=\d|$)/, '_')
    .toUpperCase()

/** Returns a condition, a body or settings with the parameters of one path named as in another. */
export function renamed<Value extends Json | undefined>(value: Value, from: string, to: string): Value {
  if (from === to || value === undefined) return value
  const names = [from, to].map(path => expressionsOf(path).map(name => memberIn('', name)))
  const [old = [], others = []] = names
  const text = stringifyJson(value).replace(/request\.params(\.\w+)/g, (whole, name: string) => {
    const at = old.indexOf(name)
    return at === -1 ? whole : `request.params${others[at]}`
  })
  const parsed = parseJson(text)
  return 'fault' in parsed ? value : (parsed.value as Value)
}

/** Names an operation after its method and path: `getOrderById`, `listOrders`, `createOrder`. */
export function operationIdOf(method: string, path: string): string {
  const words = path.split('/').flatMap(segment => {
    const name = /^\{(.*)\}$/.exec(segment)?.[1]
    return [name === undefined ? segment : `by ${name}`]
  })
  const [first = '', ...others] = `${method.toLowerCase()} ${words.join(' ')}`.split(/[^A-Za-z0-9]+/).filter(Boolean)
  return first + pascal(others.join(' '))
}

/** A group of named texts of a request. */
type RequestPart = 'query' | 'headers' | 'cookies' | 'params' | 'body'

/** Returns a value of a request in CEL: `request.query.limit`, `request.headers["x-plan"]`. */
export function partOf(place: RequestPart, name: string): string {
  return memberIn(`request.${place}`, place === 'headers' ? name.toLowerCase() : name)
}

/** Returns a member of a value in CEL. */
export const memberIn = (value: string, name: string): string =>
  isWord(name) ? `${value}.${name}` : `${value}[${celText(name)}]`

/** Returns the condition that a request has such a value; `false` where CEL can not ask for it. */
export function hasPart(place: RequestPart, name: string): string {
  if (place === 'params') return 'true'
  if (isWord(name.toLowerCase())) return `has(${partOf(place, name)})`
  return place === 'headers' ? `${celText(name.toLowerCase())} in request.headers` : 'false'
}

/** Whether a name may follow a dot. */
const isWord = (name: string): boolean => /^(?!(?:in|true|false|null)$)[A-Za-z_]\w*$/.test(name)

/** The conditions that tell a request from others of its operation. @param given the values in its path by their names */
export function requestConditions(given: Iterable<readonly [string, string]>, query: string, body: unknown): string[] {
  const is = (part: string, value: string) => `string(${part}) == ${celText(value)}`
  return [
    ...[...given].map(([name, value]) => is(partOf('params', name), value)),
    ...[...new URLSearchParams(query)].flatMap(([name, value]) => [
      ...(isWord(name.toLowerCase()) ? [hasPart('query', name)] : []),
      is(partOf('query', name), value),
    ]),
    // An invalid body has members of other types than the contract says.
    ...(isObject(body) ? memberConditions(body as JsonObject, 'dyn(request.body)') : []),
  ]
}

/** A condition for each member of a value. */
export const memberConditions = (value: JsonObject, at: string): string[] =>
  Object.entries(value).flatMap(([name, one]) =>
    isObject(one)
      ? memberConditions(one as JsonObject, memberIn(at, name))
      : [`${memberIn(at, name)} == ${celValue(one)}`],
  )

/** Returns names and values as a query. Half of a surrogate pair becomes the replacement character. */
export const encodePairs = (pairs: readonly (readonly string[])[]): string =>
  pairs.map(pair => pair.map(text => encodeURIComponent(Buffer.from(text).toString())).join('=')).join('&')

/** Headers with a `content-type`, unless there is none. */
export const withType = (headers: Readonly<Record<string, string>>, type: string | undefined) =>
  type === undefined ? headers : { 'content-type': type, ...headers }

/** The largest number of records that a person would read as YAML; more are a line of JSON each. */
const MOST_READ = 1000

/** Adds the file with the first records of a resource. Returns its name. */
export function addFixture(
  files: Map<string, string | Uint8Array>,
  name: string,
  records: readonly JsonObject[],
): string {
  const isRead = records.length <= MOST_READ
  const path = `fixtures/${name.replace(/[^\p{L}\p{N}_.-]+/gu, '-')}.${isRead ? 'yaml' : 'json'}`
  const lines = () => records.map(one => stringifyJson(one)).join(',\n')
  files.set(path, isRead ? writeYaml(records) : `[\n${lines()}\n]\n`)
  return path
}

/** A list as it is, another value as a list of one. */
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** The objects in a list; none for other values. */
export const objectItems = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The methods that OpenAPI 3.1 describes. */
export const METHODS_OF_PATHS = METHODS.filter(one => one !== 'QUERY')

/** A name as that of a schema: `OrderLine`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)(.)/g, (_, first: string) => first.toUpperCase())
