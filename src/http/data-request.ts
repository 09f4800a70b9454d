// A request to the API, as the gateway sees it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyRead, ClientCertificate, Request } from '../kernel/request.ts'
import { certificateOf } from './client-certificate.ts'

export class DataRequest implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Request['headers']
  readonly prefix: string
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #readBody: () => Promise<BodyRead>
  #body: Promise<BodyRead> | undefined
  #signal: AbortSignal | undefined

  constructor(req: IncomingMessage, res: ServerResponse, prefix: string, readBody: () => Promise<BodyRead>) {
    const target = originForm(req.url as string)
    const query = target.indexOf('?')
    this.method = req.method as string
    this.path = query === -1 ? target : target.slice(0, query)
    this.query = query === -1 ? '' : target.slice(query + 1)
    this.headers = req.headers
    this.prefix = prefix
    this.#req = req
    this.#res = res
    this.#readBody = readBody
  }

  get hasBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': coding } = this.headers
    return coding !== undefined || (length !== undefined && length !== '0')
  }

  readBody(): Promise<BodyRead> {
    this.#body ??= this.#readBody()
    return this.#body
  }

  get address(): string {
    return this.#req.socket.remoteAddress ?? ''
  }

  get certificate(): ClientCertificate | undefined {
    return certificateOf(this.#req.socket)
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController()
      const res = this.#res
      if (res.destroyed) controller.abort()
      // A response closes once: after it was written, or when its socket does.
      else res.once('close', () => controller.abort())
      this.#signal = controller.signal
    }
    return this.#signal
  }
}

/** A proxy's client sends the whole URL (RFC 9112 §3.2.2); the authority is then Node's `host`. */
const originForm = (target: string): string => {
  if (target.startsWith('/')) return target
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)
  if (match === null) return target
  const rest = target.slice(match[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
