// Serves at most `concurrent` requests at once; others queue, so that response times grow with load. It is outside
// `latency`, which therefore is the service time.

import { problems, refuse, retryAfter } from '../kernel/http.ts'
import { parseDuration } from '../kernel/units.ts'
import { Servers } from '../world/servers.ts'
import { type Behaviour, type ConfigOf, type Exchange, setting } from './behaviour.ts'

const schema = setting.block(
  'The number of requests served at once; others wait in order. Under `defaults` it is shared by all operations, under a tag by those of the tag.',
  {
    concurrency: setting.integer('The number of requests served at once.', 1),
    queue: setting.integer('The number of requests that may wait; others are refused with 503. Default: 100.', 0),
    timeout: setting.duration('The longest wait; then the request is refused with 503. Default: 30s.'),
    retryAfter: setting.duration('The `Retry-After` of the 503. Default: 1s.'),
  },
  { required: ['concurrency'] },
)

export const capacity: Behaviour<ConfigOf<typeof schema>> = {
  name: 'capacity',
  remembers: true,
  weather: true,
  problems: [problems.overloaded],
  schema,
  compile(config, { scope }) {
    if (config === undefined) return undefined
    const { concurrency, queue = 100 } = config
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
  describe: config => config && `${config.concurrency} at once, ${config.queue ?? 100} waiting`,
}

/** Returns whether a server became free before the timeout and before the client disconnected. */
function waitForServer({ clock, request }: Exchange, servers: Servers, timeout: number): Promise<boolean> {
  return new Promise(resolve => {
    const came = new AbortController()
    const leave = servers.queue(() => {
      came.abort()
      resolve(true)
    })
    const signal = request.signal === undefined ? came.signal : AbortSignal.any([came.signal, request.signal])
    clock.sleep(timeout, signal).then(() => {
      if (leave()) resolve(false)
    })
  })
}
