// The controls of a request for the gateway: headers named `Understudy-…`, and query parameters named `__…` for a browser's
// address bar.

import type { Exchange } from '../behaviours/behaviour.ts'
import type { Operation } from '../contract/contract.ts'
import { decodeQuery, splitQuery } from '../contract/document/parameters.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { type Headers, problems, type Reply, type Request, refuse, withQuery } from '../kernel/http.ts'
import { type Fraction, parseDuration } from '../kernel/units.ts'
import type { PlannedOperation } from '../plan/plan.ts'
import type { Mask } from './mask.ts'

export interface Controls {
  /** The request without the gateway's query parameters. */
  readonly request: Request
  /** The name of the requested weather. */
  readonly weather?: string
  /** The requested additional delay in milliseconds. */
  readonly delay?: number
  /** The requested ordinal, which determines the random draws. */
  readonly ordinal?: number
  /** Whether the client wants an explanation. */
  readonly why?: boolean
}

const HEADERS = [
  ...['Understudy-World', 'Understudy-Time', 'Understudy-Weather', 'Understudy-Ordinal'],
  ...['Understudy-Delay', 'Understudy-Explain', 'Understudy-Validate'],
]
const knownHeaders = new Set(HEADERS.map(name => name.toLowerCase()))

/** The query controls; `prefer` reads the first five. */
const PARAMETERS = ['__code', '__example', '__dynamic', '__seed', '__items', '__gap', '__delay', '__weather']

/** The maximum delay in milliseconds. */
const LONGEST_DELAY = 600_000

/**
 * Reads the controls of a request, or refuses them. Costs 50 ns for a request without any.
 *
 * @param ofWings the names of further controls, which are not read here
 */
export function readControls(
  request: Request,
  operation: Operation | undefined,
  ofWings: readonly string[],
): Controls | Reply {
  const { headers, query } = request
  let steered = false
  for (const name in headers) {
    if (!name.startsWith('understudy-')) continue
    if (!knownHeaders.has(name) && !ofWings.some(control => control.toLowerCase() === name)) {
      return refuseHeader(`unknown header ${name}; ${suggest(name, [...HEADERS, ...ofWings])}`)
    }
    steered = true
  }
  const inQuery = query.includes('__') ? takeControls(request, operation) : undefined
  if (!steered && inQuery === undefined) return { request }
  if (inQuery !== undefined && 'status' in inQuery) return inQuery
  const ordinal = headers['understudy-ordinal']
  if (ordinal !== undefined && !/^[1-9]\d{0,8}$/.test(String(ordinal))) {
    return refuseHeader('Understudy-Ordinal must be a number from 1 to 999999999')
  }
  if ((headers['understudy-validate'] ?? 'warn') !== 'warn') return refuseHeader('Understudy-Validate must be warn')
  const delay = inQuery?.delay ?? headers['understudy-delay']
  const wait = delay === undefined ? undefined : parseDuration(String(delay))
  if (delay !== undefined && (wait === undefined || wait > LONGEST_DELAY)) {
    const where = inQuery?.delay === undefined ? 'Understudy-Delay' : '__delay'
    return refuseHeader(`${where} must be a duration such as 250ms or 3s, 10m at most`)
  }
  const weather = inQuery?.weather ?? headers['understudy-weather']
  return {
    request: inQuery?.request ?? request,
    weather: weather && String(weather),
    delay: wait,
    ordinal: ordinal === undefined ? undefined : Number(ordinal),
    why: isAsked(headers['understudy-explain']),
  }
}

/** Whether the value of a control switches it on. */
export const isAsked = (value: unknown): boolean => value === '1' || value === 'true' || value === '?1'

interface InQuery {
  readonly request: Request
  readonly delay: string | undefined
  readonly weather: string | undefined
}

/** Removes `__delay` and `__weather` from the query. Refuses a `__…` that neither the gateway nor the operation knows. */
function takeControls(request: Request, operation: Operation | undefined): InQuery | Reply | undefined {
  const given = splitQuery(request.query)
  const own = (name: string): boolean =>
    operation === undefined ||
    operation.parameters.some(one => one.in === 'query' && (one.name === name || one.owns(name)))
  for (const name of given.keys()) {
    if (!name.startsWith('__') || PARAMETERS.includes(name) || own(name)) continue
    return refuseHeader(`unknown query parameter ${name.slice(0, 40)}; ${suggest(name, PARAMETERS)}`)
  }
  const take = (name: string): string | undefined => {
    const text = own(name) ? undefined : given.get(name)?.[0]
    return text === undefined ? undefined : (decodeQuery(text) ?? text)
  }
  const [delay, weather] = [take('__delay'), take('__weather')]
  if (delay === undefined && weather === undefined) return undefined
  const taken = /^__(?:delay|weather)(?:=|$)/
  const rest = request.query.split('&').filter(pair => !taken.test(pair))
  return { request: withQuery(request, rest.join('&')), delay, weather }
}

const refuseHeader = (detail: string): Reply => refuse(problems.invalid_request, detail)

// Delays an operation by the time that a client wants.

/** Returns the operation with an additional delay. */
export const delayed = (planned: PlannedOperation, delay: number): PlannedOperation => {
  const wait =
    (run: (exchange: Exchange, passed: string[]) => Promise<Reply>) =>
    async (exchange: Exchange, passed: string[] = []): Promise<Reply> => {
      const reply = await run(exchange, passed)
      exchange.note(`delay: ${delay} ms`)
      await exchange.wait(delay)
      return reply
    }
  return { ...planned, handle: wait(planned.handle), trace: wait(planned.trace) }
}

// Explains a reply to clients that send `Understudy-Explain: 1`. Independent of HTTP except for that header.

export interface Explanation {
  /** Empty without an operation. */
  readonly route: string
  readonly operation: string
  readonly consumer: string | undefined
  readonly world: string
  readonly trace: string | undefined
  /** The request's time in milliseconds since the epoch, and whether it is real time. */
  readonly time: number
  readonly real: boolean
  /** Its number among this operation's requests in its world. */
  readonly ordinal: number
  /** The behaviours that it passed, outermost first; the last one replied. */
  readonly passed: readonly string[]
  readonly replied: string
  /** The problem and the rule that was violated, of a refusal. */
  readonly problem: string | undefined
  readonly rule: string | undefined
  /** The random draws by purpose: numbers in [0, 1). */
  readonly draws: Readonly<Record<string, Fraction>>
  readonly notes: readonly string[]
}

export function explainReply(
  planned: PlannedOperation,
  exchange: Exchange,
  reply: Reply,
  passed: readonly string[],
  mask: Mask,
): Explanation {
  const { operation, consumer, world, trace, clock, ordinal, drawn = {}, notes } = exchange
  const last = passed.at(-1)
  const detail = planned.chain.find(({ name }) => name === last)?.detail
  return {
    route: operation.id === '' ? '' : `${operation.method} ${planned.route}`,
    operation: operation.id,
    consumer,
    world: world.name,
    trace,
    time: clock.now(),
    real: !clock.adjusted,
    ordinal,
    passed,
    // Requests without an operation have the unmatched route.
    replied: operation.id === '' ? 'route' : [last, detail].filter(one => one !== undefined).join(': '),
    problem: reply.refusal?.problem.code,
    rule: reply.refusal === undefined ? undefined : mask.text(reply.refusal.detail),
    draws: drawn,
    notes: notes.map(note => mask.text(note)),
  }
}

const LONGEST_TEXT = 300
const MOST_ITEMS = 12

/** The explanation as a header field: a dictionary (RFC 9651), ASCII, of a few kilobytes at most. */
export function explanationHeaders(why: Explanation): Headers {
  const { route, operation, consumer, world, trace, time, real, ordinal, passed, replied, problem, rule } = why
  const { draws, notes } = why
  const items = (list: readonly string[]) => `(${list.slice(0, MOST_ITEMS).join(' ')})`
  const drawn = Object.entries(draws).map(([purpose, value]) => `${quoteShort(purpose)};value=${value.toFixed(3)}`)
  const members = [
    ...(route === '' ? [] : [`route=${quoteShort(route)}`, `operation=${quoteShort(operation)}`, `ordinal=${ordinal}`]),
    ...(consumer === undefined ? [] : [`consumer=${quoteShort(consumer)}`]),
    `world=${quoteShort(world)}`,
    ...(trace === undefined ? [] : [`trace="${trace}"`]),
    `time=@${Math.floor(time / 1000)}`,
    `clock=${real ? 'real' : 'adjusted'}`,
    `passed=${items(passed.map(quoteShort))}`,
    `replied=${quoteShort(replied)}`,
    ...(problem === undefined ? [] : [`problem=${quoteShort(problem)}`, `rule=${quoteShort(rule ?? '')}`]),
    ...(drawn.length === 0 ? [] : [`draws=${items(drawn)}`]),
    ...(notes.length === 0 ? [] : [`notes=${items(notes.map(quoteShort))}`]),
  ]
  return { 'understudy-explanation': members.join(', ') }
}

/** A string of RFC 9651; what is not printable ASCII is percent-encoded. */
function quoteShort(text: string): string {
  const cut = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}...` : text
  const ascii = cut
    .replaceAll('→', '->')
    .replace(/[^\x20-\x7e]+/g, part =>
      [...Buffer.from(part)].map(byte => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
    )
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`
}
