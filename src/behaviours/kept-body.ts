// A request whose body has been read before its time, for those who read it again.

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
