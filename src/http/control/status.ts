// Metrics, health, readiness.

import type { Control, ControlRoute } from './route.ts'
import { object, replyWith } from './schemas.ts'

export const statusRoutes = ({ status }: Control): ControlRoute[] => {
  const answer = (path: string) => async () => {
    const { status: code, headers, body } = await status(path)
    const { 'content-type': type, ...others } = headers
    return { status: code, type, headers: others, body }
  }
  const state = (...words: string[]) => object({ status: { enum: words } })
  return [
    {
      method: 'GET',
      path: '/metrics',
      operation: 'getMetrics',
      underWorkers: 'always',
      summary: 'The metrics for Prometheus.',
      replies: { 200: { description: 'The exposition format.', content: { 'text/plain': { type: 'string' } } } },
      answer: answer('/metrics'),
    },
    {
      method: 'GET',
      path: '/healthz',
      operation: 'getHealth',
      underWorkers: 'always',
      summary: 'Whether the process is alive.',
      open: true,
      replies: { 200: replyWith('The process is alive.', state('ok')) },
      answer: answer('/healthz'),
    },
    {
      method: 'GET',
      path: '/readyz',
      operation: 'getReadiness',
      underWorkers: 'always',
      summary: 'Whether the gateway accepts new requests.',
      open: true,
      replies: {
        200: replyWith('They are.', state('ready')),
        503: replyWith('The gateway is stopping.', state('stopping')),
      },
      answer: answer('/readyz'),
    },
  ]
}
