// The client of the real API. The only file that imports undici, which it loads when the first request is sent.

import type { Dispatcher } from 'undici'
import { type Upstream, UpstreamFailure, type UpstreamRequest, type UpstreamSettings } from '../behaviours/exchange.ts'
import type { Headers } from '../kernel/http.ts'
import { getOrMake } from '../kernel/memo.ts'

/** Connections kept to one origin. */
const CONNECTIONS = 128

/**
 * Makes a client. It keeps connections, by origin and by the authorities that are trusted; proxies are those of the environment
 * (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`). It follows no redirect and decodes nothing.
 */
export function createUpstream(): Upstream {
  const pools = new Map<string, Promise<Dispatcher>>()
  const poolFor = ({ timeout, ca }: UpstreamSettings) =>
    getOrMake(pools, `${timeout} ${ca ?? ''}`, async () => {
      // The bundle has its exports below `default` only.
      const { EnvHttpProxyAgent } = (await import('undici')).default
      const connect = { timeout, ...(ca === undefined ? {} : { ca }) }
      return new EnvHttpProxyAgent({ connections: CONNECTIONS, connect, headersTimeout: timeout, bodyTimeout: timeout })
    })
  return {
    async send(request, settings) {
      const pool = await poolFor(settings)
      try {
        return await sendOnce(pool, request, settings)
      } catch (error) {
        // A kept connection may have been closed at the same moment.
        const mayRepeat = request.body === undefined && codeOf(error) === 'UND_ERR_SOCKET'
        if (!mayRepeat) throw upstreamFailureOf(error, settings)
      }
      return sendOnce(pool, request, settings).catch((error: unknown) => {
        throw upstreamFailureOf(error, settings)
      })
    },
    async close() {
      const all = await Promise.all(pools.values())
      await Promise.all(all.map(pool => pool.destroy()))
    },
  }
}

async function sendOnce(
  pool: Dispatcher,
  { method, path, headers, body, signal }: UpstreamRequest,
  settings: UpstreamSettings,
) {
  const reply = await pool.request({
    origin: settings.origin,
    path: settings.path + path,
    method: method as Dispatcher.HttpMethod,
    headers,
    body: (body ?? null) as never,
    signal: signal ?? null,
    responseHeaders: 'raw',
  })
  const fields = (reply.headers as unknown as (Buffer | string)[]).map(String)
  return {
    status: reply.statusCode,
    fields,
    body: piecesOf(reply.body, settings),
    trailers: () => reply.trailers as Headers,
  }
}

/** Passes the pieces on; a failure says what failed. */
async function* piecesOf(body: AsyncIterable<Uint8Array>, settings: UpstreamSettings): AsyncIterable<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw upstreamFailureOf(error, settings)
  }
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code ?? '')

/** The reasons by the codes of errors. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'has an unknown host',
  EAI_AGAIN: 'has an unknown host',
  ECONNRESET: 'closed the connection',
  UND_ERR_SOCKET: 'closed the connection',
  UND_ERR_HEADERS_OVERFLOW: 'sent larger headers than can be read',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent a body of another length than it announced',
  CERT_HAS_EXPIRED: 'has an expired certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a self-signed certificate; name its authorities in upstream.tls.ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an unknown authority; name it in upstream.tls.ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate of an unknown authority; name it in upstream.tls.ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate of an unknown authority; name it in upstream.tls.ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another host',
}

function upstreamFailureOf(error: unknown, { timeout }: UpstreamSettings): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  const code = codeOf(error)
  if (/TIMEOUT|ETIMEDOUT/.test(code))
    return new UpstreamFailure(`the real API did not answer within ${timeout} ms`, true)
  if (code.startsWith('HPE_') || (error as Error).name === 'HTTPParserError')
    return new UpstreamFailure('the real API sent what is not HTTP', false)
  return new UpstreamFailure(`the real API ${REASONS[code] ?? 'gave no reply'}`, false)
}
