// A request's path: the life-cycle list of the behaviours, outermost first, with the statuses of their refusals.

import { behaviours } from '../../../src/behaviours/index.ts'
import { line, picture, rect, text, widthOf } from './svg.ts'

const WIDTH = 760
const STEP = 24
/** The indentation of each behaviour within the previous one. */
const INSET = 9

/** Describes each behaviour in a few words. */
const DOES: Readonly<Record<string, string>> = {
  errors: 'gives refusals the shape of the API',
  replies: 'checks the reply against the contract',
  stability: 'adds X-Stability',
  deprecation: 'headers, brown-outs, 410',
  capacity: 'limits concurrent requests',
  latency: 'delays the reply',
  fault: 'a status, or a connection fault',
  prefer: 'the reply that the client chose',
  authenticate: 'identifies the caller',
  state: 'runs changes in turns',
  rateLimit: 'counts requests',
  deprecatedInputs: 'warns',
  validate: 'reads the body, checks the request',
  idempotency: 'replays the first reply',
  conditional: 'ETag, If-Match',
  respond: 'a resource, fixed, or the contract',
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
    ...behaviours.flatMap(({ name, problems = [] }, i) => {
      const y = top + i * STEP
      const x = 40 + i * INSET
      const statuses = [...new Set(problems.map(({ status }) => status))].sort().join(' ')
      return [
        rect(x, y, WIDTH - 2 * x, STEP * 2 * (behaviours.length - i) - STEP * (behaviours.length - i) - 4, 'box'),
        text(x + 10, y + 16, name, 'mono'),
        text(Math.max(190, x + 20 + widthOf(name)), y + 16, DOES[name] ?? '', 'quiet small'),
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
