// TLS around a plane's server. A client that uses http gets a 400 in plain text.

import { X509Certificate } from 'node:crypto'
import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer, type Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { KeyPair, TlsSettings } from '../plan/settings.ts'
import { closeInStages } from './wire.ts'

/** The first byte of a TLS handshake (RFC 8446 §5.1). */
const HANDSHAKE = 0x16

/** How planes are served by TLS; kept for the time of serving. */
export class Security {
  readonly #settings: TlsSettings
  readonly #madePair: KeyPair | undefined
  readonly #servers: SecureServer[] = []

  /** @param madePair the certificate that was made at start, if none is configured */
  constructor(settings: TlsSettings, madePair?: KeyPair) {
    this.#settings = settings
    this.#madePair = madePair
  }

  /** The SHA-256 fingerprint of a certificate that was made at start, as browsers and openssl show it. */
  get fingerprint(): string | undefined {
    return this.#madePair && new X509Certificate(this.#madePair.cert).fingerprint256
  }

  #contextOf({ pair = this.#madePair, ca }: TlsSettings) {
    const { key = '', cert = '' } = pair ?? {}
    return { key, cert, ...(ca === undefined ? {} : { ca }), minVersion: 'TLSv1.2' as const }
  }

  /** @param asksClients whether the server requests client certificates, if these are configured */
  createServer(options: ServerOptions, asksClients: boolean): Server {
    const { clients } = this.#settings
    const asks = asksClients && clients !== undefined
    const patience = options.requestTimeout ?? 30_000
    const server = createServer({
      ...options,
      ...this.#contextOf(this.#settings),
      // Node offers only `http/1.1`, and refuses the handshake of a client that asks for HTTP/1.0 (`curl --http1.0`).
      ALPNProtocols: ['http/1.1', 'http/1.0'],
      handshakeTimeout: patience,
      requestCert: asks,
      rejectUnauthorized: asks && clients === 'required',
    })
    this.#servers.push(server)
    refuseHttp(server, patience)
    return server as unknown as Server<never> as Server & RequestListener
  }

  /** Serves another certificate from the next connection on. */
  renew(settings: TlsSettings): void {
    for (const server of this.#servers) server.setSecureContext(this.#contextOf(settings))
  }
}

/** Looks at the first byte of each connection before TLS does. */
function refuseHttp(server: SecureServer, patience: number): void {
  const [accept] = server.listeners('connection')
  if (accept === undefined) return
  server.removeListener('connection', accept as () => void)
  server.on('connection', (socket: Socket) => {
    const giveUp = () => void socket.destroy()
    socket.setTimeout(patience, giveUp)
    socket.on('error', giveUp)
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null
      socket.setTimeout(0)
      socket.off('timeout', giveUp)
      if (first === null) return giveUp()
      if (first[0] !== HANDSHAKE) return sayHttps(socket)
      socket.off('error', giveUp)
      socket.unshift(first)
      accept.call(server, socket)
    })
  })
}

const NOTICE = 'this port expects https\n'
const PLAIN = [
  'HTTP/1.1 400 Bad Request',
  'content-type: text/plain; charset=utf-8',
  `content-length: ${NOTICE.length}`,
  'connection: close',
  '',
  NOTICE,
].join('\r\n')

function sayHttps(socket: Socket): void {
  socket.resume()
  socket.write(PLAIN)
  closeInStages(socket)
}
