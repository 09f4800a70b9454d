// A request whose body is remembered by whoever handed it on: for a journal that keeps bodies.

import type { BodyRead, Request } from '../kernel/request.ts'

export class Overheard implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Request['headers']
  readonly #sent: Request
  /** The body, once read. */
  bytes: Uint8Array | undefined = undefined

  constructor(sent: Request) {
    this.method = sent.method
    this.path = sent.path
    this.query = sent.query
    this.headers = sent.headers
    this.#sent = sent
  }

  get hasBody(): boolean {
    return this.#sent.hasBody
  }

  async readBody(maxBytes: number): Promise<BodyRead> {
    const read = await this.#sent.readBody(maxBytes)
    if ('bytes' in read) this.bytes = read.bytes
    return read
  }

  get address(): string {
    return this.#sent.address
  }

  get certificate(): Request['certificate'] {
    return this.#sent.certificate
  }

  get signal(): AbortSignal | undefined {
    return this.#sent.signal
  }
}
