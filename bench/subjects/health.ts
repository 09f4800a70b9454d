// Asks after a server's health, over and over, until told to stop; then tells the slowest reply. A process of its own: the
// one that makes the load is too busy to take the time.

import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'

/** Between two questions, in milliseconds. */
const PAUSE = 50

const url = process.argv[2] as string
let asking = true
let slowest = 0
process.on('message', () => {
  asking = false
})
const ask = async (): Promise<void> => {
  const reply = await fetch(url)
  if (!reply.ok) throw new Error(`health was answered with ${reply.status}`)
  await reply.arrayBuffer()
}
// The first asks more of the client than of the server.
await ask()
process.send?.({ slowest: 0 })
while (asking) {
  const began = performance.now()
  await ask()
  slowest = Math.max(slowest, performance.now() - began)
  await setTimeout(PAUSE)
}
process.send?.({ slowest })
process.disconnect()
