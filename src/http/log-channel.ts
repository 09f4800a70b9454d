// A pipe between the primary process and a worker as a channel for the log: frames of a length and a text. Messages of
// `node:cluster` would be written as JSON within JSON, and cost several times that.

import { Socket } from 'node:net'
import type { Channel } from '../state/remote-log.ts'

/** The bytes before each frame: its length. */
const LENGTH = 4

/** The place of the pipe among the files that a worker inherits. */
export const PIPE = 4

/** In a worker: the pipe to the primary. It does not keep the process alive. */
export const inheritedPipe = (): Socket => new Socket({ fd: PIPE, readable: true, writable: true }).unref()

/** Returns a channel over a pipe. A message is a head and lines, which have no line feed. */
export function channelOver(pipe: Socket): Channel {
  // A pipe to a process that was killed fails on its own; the exit is what counts.
  pipe.on('error', () => {})
  return {
    send(head, lines) {
      if (!pipe.writable) return
      const text = lines.length === 0 ? JSON.stringify(head) : `${JSON.stringify(head)}\n${lines.join('\n')}`
      const bytes = Buffer.byteLength(text)
      const frame = Buffer.allocUnsafe(LENGTH + bytes)
      frame.writeUInt32BE(bytes)
      frame.write(text, LENGTH)
      pipe.write(frame)
    },
    listen(handler) {
      const frames = new Frames(text => {
        const [head = '', ...lines] = text.split('\n')
        handler(JSON.parse(head), lines)
      })
      pipe.on('data', (chunk: Buffer) => frames.add(chunk))
    },
  }
}

/** Cuts what arrives into frames. A long frame arrives in many pieces, which are put together once. */
export class Frames {
  readonly #found: (text: string) => void
  #pieces: Buffer[] = []
  #length = 0
  /** How many bytes are needed to go on. */
  #needed = LENGTH

  constructor(found: (text: string) => void) {
    this.#found = found
  }

  add(chunk: Buffer): void {
    this.#pieces.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#needed) return
    const bytes = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces)
    let from = 0
    this.#needed = LENGTH
    while (bytes.length - from >= this.#needed) {
      const end = from + LENGTH + bytes.readUInt32BE(from)
      if (end > bytes.length) this.#needed = end - from
      else {
        this.#found(bytes.toString('utf8', from + LENGTH, end))
        from = end
      }
    }
    this.#pieces = from === bytes.length ? [] : [bytes.subarray(from)]
    this.#length = bytes.length - from
  }
}
