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
      let rest: Buffer = Buffer.alloc(0)
      pipe.on('data', (chunk: Buffer) => {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        let from = 0
        while (rest.length - from >= LENGTH) {
          const end = from + LENGTH + rest.readUInt32BE(from)
          if (end > rest.length) break
          const [head = '', ...lines] = rest.toString('utf8', from + LENGTH, end).split('\n')
          from = end
          handler(JSON.parse(head), lines)
        }
        rest = rest.subarray(from)
      })
    },
  }
}
