// Mockoon: an environment, with its routes, their responses and rules, and its data buckets.

import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { celOfJsonPath, isBeyondLinear, jsonOf, translateJson, translateText } from './handlebars.ts'
import {
  celText,
  compileShape,
  type ForeignFile,
  hasPart,
  type ImportedCase,
  ImportedFile,
  type ImportedRecords,
  type ImportKind,
  METHODS_OF_PATHS,
  objectItems,
  partOf,
  plainTemplate,
  RouteBook,
  shapeOfObject,
} from './imported.ts'

const METHODS: ReadonlySet<string> = new Set(METHODS_OF_PATHS)

export const mockoon: ImportKind = {
  name: 'mockoon',
  what: 'an environment of Mockoon',
  recognises: value =>
    isObject(value) && Array.isArray(value.routes) && ('endpointPrefix' in value || 'lastMigration' in value),
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

const TEXT = { type: 'string' }
const NUMBER = { type: ['number', 'string'] }
const HEADERS = { type: 'array', items: shapeOfObject({ key: TEXT, value: TEXT }, 'key', 'value') }
const RULES = {
  type: 'array',
  items: shapeOfObject({ target: TEXT, modifier: TEXT, value: TEXT, operator: TEXT }, 'target'),
}
const isRoute = compileShape(
  shapeOfObject({
    ...{ type: TEXT, documentation: TEXT, method: TEXT, endpoint: TEXT, responseMode: { type: ['string', 'null'] } },
    responses: {
      type: 'array',
      items: shapeOfObject({
        ...{ body: TEXT, latency: NUMBER, statusCode: NUMBER, label: TEXT, headers: HEADERS, bodyType: TEXT },
        ...{ filePath: TEXT, databucketID: TEXT, rules: RULES, crudKey: TEXT, callbacks: { type: 'array' } },
      }),
    },
  }),
  'route',
)

class MockoonReading {
  readonly #file: ForeignFile
  readonly #report: Diagnostics
  readonly #book = new RouteBook()
  readonly #environment: Readonly<Record<string, unknown>>
  readonly #told = new Set<string>()

  constructor(file: ForeignFile, report: Diagnostics) {
    this.#file = file
    this.#report = report
    this.#environment = file.source.value as Record<string, unknown>
  }

  read() {
    const { name, proxyMode, proxyHost, latency, routes } = this.#environment
    const records: ImportedRecords[] = []
    for (const [i, route] of (routes as MockoonRoute[]).entries()) {
      if (!isRoute(route, ['routes', i], this.#file.source, this.#report)) continue
      if (route.type === 'ws')
        this.#lose(['routes', i], 'a WebSocket has no equal', 'OpenAPI describes requests and replies')
      else if (route.type === 'crud') records.push(...this.#readCrud(route, ['routes', i]))
      else this.#readRoute(route, ['routes', i])
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
    const whole = [this.#environment.endpointPrefix, route.endpoint].filter(Boolean).join('/')
    return `/${whole.replace(/^\/+/, '').replace(/:(\w+)(?:\([^)]*\))?\??/g, '{$1}')}`
  }

  #readRoute(route: MockoonRoute, at: Path): void {
    const path = this.#pathOf(route)
    const method = (route.method ?? 'get').toUpperCase()
    if (/[*+?()]/.test(path)) {
      this.#lose([...at, 'endpoint'], 'a pattern of paths has no equal', 'write one route for each path')
      return
    }
    const methods = method === 'ALL' ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : [method]
    const responses = route.responses ?? []
    const fallback = Math.max(
      0,
      responses.findIndex(one => one.default === true),
    )
    const mode = route.responseMode ?? undefined
    for (const one of methods.filter(one => METHODS.has(one))) {
      const made = this.#book.at(one, path, { summary: route.documentation || undefined })
      const add = (response: MockoonResponse, i: number, when: readonly string[]) =>
        made.cases.push(this.#readResponse(response, made.path, [...at, 'responses', i], when))
      if (mode === 'SEQUENTIAL' || mode === 'RANDOM') {
        const count = responses.length
        responses.forEach((response, i) => {
          const share = `draw("response") < ${Number(((i + 1) / count).toFixed(4))}`
          const turn = `(nth - 1) % ${count} == ${i}`
          add(response, i, i === count - 1 ? [] : [mode === 'RANDOM' ? share : turn])
        })
        continue
      }
      if (mode !== 'DISABLE_RULES') {
        responses.forEach((response, i) => {
          const rules = response.rules ?? []
          if (rules.length === 0) return
          const conditions = rules.map((rule, n) => this.#conditionOf(rule, [...at, 'responses', i, 'rules', n]))
          const known = conditions.filter(condition => condition !== undefined)
          if (known.length < conditions.length && (response.rulesOperator !== 'OR' || known.length === 0)) return
          const joined = response.rulesOperator === 'OR' ? [known.map(one => `(${one})`).join(' || ')] : known
          add(response, i, known.length === 1 ? known : joined)
        })
      }
      const last = responses[fallback]
      if (last !== undefined && mode !== 'FALLBACK') add(last, fallback, [])
    }
  }

  #conditionOf({ target, modifier = '', value = '', invert, operator }: MockoonRule, at: Path) {
    const subject = this.#subjectOf(target, modifier)
    const no = (what: string) => {
      this.#lose(at, `${what} has no equal, and the response is left out`, 'write a rule: see docs/rules.md')
      return undefined
    }
    if (subject === undefined) return no(`the target "${target}"`)
    const { text, present } = subject
    const made = () => {
      if (target === 'request_number')
        return /^\d+$/.test(value) && operator !== 'regex' ? `nth == ${value}` : undefined
      if (operator === 'null') return `!(${present})`
      if (operator === 'empty_array') return `size(${text}) == 0`
      if (operator === 'array_includes') return `${text}.exists(e, string(e) == ${celText(value)})`
      if (operator === 'regex' || operator === 'regex_i') {
        if (isBeyondLinear(value)) return undefined
        return `string(${text}).matches(${celText(operator === 'regex_i' ? `(?i)${value}` : value)})`
      }
      if (operator === 'valid_json_schema') return undefined
      return target === 'body' ? `string(${text}) == ${celText(value)}` : `${text} == ${celText(value)}`
    }
    const condition = made()
    if (condition === undefined) return no(`the operator "${operator ?? 'equals'}" with this value`)
    return invert === true ? `!(${condition})` : condition
  }

  #subjectOf(target: string, modifier: string) {
    const name = modifier.replace(/^\$\.?/, '')
    if (target === 'query') {
      return { text: partOf('query', name), present: hasPart('query', name) }
    }
    if (target === 'header') {
      return { text: partOf('headers', modifier), present: hasPart('headers', modifier) }
    }
    if (target === 'cookie') {
      return { text: partOf('cookies', modifier), present: hasPart('cookies', modifier) }
    }
    if (target === 'params') return { text: `request.params.${modifier}`, present: 'true' }
    if (target === 'method') return { text: 'request.method', present: 'true' }
    if (target === 'request_number') return { text: 'nth', present: 'true' }
    if (target !== 'body') return undefined
    const text = modifier === '' ? 'request.body' : celOfJsonPath(`$.${name}`, 'request.body')
    return text === undefined ? undefined : { text, present: modifier === '' ? 'true' : `has(${text})` }
  }

  #readResponse(response: MockoonResponse, path: string, at: Path, when: readonly string[]): ImportedCase {
    const headers: Record<string, string> = {}
    let type: string | undefined
    const own = objectItems(this.#environment.headers)
    const isPlain = response.disableTemplating === true
    const lost = (placeholder: string) => this.#loseHelper(placeholder, [...at, 'body'])
    const translate = (text: string) => this.#helper(text, at)
    for (const header of [...own, ...(response.headers ?? [])]) {
      const value = String(header.value)
      const field = String(header.key).toLowerCase()
      if (field === 'content-type') type = value
      else if (field !== '' && !/^(?:content-length|transfer-encoding|access-control-.*)$/.test(field)) {
        headers[field] = isPlain ? plainTemplate(value) : translateText(value, translate, lost)
      }
    }
    if ((response.callbacks ?? []).length > 0)
      this.#lose([...at, 'callbacks'], 'callbacks are not sent', 'send them from the test')
    const settings: Record<string, Json> = {}
    if (typeof response.latency === 'number' && response.latency > 0)
      settings.latency = { fixed: `${response.latency}ms` }
    const isUsual = when.length === 0 && response.label === ''
    return {
      name: response.label || (isUsual ? '' : `reply ${response.statusCode}`),
      place: this.#file.source.locate(at),
      when,
      status: Number(response.statusCode ?? 200),
      headers,
      settings,
      trial: when.length === 0 && !path.includes('{') ? { path, query: '', headers: {} } : undefined,
      ...this.#bodyOf(response, type, at),
    }
  }

  #bodyOf(response: MockoonResponse, type: string | undefined, at: Path): Pick<ImportedCase, 'type' | 'body'> {
    const { bodyType, filePath = '', databucketID } = response
    if (bodyType === 'FILE' || (bodyType === undefined && filePath !== '')) {
      const bytes = filePath === '' ? 'no file is named' : this.#file.readBeside(filePath)
      if (typeof bytes !== 'string') return { type, body: new ImportedFile(filePath.replace(/^.*\//, ''), bytes) }
      this.#lose([...at, 'filePath'], bytes, 'put the file where the environment names it')
      return { type }
    }
    if (bodyType === 'DATABUCKET') {
      const bucket = this.#bucketOf(databucketID)
      const value = bucket === undefined ? undefined : this.#jsonOf(bucket.value, at)
      return { type: type ?? 'application/json', body: value ?? null }
    }
    const body = response.body ?? ''
    if (body === '') return { type }
    const isJson = /json/.test(type ?? '') || (type === undefined && /^\s*[{["]/.test(body))
    const value = isJson ? this.#jsonOf(body, at, response.disableTemplating) : undefined
    if (value !== undefined) return { type: type ?? 'application/json', body: value }
    const lost = (placeholder: string) => this.#loseHelper(placeholder, [...at, 'body'])
    const isPlain = response.disableTemplating === true
    return {
      type: type ?? 'text/plain',
      body: isPlain ? plainTemplate(body) : translateText(body, text => this.#helper(text, at), lost),
    }
  }

  #jsonOf(text: string, at: Path, isPlain = false): Json | undefined {
    if (isPlain) return jsonOf(text)
    const lost = (placeholder: string) => this.#loseHelper(placeholder, [...at, 'body'])
    return translateJson(expandRepeats(text), one => this.#helper(one, at), lost)
  }

  #bucketOf(id: string | undefined): { readonly name: string; readonly value: string } | undefined {
    const buckets = objectItems(this.#environment.data) as unknown as readonly {
      id?: string
      uuid?: string
      name: string
      value: string
    }[]
    return buckets.find(one => one.id === id || one.uuid === id)
  }

  /** Reports a helper, each once: a body may have thousands. */
  #loseHelper(placeholder: string, at: Path): void {
    const word = /[#/]?\w+/.exec(placeholder)?.[0] ?? placeholder
    if (this.#told.has(word)) return
    this.#told.add(word)
    this.#lose(at, `the helper ${placeholder} has no equal, and is left out`, 'see "Expressions" in docs/rules.md')
  }

  #helper(text: string, at: Path): string | undefined {
    const [name = '', first, second] = [...text.matchAll(/'[^']*'|"[^"]*"|[^\s'"]+/g)].map(([word]) =>
      word.replace(/^['"]|['"]$/g, ''),
    )
    if (name === 'urlParam' && first !== undefined) return `request.params.${first}`
    if ((name === 'queryParam' || name === 'queryParamRaw') && first !== undefined) {
      const value = partOf('query', first)
      return second === undefined ? value : `${hasPart('query', first)} ? ${value} : ${celText(second)}`
    }
    if (name === 'header' && first !== undefined) return partOf('headers', first)
    if (name === 'cookie' && first !== undefined) return partOf('cookies', first)
    if ((name === 'body' || name === 'bodyRaw') && first === undefined) return 'request.body'
    if (name === 'body' || name === 'bodyRaw') return celOfJsonPath(`$.${first?.replace(/^\$\.?/, '')}`, 'request.body')
    if (name === 'method') return 'request.method'
    if (name === 'now') return 'string(now)'
    if (name === 'uuid' || name === 'guid' || (name === 'faker' && /uuid$/.test(first ?? ''))) return 'uuid()'
    if (name === 'faker' || name === 'int' || name === 'boolean') return this.#fake(name, first ?? name, at)
    return undefined
  }

  #fakes = 0

  /** Generated values of other kinds become a number that is drawn, or a text that is always the same. */
  #fake(name: string, kind: string, at: Path): string {
    const purpose = celText(`value ${++this.#fakes}`)
    if (name === 'boolean' || /boolean$/.test(kind)) return `draw(${purpose}) < 0.5`
    if (name === 'int' || /(?:int|number|float|amount|price)$/i.test(kind)) return `int(draw(${purpose}) * 1000.0)`
    const word = kind.split('.').at(-1) as string
    if (!this.#told.has(`faker ${kind}`)) {
      this.#told.add(`faker ${kind}`)
      this.#lose(
        [...at, 'body'],
        `the generated "${kind}" is a text that is always the same`,
        'answer by the contract: it generates values',
      )
    }
    return celText(word)
  }

  /** The operations of a data bucket. */
  #readCrud(route: MockoonRoute, at: Path): ImportedRecords[] {
    const [firstResponse] = route.responses ?? []
    const bucket = this.#bucketOf(firstResponse?.databucketID)
    const found = bucket === undefined ? undefined : this.#jsonOf(bucket.value, at)
    const path = this.#pathOf(route)
    const idField = firstResponse?.crudKey || 'id'
    const records = (Array.isArray(found) ? found : []).filter(one => isObject(one) && idField in one) as JsonObject[]
    if (!Array.isArray(found) || records.length < found.length) {
      const hint = `give each an "${idField}"`
      this.#lose([...at, 'responses', 0, 'databucketID'], 'only records with an id can be a resource', hint)
      if (records.length === 0) return []
    }
    const name = path.split('/').at(-1) as string
    // Records that a template makes are generated from their schema.
    const isMade = JSON.stringify(records).includes('${')
    return [
      {
        name,
        path,
        idField,
        records,
        isMade,
        list: { limit: 'limit', page: 'page', sort: 'sort', order: 'order' },
        query: ['limit', 'page', 'sort', 'order'],
      },
    ]
  }
}

/** The largest number of repeats: a body of more is written down, not generated. */
const MOST_REPEATS = 100

/** Writes each `{{#repeat N}}` as its content, N times, with `{{@index}}` filled in. */
function expandRepeats(text: string): string {
  const inner =
    /\{\{\s*#\s*repeat\s+(?:\(\s*\w+\s+'[^']*'\s+)?['"]?(\d+)['"]?(?:\s+\d+)?\s*\)?[^}]*\}\}((?:(?!\{\{\s*#\s*repeat)[\s\S])*?)\{\{\s*\/\s*repeat\s*\}\}/
  let made = text
  for (let found = inner.exec(made); found !== null; found = inner.exec(made)) {
    const [whole, times, content = ''] = found
    const count = Math.min(Number(times), MOST_REPEATS)
    const items = Array.from({ length: count }, (_, i) =>
      content
        .trim()
        .replace(/,$/, '')
        .replace(/\{\{\s*@index\s*\}\}/g, String(i)),
    )
    made = made.slice(0, found.index) + items.join(',') + made.slice(found.index + whole.length)
  }
  return made
}
