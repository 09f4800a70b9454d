// `Idempotency-Key`: a retry gets the first reply again (draft-ietf-httpapi-idempotency-key-header).

import { createHash } from 'node:crypto'
import { problems, type Reply, refuse, withHeaders } from '../kernel/http.ts'
import { stringifyJson } from '../kernel/json.ts'
import { parseDuration } from '../kernel/units.ts'
import { IdempotencyKeys } from '../world/kept/idempotency-keys.ts'
import { type Behaviour, type ConfigOf, type Exchange, setting } from './behaviour.ts'

const schema = setting.block(
  'Evaluates `Idempotency-Key`, per operation and consumer. The same payload gets the first reply again, another one 422, a repeat during the first request 409. Failures (5xx) are not kept.',
  {
    for: setting.duration('The time for which a reply is kept.'),
    required: setting.flag('Whether a request without the header is refused as invalid. Default: false.'),
  },
  { required: ['for'] },
)

export const idempotency: Behaviour<ConfigOf<typeof schema>> = {
  name: 'idempotency',
  remembers: true,
  schema: schema,
  compile(config, { operation, invalid }) {
    if (config === undefined) return undefined
    const broken = (rule: string, message: string) => invalid([{ in: 'header', path: HEADER, rule, message }])
    const missing = broken('required', 'is required')
    const tooLong = broken('maxLength', `must have at most ${LONGEST_KEY} characters`)
    const time = parseDuration(config.for) as number
    const place = `idempotency ${operation.id}`
    return next => async exchange => {
      const { 'idempotency-key': given } = exchange.request.headers
      if (given === undefined) return config.required === true ? missing : next(exchange)
      if (given.length > LONGEST_KEY) return tooLong
      // The other server sees each retry.
      if (exchange.passing) return next(exchange)
      const { world } = exchange
      const keys = world.keep<IdempotencyKeys<Reply>>(IdempotencyKeys, place)
      const key = `${exchange.caller}\n${given}`
      const payload = payloadOf(exchange)
      const first = keys.find(key, world.clock.now())
      if (first !== undefined) {
        if (first.payload !== payload) return REUSED
        if (first.outcome === undefined) return IN_FLIGHT
        exchange.note('idempotency: replayed the first reply')
        return withHeaders(first.outcome, REPLAYED)
      }
      const settle = (made: Reply) => [key, payload, made, world.clock.now() + time, made.body?.length ?? 0] as const
      if (world.recorder !== undefined) {
        // One change together with those of the request, so that neither a crash nor another request comes in between.
        const made = await next(exchange)
        if (isKept(made)) keys.settle(...settle(made))
        return made
      }
      keys.begin(key, payload)
      // A request that does not reach this line has failed and may be repeated.
      let reply: Reply | undefined
      // In progress until the reply is sent, since latency follows after it is made.
      exchange.release = () => {
        if (reply === undefined || !isKept(reply)) keys.forget(key)
        else keys.finish(...settle(reply))
      }
      reply = await next(exchange)
      return reply
    }
  },
  describe: config => config && `for ${config.for}`,
}

/** A failure may be repeated; the reply of the real API, which is read once, is kept there. */
const isKept = ({ status, stream }: Reply): boolean => status < 500 && stream === undefined

/** The maximum length of a key, which is kept with the reply. */
const LONGEST_KEY = 255
const HEADER = 'Idempotency-Key'
const REUSED = refuse(problems.key_reused, 'this Idempotency-Key was already used with a different request')
const IN_FLIGHT = refuse(problems.in_flight, 'a request with this Idempotency-Key is still in progress')
const REPLAYED = { 'idempotent-replayed': 'true' }

function payloadOf({ request, body }: Exchange): string {
  const text = body === undefined ? '' : stringifyJson(body)
  return createHash('sha256').update(`${request.path}\n${request.query}\n${text}`).digest('base64')
}
