// The routes about the program: root, metrics, health, readiness. Both planes serve them.

import type { Gateway } from '../gateway/gateway.ts'
import type { Reply } from '../kernel/reply.ts'
import { type Addresses, describeRoot } from './root.ts'

/** @param accept the `Accept` of the request */
export type Status = (path: string, accept?: string) => Promise<Reply>

const json = (status: number, value: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
})

/**
 * @param ready whether new requests are welcome
 * @param addresses where the API and the control plane are reached
 * @param page the page of metrics, where it is not the gateway's own
 */
export const createStatus =
  (gateway: Gateway, ready: () => boolean, addresses: () => Addresses, page = () => gateway.metrics.page()): Status =>
  async (path, accept) => {
    if (path === '/') return describeRoot(gateway.plan, accept, addresses())
    if (path === '/metrics') {
      const headers = { 'content-type': gateway.metrics.contentType, 'cache-control': 'no-store' }
      return { status: 200, headers, body: await page() }
    }
    const unavailable = gateway.state?.unavailable
    if (path === '/readyz' && unavailable !== undefined)
      return json(503, { status: 'unavailable', reason: unavailable })
    if (path === '/readyz') return ready() ? json(200, { status: 'ready' }) : json(503, { status: 'stopping' })
    return json(200, { status: 'ok' })
  }
