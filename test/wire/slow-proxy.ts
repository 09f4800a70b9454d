// A proxy that passes on a given number of bytes a second, or falls silent after a given number.

import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** How often bytes are passed on, in milliseconds. */
const BEAT = 50

export interface SlowProxy {
  readonly port: number
  close(): void
}

/**
 * @param rate bytes a second in each direction
 * @param most bytes from the server after which it passes on nothing, for one connection
 */
export async function slowProxy(port: number, rate: number, most = Number.POSITIVE_INFINITY): Promise<SlowProxy> {
  const ends = new Set<() => void>()
  const proxy = createServer(client => {
    const upstream = createConnection(port, '127.0.0.1')
    const stops = [pass(client, upstream, rate, Number.POSITIVE_INFINITY), pass(upstream, client, rate, most)]
    const end = () => {
      for (const stop of stops) stop()
      for (const socket of [client, upstream]) socket.destroy()
      ends.delete(end)
    }
    ends.add(end)
    for (const socket of [client, upstream]) socket.on('error', () => {}).on('close', end)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    close() {
      for (const end of [...ends]) end()
      proxy.close()
    },
  }
}

/** Passes on what one socket receives to the other, a part each beat. Returns a function that stops it. */
function pass(from: Socket, to: Socket, rate: number, most: number): () => void {
  let left = most
  from.pause()
  const timer = setInterval(() => {
    const due = Math.min(from.readableLength, Math.ceil((rate * BEAT) / 1000), left)
    // Bytes that the other side has not taken yet are waited for.
    if (due === 0 || to.writableNeedDrain) return void from.read(0)
    left -= due
    to.write(from.read(due))
  }, BEAT)
  return () => clearInterval(timer)
}
