// The routes about the program: root, metrics, health, readiness. Both planes serve them.

import type { Gateway } from '../gateway/gateway.ts'
import type { Reply } from '../kernel/http.ts'
import type { Plan } from '../plan/plan.ts'

/** @param accept the `Accept` of the request */
export type Status = (path: string, accept?: string) => Promise<Reply>

const statusReply = (status: number, value: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
})

/** Data of the program that the routes show beside those of the gateway. */
interface StatusSources {
  /** Whether new requests are welcome. Default: they are. */
  ready?(): boolean
  addresses?(): Addresses
  /** Makes the page of metrics. Default: of this process alone. */
  page?(): Promise<string>
  /** Returns why requests cannot be answered, if so. Default: as far as this process knows. */
  unavailable?(): string | undefined
}

export function createStatus(gateway: Gateway, sources: StatusSources = {}): Status {
  const {
    ready = () => true,
    addresses = () => ({ api: '', control: '' }),
    page = () => gateway.metrics.page(),
    unavailable = () => gateway.state?.unavailable,
  } = sources
  return async (path, accept) => {
    if (path === '/') return describeRoot(gateway.plan, accept, addresses())
    if (path === '/metrics') {
      const headers = { 'content-type': gateway.metrics.contentType, 'cache-control': 'no-store' }
      return { status: 200, headers, body: await page() }
    }
    if (path !== '/readyz') return statusReply(200, { status: 'ok' })
    const reason = unavailable()
    if (reason !== undefined) return statusReply(503, { status: 'unavailable', reason })
    return ready() ? statusReply(200, { status: 'ready' }) : statusReply(503, { status: 'stopping' })
  }
}

// The reply at `/` of the API's port, unless the contract has that path: a description with links.

/** The addresses of a gateway. */
export interface Addresses {
  /** The address of the API, without a base path. */
  readonly api: string
  /** The address of the control plane; empty if this process does not serve it. */
  readonly control: string
}

/** Returns a short page for a browser, and JSON for other clients. */
function describeRoot({ contract }: Plan, accept: string | undefined, { api, control }: Addresses): Reply {
  const { title, version, basePaths, operations } = contract
  const addresses = basePaths.map(path => `${api}${path || '/'}`)
  const headers = { 'cache-control': 'no-store', vary: 'Accept' }
  if (!/\btext\/html\b/i.test(accept ?? '')) {
    const body = {
      name: 'understudy',
      standsInFor: `${title} ${version}`,
      api: addresses,
      operations: operations.length,
      ...(control === '' ? {} : { console: `${control}/`, controlPlane: `${control}/openapi.json` }),
    }
    return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
  }
  const links = addresses.map(address => `<li><code>${escapeHtml(address)}</code></li>`).join('')
  const steer = control === '' ? '' : `<p>See and control it in the <a href="${escapeHtml(control)}/">console</a>.</p>`
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Understudy</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 40rem; padding: 0 1rem; color-scheme: light dark }</style>
<main>
<h1>${escapeHtml(title)} ${escapeHtml(version)}</h1>
<p>This is Understudy, which stands in for this API with ${operations.length} operations. The API begins at</p>
<ul>${links}</ul>
${steer}
</main>
</html>
`
  const page = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  }
  return { status: 200, headers: { ...headers, ...page }, body }
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
