// Limits of a service: the requests of a caller per window, by the world's clock, with the remaining quota announced
// (draft-ietf-httpapi-ratelimit-headers-10); and the requests that are served at once.

import { type Headers, problems, quotedString, refuse, retryAfter, withHeaders } from '../kernel/http.ts'
import { parseDuration, parseRate } from '../kernel/units.ts'
import { type Quota, Quotas, type Taken } from '../world/kept/quotas.ts'
import { Servers } from '../world/servers.ts'
import { type Behaviour, type ConfigOf, type Exchange, Slot, setting } from './behaviour.ts'

const rateLimitSchema = setting.block(
  'The number of requests in a time. Under `defaults` the limit is shared by all operations, under a tag by those of the tag.',
  {
    limit: setting.text('Requests per fixed window of time: `100/m`.', { format: 'rate' }),
    burst: setting.integer(
      'Uses a token bucket of this size, refilled evenly at the limit, instead of fixed windows.',
      1,
    ),
    by: setting.choice(
      ['consumer', 'address', 'all'],
      'Who shares the limit: each consumer (or address, for requests without one), each address, or all. Default: consumer.',
    ),
    legacyHeaders: setting.flag('Whether replies carry the older `X-RateLimit-*` headers too. Default: false.'),
  },
  { required: ['limit'] },
)

type RateLimitConfig = ConfigOf<typeof rateLimitSchema>

export const rateLimit: Behaviour<RateLimitConfig> = {
  name: 'rateLimit',
  remembers: true,
  weather: true,
  schema: rateLimitSchema,
  letIn(config, { scope }) {
    if (config === undefined) return undefined
    const take = compileTaking(config, scope)
    const refusal = Promise.resolve(refuse(problems.too_many_requests, ''))
    return next => exchange => {
      const taken = take(exchange)
      exchange.set(TAKEN, { scope, taken })
      return taken.allowed ? next(exchange) : refusal
    }
  },
  compile(config, { scope }) {
    if (config === undefined) return undefined
    const take = compileTaking(config, scope)
    const { count, window } = parseRate(config.limit) as { count: number; window: number }
    const name = quotedString(scope.split('/').at(-1) as string)
    const policy = `${name};q=${count};w=${window / 1000}`
    const headersOf = ({ remaining: left, reset }: Taken, now: number): Headers => {
      // A bucket may hold more than the policy allows in its window; the fields announce at most the policy.
      const remaining = Math.min(left, count)
      return {
        'ratelimit-policy': policy,
        ratelimit: `${name};r=${remaining};t=${Math.ceil(reset / 1000)}`,
        ...(config.legacyHeaders && {
          'x-ratelimit-limit': `${count}`,
          'x-ratelimit-remaining': `${remaining}`,
          'x-ratelimit-reset': `${Math.ceil((now + reset) / 1000)}`,
        }),
      }
    }
    return next => async exchange => {
      const before = exchange.get(TAKEN)
      const taken = before?.scope === scope ? before.taken : take(exchange)
      const headers = headersOf(taken, exchange.world.clock.now())
      if (taken.allowed) return withHeaders(await next(exchange), headers)
      const detail = `the rate limit of ${config.limit} is exceeded; retry in ${Math.ceil(taken.reset / 1000)} s`
      return refuse(problems.too_many_requests, detail, { ...headers, ...retryAfter(taken.reset) })
    }
  },
  describe: config =>
    config &&
    `${config.limit}${config.burst === undefined ? '' : ` burst ${config.burst}`} by ${config.by ?? 'consumer'}`,
}

/** The part of a quota that a request took when it was let in: it takes no other. */
const TAKEN = new Slot<{ readonly scope: string; readonly taken: Taken }>('taken quota')

function compileTaking(
  { limit, burst, by = 'consumer' }: RateLimitConfig,
  scope: string,
): (exchange: Exchange) => Taken {
  const { count, window } = parseRate(limit) as { count: number; window: number }
  const quota: Quota = { limit: count, window, burst }
  const keyOf = KEYS[by]
  return exchange => {
    const { world } = exchange
    // Shared quotas use the world's clock, not the time that a single request may choose.
    return world.keep(Quotas, `rateLimit ${scope}`).take(keyOf(exchange), quota, world.clock.now())
  }
}

const KEYS: Record<'consumer' | 'address' | 'all', (exchange: Exchange) => string> = {
  consumer: ({ caller }) => caller,
  address: ({ request }) => request.address,
  all: () => '',
}

const capacitySchema = setting.block(
  'The number of requests served at once; others wait in order. Under `defaults` it is shared by all operations, under a tag by those of the tag.',
  {
    concurrency: setting.integer('The number of requests served at once.', 1),
    queue: setting.integer('The number of requests that may wait; others are refused with 503. Default: 100.', 0),
    timeout: setting.duration('The longest wait; then the request is refused with 503. Default: 30s.'),
    retryAfter: setting.duration('The `Retry-After` of the 503. Default: 1s.'),
  },
  { required: ['concurrency'] },
)

/** The default length of the queue. */
const MOST_WAITING = 100

/**
 * Serves at most `concurrency` requests at once; others queue, so that response times grow with load. It is outside `latency`,
 * which therefore is the service time.
 */
export const capacity: Behaviour<ConfigOf<typeof capacitySchema>> = {
  name: 'capacity',
  remembers: true,
  weather: true,
  schema: capacitySchema,
  letIn(config, { scope }) {
    if (config === undefined) return undefined
    const { concurrency, queue = MOST_WAITING } = config
    const refusal = Promise.resolve(refuse(problems.overloaded, ''))
    return next => exchange => {
      const { busy, waiting } = exchange.world.keep(Servers, `capacity ${scope}`)
      return busy < concurrency || waiting < queue ? next(exchange) : refusal
    }
  },
  compile(config, { scope }) {
    if (config === undefined) return undefined
    const { concurrency, queue = MOST_WAITING } = config
    const timeout = parseDuration(config.timeout ?? '30s') as number
    const retry = retryAfter(parseDuration(config.retryAfter ?? '1s') as number)
    const full = refuse(problems.overloaded, 'all servers are busy and the queue is full', retry)
    const late = refuse(problems.overloaded, 'no server became free in time', retry)
    return next => async exchange => {
      const servers = exchange.world.keep(Servers, `capacity ${scope}`)
      if (!servers.take(concurrency)) {
        if (servers.waiting >= queue) return full
        exchange.queued = true
        exchange.note(`capacity: number ${servers.waiting + 1} in line`)
        if (!(await exchange.pause(waitForServer(exchange, servers, timeout)))) return late
      }
      try {
        return await next(exchange)
      } finally {
        servers.release(concurrency)
      }
    }
  },
  describe: config => config && `${config.concurrency} at once, ${config.queue ?? MOST_WAITING} waiting`,
}

/** Returns whether a server became free before the timeout and before the client disconnected. */
function waitForServer({ clock, request }: Exchange, servers: Servers, timeout: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const came = new AbortController()
    const leave = servers.queue(() => {
      came.abort()
      resolve(true)
    })
    const end = () => came.abort()
    request.signal?.addEventListener('abort', end)
    if (request.signal?.aborted) end()
    const giveUp = () => void (leave() && resolve(false))
    clock.sleep(timeout, came.signal).then(giveUp).catch(reject)
  })
}
