// The connections that the primary is handing to a worker. `node:cluster` forgets those that a worker which is killed has
// not taken yet: the primary holds them open, and no process serves or closes them.

import cluster, { type Worker } from 'node:cluster'
import { untilQuiet } from './until-quiet.ts'

/** The messages of a worker that has ended are read for this many milliseconds. */
const LAST_WORDS = 100

/** A connection as `node:cluster` passes it on. */
interface Handle {
  close(): void
}
interface HandOver {
  readonly act?: string
  readonly seq?: number
}
interface Acknowledgement {
  readonly ack?: number
}
type Send = (
  message: HandOver,
  handle?: Handle | null,
  options?: unknown,
  callback?: (error: Error | null) => void,
) => boolean

export class HandOvers {
  #made = 0
  /** How many of them no worker has taken or declined yet. */
  #pending = 0

  /**
   * Follows what is handed to a worker. When the worker is gone, a connection that could not be sent to it is dealt to another
   * one, as if this one had declined it; any other is closed, since the worker may have read from it.
   */
  follow(worker: Worker): void {
    const { process: child } = worker
    const pending = new Map<number, Handle>()
    const unsent = new Set<number>()
    const forget = (seq: number) => {
      if (pending.delete(seq)) this.#pending -= 1
    }
    const send = child.send.bind(child) as Send
    const follow: Send = (message, handle, options, callback) => {
      const { act, seq } = message
      if (act !== 'newconn' || !handle || seq === undefined) return send(message, handle, options, callback)
      pending.set(seq, handle)
      this.#made += 1
      this.#pending += 1
      return send(message, handle, options, error => {
        if (error !== null) unsent.add(seq)
      })
    }
    child.send = follow as typeof child.send
    child.on('internalMessage', ({ ack }: Acknowledgement) => {
      if (ack !== undefined) forget(ack)
    })
    const settle = () => {
      const others = Object.values(cluster.workers ?? {}).some(other => other !== worker && other?.isConnected())
      for (const [seq, handle] of [...pending]) {
        if (others && unsent.has(seq)) child.emit('internalMessage', { ...DECLINED, ack: seq }, undefined)
        else handle.close()
        forget(seq)
      }
    }
    worker.once('disconnect', settle)
    // While a handle is being sent, Node does not always emit the end of the channel.
    worker.once('exit', () => setTimeout(settle, LAST_WORDS).unref())
  }

  /** Resolves when no client connects and every connection is with a worker. */
  settled(): Promise<void> {
    return untilQuiet(
      () => this.#made,
      () => this.#pending > 0,
    )
  }
}

const DECLINED = { cmd: 'NODE_CLUSTER', accepted: false }
