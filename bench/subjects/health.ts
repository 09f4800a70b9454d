// Polls the health of a server until it is stopped, then reports the slowest reply. It is a separate process because the one
// that makes the load is too busy to measure time.

import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'

/** The pause between two requests, in milliseconds. */
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
// The first request measures the client rather than the server.
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
