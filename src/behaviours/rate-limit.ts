// Limits the requests of a caller per window, by the world's clock, and announces the remaining quota
// (draft-ietf-httpapi-ratelimit-headers-10).

import { type Headers, problems, quotedString, refuse, retryAfter, withHeaders } from '../kernel/http.ts'
import { parseRate } from '../kernel/units.ts'
import { type Quota, Quotas, type Taken } from '../world/kept.ts'
import { type Behaviour, type ConfigOf, type Exchange, setting } from './behaviour.ts'

const schema = setting.block(
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

export const rateLimit: Behaviour<ConfigOf<typeof schema>> = {
  name: 'rateLimit',
  remembers: true,
  weather: true,
  problems: [problems.too_many_requests],
  schema,
  compile(config, { scope }) {
    if (config === undefined) return undefined
    const { count, window } = parseRate(config.limit) as { count: number; window: number }
    const quota: Quota = { limit: count, window, burst: config.burst }
    const keyOf = KEYS[config.by ?? 'consumer']
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
      // Shared quotas use the world's clock, not the time that a single request may choose.
      const now = exchange.world.clock.now()
      const taken = exchange.world.keep(Quotas, `rateLimit ${scope}`).take(keyOf(exchange), quota, now)
      const headers = headersOf(taken, now)
      if (taken.allowed) return withHeaders(await next(exchange), headers)
      const detail = `the rate limit of ${config.limit} is exceeded; retry in ${Math.ceil(taken.reset / 1000)} s`
      return refuse(problems.too_many_requests, detail, { ...headers, ...retryAfter(taken.reset) })
    }
  },
  describe: config =>
    config &&
    `${config.limit}${config.burst === undefined ? '' : ` burst ${config.burst}`} by ${config.by ?? 'consumer'}`,
}

const KEYS: Record<'consumer' | 'address' | 'all', (exchange: Exchange) => string> = {
  consumer: ({ consumer, request }) => (consumer === undefined ? `address ${request.address}` : `consumer ${consumer}`),
  address: ({ request }) => request.address,
  all: () => '',
}
