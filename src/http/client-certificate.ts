// Reads the client's certificate from the TLS handshake, once per connection that needs it.

import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ClientCertificate } from '../kernel/request.ts'

const certificates = new WeakMap<Socket, ClientCertificate | undefined>()

/** The certificate that a client showed; `undefined` where it showed none, or without TLS. */
export function certificateOf(socket: Socket): ClientCertificate | undefined {
  if (!('getPeerCertificate' in socket)) return undefined
  if (certificates.has(socket)) return certificates.get(socket)
  const secure = socket as TLSSocket
  const { subject } = secure.getPeerCertificate()
  const found = subject === undefined ? undefined : { verified: secure.authorized, subject: attributesOf(subject) }
  certificates.set(socket, found)
  return found
}

const attributesOf = (subject: object): ClientCertificate['subject'] =>
  Object.entries(subject).flatMap(([name, values]) =>
    [values].flat().map(value => [name.toUpperCase(), String(value)] as const),
  )
