// Far more load than can be served: whether health is still answered, memory stays flat, and calm returns with the calm.

import { drive, type Shot } from './drive.ts'
import { type Figure, heapOf } from './figures.ts'
import { list } from './rows.ts'
import { HOME, type Subject, startUnderstudy } from './subject.ts'

/** Twenty times the connections of the ordinary rows, four requests on each at a time. */
const FLOOD = { connections: 1000, pipelining: 4 }

export async function measureOverload(seconds: number): Promise<Figure[]> {
  const subject = await startUnderstudy(`${HOME}config/gateway.yaml`)
  const shots: readonly Shot[] = [list]
  const calm = await drive(subject, { shots, seconds: 1 })
  await drive(subject, { shots, seconds: seconds / 4, ...FLOOD })
  const early = await heapAtRest(subject)
  let flooded = true
  const flood = drive(subject, { shots, seconds, ...FLOOD }).finally(() => {
    flooded = false
  })
  const health: number[] = []
  while (flooded) {
    health.push(await askHealth(subject))
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  await flood
  const after = await drive(subject, { shots, seconds: 1 })
  const late = await heapAtRest(subject)
  await subject.stop()
  return [
    { name: 'health under overload, slowest reply', value: Math.max(...health), unit: 'ms', target: 1000 },
    { name: 'heap after overload', value: (late / early - 1) * 100, unit: '%', target: 5 },
    { name: 'median in the second after, over before', value: (after.p50 / calm.p50 - 1) * 100, unit: '%', target: 25 },
  ]
}

/** Connections that were closed a moment ago are still being put away. */
async function heapAtRest(subject: Subject): Promise<number> {
  await new Promise(resolve => setTimeout(resolve, 3000))
  return heapOf(subject)
}

async function askHealth({ controlPort }: Subject): Promise<number> {
  const began = performance.now()
  const reply = await fetch(`http://127.0.0.1:${controlPort}/healthz`)
  if (!reply.ok) throw new Error(`health was answered with ${reply.status}`)
  await reply.arrayBuffer()
  return performance.now() - began
}
