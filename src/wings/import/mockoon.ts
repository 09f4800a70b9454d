// Mockoon: an environment, with its routes, their responses and rules, and its data buckets.

import { Buffer } from 'node:buffer'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, memberAt } from '../../kernel/json.ts'
import { celOfJsonPath, celOfTime, isBeyondLinear, jsonOf, splitByBlocks } from '../project/handlebars.ts'
import {
  celText,
  celValue,
  type ForeignFile,
  hasPart,
  ImportedFile,
  type ImportedRecords,
  type ImportKind,
  METHODS_OF_PATHS,
  objectItems,
  partOf,
  RouteBook,
  readPart,
} from '../project/imported.ts'
import { collectionSettings, type Dialect } from './json-server.ts'
import type { Lose, Members } from './matchers.ts'
import { hasShape, MOCKOON_ROUTE } from './shapes.ts'
import { readResponse, USUAL_METHODS } from './stubs.ts'

/** The path of the environment in a file: old exports have it in `data`, or in a list there. */
function environmentAt(value: unknown): Path | undefined {
  const isEnvironment = (one: unknown) =>
    isObject(one) && Array.isArray(one.routes) && ['endpointPrefix', 'lastMigration'].some(key => key in one)
  const ways = [[], ['data'], ['data', 0, 'item']]
  return ways.find(way => isEnvironment(memberAt(value, way)))
}

export const mockoon: ImportKind = {
  name: 'mockoon',
  what: 'an environment of Mockoon',
  recognises: value => environmentAt(value) !== undefined,
  read([file], report) {
    const reading = new MockoonReading(file as ForeignFile, report)
    return reading.read()
  },
}

interface MockoonRoute {
  readonly type?: string
  readonly documentation?: string
  readonly method?: string
  readonly endpoint?: string
  readonly responses?: readonly MockoonResponse[]
  readonly responseMode?: string | null
}

interface MockoonResponse {
  readonly body?: string
  readonly latency?: number
  readonly statusCode?: number | string
  readonly label?: string
  readonly headers?: readonly { readonly key: string; readonly value: string }[]
  readonly bodyType?: string
  readonly filePath?: string
  readonly sendFileAsBody?: boolean
  readonly databucketID?: string
  readonly rules?: readonly MockoonRule[]
  readonly rulesOperator?: string
  readonly disableTemplating?: boolean
  readonly default?: boolean
  readonly crudKey?: string
  readonly callbacks?: readonly unknown[]
}

interface MockoonRule {
  readonly target: string
  readonly modifier?: string
  readonly value?: string
  readonly invert?: boolean
  readonly operator?: string
}

class MockoonReading {
  readonly #file: ForeignFile
  readonly #report: Diagnostics
  readonly #book = new RouteBook()
  /** Routes with conditions for all paths with a beginning. */
  readonly #guards: { readonly route: MockoonRoute; readonly at: Path; readonly base: string }[] = []
  readonly #at: Path
  readonly #environment: Members

  constructor(file: ForeignFile, report: Diagnostics) {
    this.#file = file
    this.#report = report
    this.#at = environmentAt(file.source.value) as Path
    this.#environment = memberAt(file.source.value, this.#at) as Members
  }

  read() {
    const { name, proxyMode, proxyHost, latency, routes } = this.#environment
    const records: ImportedRecords[] = []
    for (const [i, route] of (routes as MockoonRoute[]).entries()) {
      const at = [...this.#at, 'routes', i]
      const read = () => {
        if (route.type === 'ws') this.#lose(at, 'a WebSocket has no equal', 'OpenAPI describes requests and replies')
        else if (route.type === 'crud') records.push(...this.#readCrud(route, at))
        else this.#readRoute(route, at)
      }
      if (hasShape(MOCKOON_ROUTE, this.#file.source, at, this.#report))
        readPart(read, this.#file.source.locate(at), this.#report)
    }
    const settings: Record<string, Json> = {}
    if (typeof latency === 'number' && latency > 0) settings.defaults = { latency: { fixed: `${latency}ms` } }
    if (proxyMode === true && typeof proxyHost === 'string') settings.upstream = { url: proxyHost }
    return {
      title: typeof name === 'string' ? name : 'Imported from Mockoon',
      routes: this.#book.routes,
      records,
      settings,
    }
  }

  #lose(path: Path, what: string, hint: string): void {
    this.#report.warning('not-imported', what, this.#file.source.locate(path), hint)
  }

  #pathOf(route: MockoonRoute): string {
    const { endpointPrefix: prefix } = this.#environment
    const whole = [typeof prefix === 'string' && prefix, route.endpoint].filter(Boolean).join('/')
    return `/${whole.replace(/^\/+/, '').replace(/:(\w+)(?:\([^)]*\))?\??/g, '{$1}')}`
  }

  /** @param guarded the route that has the responses, too */
  #readRoute(route: MockoonRoute, at: Path, guarded = route): void {
    const given = this.#pathOf(guarded)
    const method = (guarded.method || 'get').toUpperCase()
    const path = given.replace(/\*$/, '{path}')
    if (/[*+?()]/.test(path)) {
      this.#lose([...at, 'endpoint'], 'a pattern in a path has no equal', 'write a route for each path')
      return
    }
    // A route of version 1.4 is its only response.
    const responses = route.responses ?? [route as MockoonResponse]
    const mode = route.responseMode ?? undefined
    if (path !== given) {
      const what = 'this route answers paths with one segment in place of "*", and not those with more'
      this.#lose([...at, 'endpoint'], what, 'write a route for each')
      if (mode === 'FALLBACK') this.#guards.push({ route, at, base: given.slice(0, -1) })
    } else if (route === guarded) {
      for (const one of this.#guards) if (path.startsWith(one.base)) this.#readRoute(one.route, one.at, route)
    }
    const add = (i: number, given: readonly string[]) => {
      const response = responses[i] as MockoonResponse
      for (const [more, body] of splitByBlocks(response.body, one => this.#helper(one, at)))
        addOne(i, [...given, ...more], { ...response, body })
    }
    const addOne = (i: number, when: readonly string[], response: MockoonResponse) => {
      const place = [...at, 'responses', i]
      const { label = '', statusCode } = response
      const one = {
        name: label || (when.length === 0 ? '' : `reply ${statusCode}`),
        place: this.#file.source.locate(place),
        when,
        ...this.#readResponse(response, path, place),
      }
      const methods = method === 'ALL' ? USUAL_METHODS : METHODS_OF_PATHS.filter(known => known === method)
      for (const verb of methods) {
        const { cases } = this.#book.routeAt(verb, path, { summary: guarded.documentation || undefined })
        // A bare request may be one that an earlier case is for.
        const isUsual = when.length === 0 && !cases.some(known => /!\(|draw\(|nth/.test(known.when.join()))
        const trial = isUsual ? { path, query: '', headers: {} } : undefined
        this.#book.add(verb, path, this.#report, { ...one, trial })
      }
    }
    const last = responses.length - 1
    if (mode === 'SEQUENTIAL' || mode === 'RANDOM') {
      responses.forEach((_, i) => {
        const { length } = responses
        const turn = mode === 'RANDOM' ? `draw("reply") * ${length}.0 < ${i + 1}.0` : `(nth - 1) % ${length} == ${i}`
        add(i, i === last ? [] : [turn])
      })
      return
    }
    for (const [i, { rules = [], rulesOperator }] of mode === 'DISABLE_RULES' ? [] : responses.entries()) {
      const conditions = rules.map((rule, n) => this.#conditionOf(rule, [...at, 'responses', i, 'rules', n]))
      const known = conditions.filter(condition => condition !== undefined)
      const isOr = rulesOperator === 'OR'
      if (known.length === 0 || (known.length < conditions.length && !isOr)) continue
      add(i, known.length > 1 && isOr ? [known.map(one => `(${one})`).join(' || ')] : known)
    }
    const usual = responses.findIndex(one => one.default === true)
    if (last >= 0 && mode !== 'FALLBACK') add(Math.max(0, usual), [])
  }

  /** Returns the condition of a rule; `undefined`, after telling, of one without an equal. */
  #conditionOf(rule: MockoonRule, at: Path): string | undefined {
    const { target, modifier = '', value = '', invert, operator = 'equals' } = rule
    const part = PARTS[target]
    const body = target === 'body' && modifier !== '' ? celOfPath(modifier) : undefined
    const text = target === 'request_number' ? 'string(nth)' : part ? partOf(part, modifier) : body
    const isRegex = operator.startsWith('regex')
    // No engine of linear time looks ahead, but what must not occur is easily said.
    const [, never] = (isRegex && /^\^\(\?!\.\*([^()]+)\)\.[*+]\$$/.exec(value)) || []
    if (never !== undefined) return this.#conditionOf({ ...rule, value: never, invert: !invert }, at)
    if (text === undefined || operator === 'valid_json_schema' || (isRegex && isBeyondLinear(value))) {
      const reason =
        isRegex && text !== undefined
          ? 'no linear engine looks around or back'
          : `"${operator}" for "${target}" has no equal`
      this.#lose(at, `${reason}: the response is left out`, /_var$/.test(target) ? STATE_HINT : RULE_HINT)
      return undefined
    }
    const present = part ? hasPart(part, modifier) : presence(text)
    const own = body ? `string(${text})` : text
    const test =
      operator === 'null'
        ? `${own} != ""`
        : operator === 'empty_array'
          ? `${text} == []`
          : operator === 'array_includes'
            ? `${text}.exists(e, string(e) == ${celText(value)})`
            : isRegex
              ? `${own}.matches(${celText(`${operator === 'regex_i' ? '(?i)' : ''}${value}`)})`
              : `${own} == ${celText(value)}`
    const whole = present === 'true' ? test : `${present} && ${test}`
    return (invert === true) === (operator === 'null') ? whole : `!(${whole})`
  }

  #readResponse(response: MockoonResponse, path: string, at: Path) {
    const { bodyType, filePath = '', databucketID, latency, statusCode, callbacks = [] } = response
    if (callbacks.length > 0) this.#lose([...at, 'callbacks'], 'callbacks are not sent', 'send them from the test')
    const isFile = bodyType === 'FILE' || (bodyType === undefined && filePath !== '')
    const isBucket = bodyType === 'DATABUCKET'
    const body = isBucket ? (this.#bucketOf(databucketID) ?? 'null') : (response.body ?? '')
    const common = objectItems(this.#environment.headers).filter(({ value }) => typeof value === 'string')
    const fields = [...common, ...(response.headers ?? [])]
    const headers = fields.filter(({ key }) => !/^access-control-/i.test(String(key)))
    const lose: Lose = (_, what, hint) =>
      this.#lose([...at, isFile ? 'filePath' : 'body'], what, /[gs]et(?:Global)?Var\b/.test(what) ? STATE_HINT : hint)
    const all: Readonly<Record<string, string>> = {
      ...(isBucket
        ? { 'content-type': 'application/json' }
        : isFile || body === ''
          ? {}
          : { 'content-type': 'text/html' }),
      ...Object.fromEntries(headers.map(({ key, value }) => [String(key).toLowerCase(), String(value)])),
    }
    const isTemplate = response.disableTemplating !== true && body.includes('{{')
    const { 'content-type': type = '' } = all
    const isRaw =
      !isFile &&
      body !== '' &&
      /json/.test(type) &&
      !isTemplate &&
      Number(statusCode) === 200 &&
      jsonOf(body) === undefined
    const stub = {
      status: statusCode,
      headers: all,
      transformers: response.disableTemplating === true ? [] : ['response-template'],
      fixedDelayMilliseconds: latency,
      ...(isFile ? { bodyFileName: filePath } : isRaw ? {} : { body }),
    }
    const read = readResponse(stub, path, lose, {
      book: this.#book,
      readBeside: name => (name === '' ? 'no file is named' : this.#file.readBeside(name)),
      helperOf: () => text => this.#helper(text, at),
    })
    // A text under the type of JSON is sent as it is.
    return isRaw ? { ...read, type, body: new ImportedFile(`text-${++this.#texts}.json`, Buffer.from(body)) } : read
  }

  #texts = 0

  #bucketOf(id: unknown): string | undefined {
    const buckets = objectItems(this.#environment.data)
    const found = buckets.find(one => id !== undefined && [one.id, one.uuid, one.name].includes(id))
    return found && String(found.value)
  }

  #helper(text: string, at: Path): string | undefined {
    const [name = '', first, second, ...more] = [...text.matchAll(/'[^']*'|"[^"]*"|[^\s'"()]+/g)].map(([word]) =>
      word.replace(/^['"]|['"]$/g, ''),
    )
    const part = PARTS[name]
    if (part !== undefined && first !== undefined) {
      const value = partOf(part, first)
      return second === undefined ? value : `${hasPart(part, first)} ? ${value} : ${celText(second)}`
    }
    if (name === 'body' || name === 'bodyRaw') {
      const value = celOfPath(first ?? '')
      const present = value === undefined ? 'true' : presence(value)
      return present === 'true' ? value : `${present} ? ${value} : ${celText(second ?? '')}`
    }
    if (name === 'data') {
      const value = this.#bucketOf(first) ?? ''
      const whole = value.includes('{{') ? undefined : jsonOf(value)
      const found = whole && memberAt(whole, (second ?? '').split('.').filter(Boolean))
      return found === undefined ? undefined : celValue(found as Json)
    }
    if (name === 'oneOf') {
      const given = [first, second, ...more].filter(one => one !== undefined && one !== 'array') as string[]
      const items = given.every(one => /^(?:true|false|-?\d+)$/.test(one)) ? given : given.map(celText)
      return `[${items.join(', ')}][int(${this.#draw()} * ${items.length}.0)]`
    }
    if (name === 'now') return first === undefined ? 'string(now)' : celOfTime(first)
    if (name === 'int' || name === 'float') return this.#number(name, [first, second, ...more], at)
    if (name === 'faker') return this.#fake(first ?? name, [second, ...more], at)
    if (name === 'boolean') return this.#fake(name, [], at)
    return /^(?:uuid|guid)$/.test(name) ? 'uuid()' : name === 'method' ? 'request.method' : undefined
  }

  #draws = 0

  #draw(): string {
    return `draw("value ${++this.#draws}")`
  }

  /** Returns the expression of a number that is drawn. @param given `18`, `65` or `min=18`, `max=65` */
  #number(kind: string, given: readonly (string | undefined)[], at: Path): string {
    const bounds = { min: 0, max: 999 }
    const names = ['min', 'max'] as const
    const lost = given.filter((word, i) => {
      const [, name = names[i], text = ''] = /^(?:(\w+)=)?(-?\d+(?:\.\d+)?)$/.exec(word ?? '') ?? []
      const isBound = text !== '' && (name === 'min' || name === 'max')
      if (isBound) bounds[name as 'min' | 'max'] = Number(text)
      return word !== undefined && !isBound
    })
    if (lost.length > 0 && this.#book.isNew(`argument ${kind} ${lost.join(' ')}`)) {
      this.#lose(
        [...at, 'body'],
        `"${lost.join(' ')}" of the generated "${kind}" has no equal`,
        'answer by the contract',
      )
    }
    if (bounds.max < bounds.min) bounds.max = bounds.min + 999
    const { min, max } = bounds
    const isFraction = /float|amount|price|itude/i.test(kind) && given.some(word => word !== undefined)
    const [span, sign] = [isFraction ? max - min : max - min + 1, min < 0 ? '-' : '+']
    const drawn = `${this.#draw()} * ${celDouble(span)}`
    const least = isFraction ? celDouble(Math.abs(min)) : `${Math.abs(min)}`
    return `${isFraction ? drawn : `int(${drawn})`}${min === 0 ? '' : ` ${sign} ${least}`}`
  }

  /**
   * Generated values of other kinds become a number that is drawn, or a text that is always the same.
   *
   * @param given the arguments
   */
  #fake(kind: string, given: readonly (string | undefined)[], at: Path): string {
    if (/uuid$/.test(kind)) return 'uuid()'
    if (/boolean$/.test(kind)) return `${this.#draw()} < 0.5`
    if (/(?:int|number|float|amount|price|itude)$/i.test(kind)) return this.#number(kind, given, at)
    if (this.#book.isNew(`faker ${kind}`)) {
      const hint = 'answer by the contract'
      this.#lose([...at, 'body'], `the generated "${kind}" is a text that is always the same`, hint)
    }
    return celText(kind.split('.').at(-1) as string)
  }

  /** The operations of a data bucket. */
  #readCrud(route: MockoonRoute, at: Path): ImportedRecords[] {
    const [firstResponse] = route.responses ?? []
    const found = this.#readResponse({ ...firstResponse, bodyType: 'DATABUCKET' }, '', at).body
    const path = this.#pathOf(route)
    const idField = firstResponse?.crudKey || 'id'
    const records = (Array.isArray(found) ? found : []).filter(
      one => isObject(one) && Object.hasOwn(one, idField),
    ) as JsonObject[]
    if (!Array.isArray(found) || records.length < found.length) {
      const hint = `give each an "${idField}"`
      this.#lose([...at, 'responses', 0, 'databucketID'], 'only records with an id can be a resource', hint)
      if (records.length === 0) return []
    }
    const ids = records.map(({ [idField]: id }) => (/^\d+$/.test(`${id}`) ? Number(id) : id) as number)
    if (ids.some((id, i) => i > 0 && id < (ids[i - 1] as number))) {
      this.#lose([...at, 'endpoint'], 'lists are in the order of their ids, not in that of the file', 'sort by "by"')
    }
    const name = path.split('/').at(-1) as string
    // Records that a template makes are generated from their schema.
    const isMade = JSON.stringify(records).includes('${')
    const place = this.#file.source.locate(at)
    return [{ name, place, path, idField, records, isMade, ...collectionSettings(CRUD, records) }]
  }
}

const RULE_HINT = 'write a rule: see docs/rules.md'
const STATE_HINT = 'keep it in a resource, or ask calls() in a rule: see docs/rules.md'

/** Returns a number as a literal of CEL that is a double: `48.0`. */
const celDouble = (value: number): string => (Number.isInteger(value) ? `${value}.0` : `${value}`)

/** The parameters of lists of records. */
const CRUD: Dialect = {
  operators: ['_eq', '_ne', '_gt', '_gte', '_lt', '_lte', '_like'],
  parameters: 'search sort order limit page',
  list: {
    search: 'search',
    sort: { parameter: 'sort', order: 'order', unknownFields: 'ignore' },
    limit: 'limit',
    page: 'page',
    headers: { 'x-filtered-count': '${page.total}' },
  },
}

/** The condition that a value in the body is there, where CEL can ask for it. */
const presence = (value: string): string => (/^request\.body(?:\.\w+)+$/.test(value) ? `has(${value})` : 'true')

const PARTS: Readonly<Record<string, 'query' | 'headers' | 'cookies' | 'params'>> = {
  query: 'query',
  header: 'headers',
  cookie: 'cookies',
  params: 'params',
  urlParam: 'params',
  queryParam: 'query',
  queryParamRaw: 'query',
}

/** A field of the body, by the path of a tool that writes `$.a.b` or `a.b`. */
const celOfPath = (path: string) =>
  path.replace('$', '') === ''
    ? 'request.body'
    : celOfJsonPath(
        `.${path.replace(/^\$?\.?/, '')}`.replace(/\.(?=\[)/, '').replace(/\.(\d+)(?![^.])/g, '[$1]'),
        'request.body',
      )
