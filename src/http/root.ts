// The reply at `/` of the API's port, unless the contract has that path: a description with links.

import type { Reply } from '../kernel/reply.ts'
import type { Plan } from '../plan/plan.ts'

/** The addresses of a gateway. */
export interface Addresses {
  /** The address of the API, without a base path. */
  readonly api: string
  /** The address of the control plane; empty if this process does not serve it. */
  readonly control: string
}

/** Returns a short page for a browser, and JSON for other clients. */
export function describeRoot({ contract }: Plan, accept: string | undefined, { api, control }: Addresses): Reply {
  const { title, version, basePaths, operations } = contract
  const addresses = basePaths.map(path => `${api}${path || '/'}`)
  const headers = { 'cache-control': 'no-store', vary: 'Accept' }
  if (!/\btext\/html\b/i.test(accept ?? '')) {
    const body = {
      ...{ name: 'understudy', standsInFor: `${title} ${version}`, api: addresses, operations: operations.length },
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

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, one => `&#${one.charCodeAt(0)};`)
