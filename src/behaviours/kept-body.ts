// A request whose body has been read before its time, for those who read it again.

import type { BodyRead, Request } from '../kernel/request.ts'

export class KeptBody implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Request['headers']
  readonly #sent: Request
  readonly #read: BodyRead

  constructor(sent: Request, read: BodyRead) {
    this.method = sent.method
    this.path = sent.path
    this.query = sent.query
    this.headers = sent.headers
    this.#sent = sent
    this.#read = read
  }

  get hasBody(): boolean {
    return this.#sent.hasBody
  }

  async readBody(): Promise<BodyRead> {
    return this.#read
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
