// Sends one request of a delivery: to an address that is admitted, resolved once, without redirects, within bounds.

import { lookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { isIP, connect as openSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Headers } from '../../kernel/http.ts'
import { joinFields } from '../../kernel/received.ts'
import type { Clock } from '../../world/clock.ts'
import type { Hosts } from './hosts.ts'

/** The way to other hosts. */
export interface Network {
  /** Returns the addresses of a name. */
  resolve(host: string): Promise<readonly string[]>
  /** Returns a connection to an address, which may still be opening. */
  connect(to: { readonly host: string; readonly port: number }): Duplex
}

export const openNetwork: Network = {
  // Most receivers of a test listen on 127.0.0.1 only.
  resolve: async host => (await lookup(host, { all: true, verbatim: false })).map(({ address }) => address),
  connect: to => openSocket(to),
}

/** A request of a delivery. */
export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

/** The reply of a receiver. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  /** `undefined` if it is longer than is read. */
  readonly body: Uint8Array | undefined
}

/** How requests are sent. */
export interface Sending {
  readonly hosts: Hosts
  /** Milliseconds for the whole exchange. */
  readonly timeout: number
  readonly network: Network
  /** Real time. */
  readonly clock: Clock
  /** Ends all exchanges. */
  readonly closed: AbortSignal
}

/** The bytes of a reply that are read. */
const MOST_BYTES = 64_000

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the receiver refuses connections',
  ECONNRESET: 'the receiver closed the connection',
  EPIPE: 'the receiver closed the connection',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host is unknown',
}

/** Rejects with an `Error` whose message is for people. */
export async function send(outgoing: Outgoing, sending: Sending): Promise<Received> {
  const { clock, timeout, closed } = sending
  const abort = new AbortController()
  const signal = AbortSignal.any([abort.signal, closed])
  const late = clock.sleep(timeout, signal).then((): Received => {
    throw new Error(`the receiver did not answer within ${timeout} ms`)
  })
  try {
    return await Promise.race([late, sendNow(outgoing, sending, signal)])
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new Error(REASONS[code] ?? message)
  } finally {
    late.catch(() => {})
    abort.abort()
  }
}

async function sendNow(outgoing: Outgoing, sending: Sending, signal: AbortSignal): Promise<Received> {
  const { network, hosts } = sending
  const url = new URL(outgoing.url)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (hosts.excludes(host)) throw new Error(`${host} is not in "hosts" of deliveries`)
  const isSecure = url.protocol === 'https:'
  const addresses = await network.resolve(host)
  for (const address of addresses) {
    const refusal = hosts.refusal(host, address)
    if (refusal !== undefined) throw new Error(`the address ${address} ${refusal}`)
  }
  const [address] = addresses
  if (address === undefined) throw new Error('the host is unknown')
  const socket = network.connect({ host: address, port: Number(url.port) || (isSecure ? 443 : 80) })
  signal.addEventListener('abort', () => socket.destroy())
  if (signal.aborted) socket.destroy()
  // Its errors after those of the request are of no concern.
  socket.on('error', () => {})
  const connection = isSecure
    ? (await import('node:tls')).connect({ socket, host, ...(isIP(host) === 0 && { servername: host }) })
    : socket
  return exchange(outgoing, url, connection)
}

function exchange({ method, headers, body }: Outgoing, url: URL, connection: Duplex): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      createConnection: () => connection as never,
      method,
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body), connection: 'close' },
    })
    sent.on('error', reject)
    sent.on('upgrade', () => reject(new Error('the receiver changed the protocol')))
    sent.on('response', reply => readReply(reply).then(resolve, reject))
    sent.end(body)
  })
}

function readReply(reply: IncomingMessage): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { statusCode: status = 0 } = reply
    const headers = joinFields(reply.rawHeaders)
    const parts: Uint8Array[] = []
    let length = 0
    const end = (body: Uint8Array | undefined): void => resolve({ status, headers, body })
    reply.on('data', (part: Uint8Array) => {
      length += part.length
      parts.push(part)
      if (length <= MOST_BYTES) return
      end(undefined)
      reply.destroy()
    })
    reply.on('end', () => end(Buffer.concat(parts)))
    reply.on('error', reject)
    reply.on('close', () => reject(new Error('the receiver broke off its reply')))
  })
}
