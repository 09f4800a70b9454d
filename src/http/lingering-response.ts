// A response that may be complete before its request is: it ends once the rest of the request has been read and dropped
// (RFC 9112 §9.6). A connection that is closed while unread bytes wait in it is reset, and a reset takes the reply along.

import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** After its half of the connection is closed, the server reads on for this many milliseconds, then closes the rest. */
const LINGER = 1000

/** A client that got no 100 and sends nothing for this many milliseconds is assumed not to send its body. */
const NO_BODY_FOLLOWS = 250

/** Responses whose client got a 100. */
const continued = new WeakSet<ServerResponse>()

/** Responses that wait for the end of their request. */
const waiting = new WeakSet<ServerResponse>()

/** For `createServer({ ServerResponse })`: the class of every response. */
export class LingeringResponse<Req extends IncomingMessage = IncomingMessage> extends ServerResponse<Req> {
  override writeContinue(...callback: [(() => void)?]): void {
    continued.add(this)
    super.writeContinue(...callback)
  }

  /**
   * Writes what is left of the reply at once. Where the request is still arriving, the response ends with it: after that the
   * connection serves the next request, or is closed with nothing unread. Node's request time-out bounds the wait.
   */
  override end(...parts: readonly unknown[]): this {
    if (this.req.complete || this.destroyed) return super.end(...(parts as []))
    if (waiting.has(this)) return this
    waiting.add(this)
    const [chunk, encoding] = parts
    if (typeof chunk === 'string') this.write(chunk, encoding as BufferEncoding)
    else if (chunk instanceof Uint8Array) this.write(chunk)
    else this.flushHeaders()
    dropRest(this, () => super.end())
    return this
  }
}

function dropRest(res: ServerResponse, end: () => void): void {
  const { req } = res
  const { socket } = req
  // The reader of the body has stopped, and would hold up the rest.
  req.unpipe()
  req.once('end', end)
  const drop = req.headers.expect === undefined || continued.has(res) ? () => {} : closeUnlessSent(socket)
  req.on('data', drop)
  req.resume()
}

/**
 * Closes the connection of a client that waits for a 100 in vain. Returns a function to call if it sends its body
 * nevertheless.
 */
function closeUnlessSent(socket: Socket): () => void {
  const timer = setTimeout(() => closeInStages(socket), NO_BODY_FOLLOWS)
  socket.once('close', () => clearTimeout(timer))
  return () => void timer.refresh()
}

/** Closes the writing half, reads on for `LINGER`, and closes the rest. */
export function closeInStages(socket: Socket): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}
