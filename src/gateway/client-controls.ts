// The controls of a request for the gateway: headers named `Understudy-…`, and query parameters named `__…` for a browser's
// address bar.

import type { Exchange } from '../behaviours/behaviour.ts'
import type { Operation } from '../contract/contract.ts'
import { decodeQuery, splitQuery } from '../contract/document/parameters.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { problems, type Reply, type Request, refuse, withQuery } from '../kernel/http.ts'
import { parseDuration } from '../kernel/units.ts'
import type { PlannedOperation } from '../plan/plan.ts'

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
  ...['Understudy-Delay', 'Understudy-Explain'],
]
const knownHeaders = new Set(HEADERS.map(name => name.toLowerCase()))

/** The query controls; `prefer` reads the first four. */
const PARAMETERS = ['__code', '__example', '__dynamic', '__seed', '__delay', '__weather']

/** The maximum delay in milliseconds. */
const LONGEST_DELAY = 600_000

/** Reads the controls of a request, or refuses them. Costs 50 ns for a request without any. */
export function readControls(request: Request, operation: Operation | undefined): Controls | Reply {
  const { headers, query } = request
  let steered = false
  for (const name in headers) {
    if (!name.startsWith('understudy-')) continue
    if (!knownHeaders.has(name)) return refuseHeader(`unknown header ${name}; ${suggest(name, HEADERS)}`)
    steered = true
  }
  const inQuery = query.includes('__') ? takeControls(request, operation) : undefined
  if (!steered && inQuery === undefined) return { request }
  if (inQuery !== undefined && 'status' in inQuery) return inQuery
  const ordinal = headers['understudy-ordinal']
  if (ordinal !== undefined && !/^[1-9]\d{0,8}$/.test(String(ordinal))) {
    return refuseHeader('Understudy-Ordinal must be a number from 1 to 999999999')
  }
  const delay = inQuery?.delay ?? headers['understudy-delay']
  const wait = delay === undefined ? undefined : parseDuration(String(delay))
  if (delay !== undefined && (wait === undefined || wait > LONGEST_DELAY)) {
    const where = inQuery?.delay === undefined ? 'Understudy-Delay' : '__delay'
    return refuseHeader(`${where} must be a duration such as 250ms or 3s, 10m at most`)
  }
  const weather = inQuery?.weather ?? headers['understudy-weather']
  const asked = headers['understudy-explain']
  return {
    request: inQuery?.request ?? request,
    weather: weather && String(weather),
    delay: wait,
    ordinal: ordinal === undefined ? undefined : Number(ordinal),
    why: asked === '1' || asked === 'true' || asked === '?1',
  }
}

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
