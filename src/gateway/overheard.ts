// A request whose body is also kept for the journal.

import { type BodyRead, ForwardedRequest, type Request } from '../kernel/request.ts'

export class Overheard extends ForwardedRequest {
  /** The body, once read. */
  bytes: Uint8Array | undefined = undefined

  override async readBody(maxBytes: number): Promise<BodyRead> {
    const read = await super.readBody(maxBytes)
    if ('bytes' in read) this.bytes = read.bytes
    return read
  }
}

/** Returns the kept body, however often the request was wrapped since. */
export function overheardBody(request: Request | undefined): Uint8Array | undefined {
  let at = request
  while (at instanceof ForwardedRequest) {
    if (at instanceof Overheard) return at.bytes
    at = at.sent
  }
  return undefined
}
