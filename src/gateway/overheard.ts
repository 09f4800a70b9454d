// A request whose body is remembered by whoever handed it on: for a journal that keeps bodies.

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

/** The body that was overheard, however often the request was handed on since. */
export function overheardBody(request: Request | undefined): Uint8Array | undefined {
  let at = request
  while (at instanceof ForwardedRequest) {
    if (at instanceof Overheard) return at.bytes
    at = at.sent
  }
  return undefined
}
