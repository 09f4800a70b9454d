// A request whose body has already been read, for behaviours that read it again.

import { type BodyRead, ForwardedRequest, type Request } from '../kernel/request.ts'

export class KeptBody extends ForwardedRequest {
  readonly #read: BodyRead

  constructor(sent: Request, read: BodyRead) {
    super(sent)
    this.#read = read
  }

  override async readBody(): Promise<BodyRead> {
    return this.#read
  }
}
