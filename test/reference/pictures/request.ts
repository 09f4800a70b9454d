// A request's path: the life-cycle list of the behaviours, outermost first, with the statuses of their refusals.

import { houseWith } from '../../../src/plan/house.ts'
import { WINGS } from '../../../src/wings.ts'
import { line, picture, rect, text, widthOf } from './svg.ts'

const WIDTH = 760
const STEP = 24
/** The indentation of each behaviour within the previous one. */
const INSET = 9

const { behaviours } = houseWith(WINGS)

/** Each behaviour in a few words, and the statuses that it may refuse with. */
export const DOES: Readonly<Record<string, readonly [what: string, refuses: string]>> = {
  next: ['tells the verdict by the next contract', ''],
  errors: ['gives refusals the shape of the API', ''],
  replies: ['checks the reply against the contract', '500'],
  replied: ['says who replied', ''],
  shadow: ['chooses requests to ask the real API, too', ''],
  stability: ['adds X-Stability', ''],
  deprecation: ['headers, brown-outs, 410', '404 410 503'],
  capacity: ['limits concurrent requests', '503'],
  latency: ['delays the reply', ''],
  fault: ['a status, or a connection fault', ''],
  prefer: ['the reply that the client chose', '400 404 501'],
  authenticate: ['identifies the caller', '401 403'],
  state: ['runs changes in turns', ''],
  rateLimit: ['counts requests', '429'],
  deprecatedInputs: ['warns', ''],
  validate: ['reads the body, checks the request', '400 404 413 415'],
  idempotency: ['replays the first reply', '400 409 422'],
  conditional: ['ETag, If-Match', '412 428'],
  sandbox: ['the records of the real API', '429 502 504'],
  issuer: ['the tokens of an issuer', ''],
  respond: ['a resource, fixed, forwarded, or the contract', '400 404 406 409 416 501 502 503 504 507'],
}

export function drawRequest(): string {
  const top = 112
  const bottom = top + behaviours.length * STEP
  const middle = 250
  const parts = [
    text(middle, 30, 'request', 'strong', 'text-anchor="middle"'),
    line(middle, 36, middle, 48),
    rect(40, 48, WIDTH - 80, 24, 'box'),
    text(52, 64, 'data plane: one Koa application; gateway: reads the plan once, selects the world'),
    text(WIDTH - 52, 64, '404 405', 'mono quiet', 'text-anchor="end"'),
    line(middle, 72, middle, 84),
    text(40, 100, 'The chain of one operation, composed at load, with the behaviours that it uses.', 'quiet small'),
    text(WIDTH - 52, 100, 'may refuse with', 'quiet small', 'text-anchor="end"'),
    ...behaviours.flatMap(({ name }, i) => {
      const y = top + i * STEP
      const x = 40 + i * INSET
      const [what = '', statuses = ''] = DOES[name] ?? []
      return [
        rect(x, y, WIDTH - 2 * x, STEP * 2 * (behaviours.length - i) - STEP * (behaviours.length - i) - 4, 'box'),
        text(x + 10, y + 16, name, 'mono'),
        text(Math.max(190, x + 20 + widthOf(name)), y + 16, what, 'quiet small'),
        text(WIDTH - x - 10, y + 16, statuses, 'mono quiet', 'text-anchor="end"'),
      ]
    }),
    line(middle, bottom + 2, middle, bottom + 14),
    rect(40, bottom + 14, WIDTH - 80, 24, 'box'),
    text(
      52,
      bottom + 30,
      'afterwards: metrics, journal, one log line; the reply is written, or its connection fault executed',
    ),
    line(middle, bottom + 38, middle, bottom + 50),
    text(middle, bottom + 64, 'reply', 'strong', 'text-anchor="middle"'),
  ]
  return picture(WIDTH, bottom + 80, 'The path of a request through the behaviours of an operation', parts)
}
