// More load than can be served: checks that health is answered, memory stays flat, and latency recovers afterwards.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { drive, type Shot } from './drive.ts'
import type { Figure } from './figures.ts'
import { list } from './rows.ts'
import { HOME, RESULTS, running, type Subject, startUnderstudy } from './subject.ts'

/** Twenty times the connections of the ordinary rows, with four pipelined requests on each. */
const FLOOD = { connections: 1000, pipelining: 4 }

const ASKER = `${RESULTS}/subjects/health.js`

export async function measureOverload(seconds: number): Promise<Figure[]> {
  const subject = await startUnderstudy(`${HOME}config/gateway.yaml`)
  const shots: readonly Shot[] = [list]
  await drive(subject, { shots, seconds: 1 })
  const calm = await drive(subject, { shots, seconds: 1 })
  const stopAsking = await askHealth(subject)
  await drive(subject, { shots, seconds: seconds / 4, ...FLOOD })
  const early = await heapAtRest(subject)
  await drive(subject, { shots, seconds, ...FLOOD })
  const slowest = await stopAsking()
  const after = await drive(subject, { shots, seconds: 1 })
  const late = await heapAtRest(subject)
  // Measured before and after, since the speed of a shared machine changes.
  const later = await drive(subject, { shots, seconds: 1 })
  const ordinary = Math.max(calm.p50, later.p50)
  await subject.stop()
  return [
    { name: 'health under overload, slowest reply', value: slowest, unit: 'ms', target: 1000 },
    { name: 'heap after overload', value: (late / early - 1) * 100, unit: '%', target: 5 },
    {
      name: 'median in the second after, over the ordinary',
      value: (after.p50 / ordinary - 1) * 100,
      unit: '%',
      target: 25,
    },
  ]
}

/** Time for the system to clean up closed connections. */
async function heapAtRest(subject: Subject): Promise<number> {
  await new Promise(resolve => setTimeout(resolve, 1000))
  return subject.heap()
}

/** Polls the health of the subject. The returned function ends this and resolves with the slowest reply, in milliseconds. */
async function askHealth({ controlPort }: Subject): Promise<() => Promise<number>> {
  const asker = fork(ASKER, [`http://127.0.0.1:${controlPort}/healthz`])
  running.add(asker)
  const died = once(asker, 'exit').then(([code]) => {
    running.delete(asker)
    throw new Error(`who asks after health ended with ${code}`)
  })
  died.catch(() => {})
  const told = async () => {
    const [{ slowest }] = (await Promise.race([once(asker, 'message'), died])) as [{ slowest: number }]
    return slowest
  }
  await told()
  return () => {
    asker.send('stop')
    return told()
  }
}
