// What the stand-in says of itself: metrics, health, readiness. Served by both planes.

import type { Gateway } from '../gateway/gateway.ts'
import type { Reply } from '../kernel/reply.ts'

export type Status = (path: string) => Promise<Reply>

const json = (status: number, value: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
})

/**
 * @param ready whether new requests are welcome
 * @param page the page of metrics, where it is not the gateway's own
 */
export const createStatus =
  (gateway: Gateway, ready: () => boolean, page = () => gateway.metrics.page()): Status =>
  async path => {
    if (path === '/metrics') {
      const headers = { 'content-type': gateway.metrics.contentType, 'cache-control': 'no-store' }
      return { status: 200, headers, body: await page() }
    }
    if (path === '/readyz') return ready() ? json(200, { status: 'ready' }) : json(503, { status: 'stopping' })
    return json(200, { status: 'ok' })
  }
