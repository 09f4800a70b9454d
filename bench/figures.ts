// Start-up time, memory at rest, and the growth of the heap over long use.

import { setTimeout } from 'node:timers/promises'
import { drive } from './drive.ts'
import { generateGateway } from './generate.ts'
import { mixed } from './rows.ts'
import { spreadOf } from './spread.ts'
import { command, HOME, type Subject, startUnderstudy, startUnprobed } from './subject.ts'

/** One number beside its target. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: 'ms' | 'µs' | 'MB' | '%' | ''
  /** The maximum. */
  readonly target: number
  /** The values between which half of the samples are, where they differ much. */
  readonly half?: readonly [from: number, to: number]
}

const MB = 1e6

/** The time for work after the start, in milliseconds. */
const CALM = 500

/** Measures the time from the start of the process until it is ready, and its memory then. */
export async function measureStart(times: number): Promise<Figure[]> {
  const ready: number[] = []
  const resident: number[] = []
  for (let i = 0; i < times; i++) {
    const started = await startUnprobed(`${HOME}config/gateway.yaml`)
    ready.push(started.ready)
    await setTimeout(CALM)
    resident.push(started.resident() / MB)
    await started.stop()
  }
  return [
    { name: `ready, median of ${times} starts`, value: spreadOf(ready).median, unit: 'ms', target: 400 },
    { name: 'resident at rest', value: spreadOf(resident).median, unit: 'MB', target: 80 },
  ]
}

/** Reloads before the first measurement, in which the engine compiles their code. The figure is the memory that later ones keep. */
const SETTLING = 100

/** Measures the growth of the heap from the beginning of long use to its end. */
export async function measureSoak(requests: number, reloads: number): Promise<Figure[]> {
  // Records are bounded and the bound is reached within the first twentieth, so that growth is not data.
  const subject = await startUnderstudy(generateGateway('soak', { maxRecords: 1000 }), '--no-watch')
  const shots = { shots: mixed, pipelining: 10 }
  await drive(subject, { ...shots, amount: requests / 20 })
  const afterFirst = await subject.heap()
  await drive(subject, { ...shots, amount: requests - requests / 20 })
  const afterRequests = await subject.heap()
  await reload(subject, SETTLING)
  const afterFew = await subject.heap()
  await reload(subject, reloads - SETTLING)
  const afterReloads = await subject.heap()
  await subject.stop()
  const growth = (from: number, to: number) => (to / from - 1) * 100
  const count = (n: number) => n.toLocaleString('en')
  return [
    {
      name: `heap after ${count(requests)} mixed requests`,
      value: growth(afterFirst, afterRequests),
      unit: '%',
      target: 5,
    },
    { name: `heap after ${count(reloads)} reloads`, value: growth(afterFew, afterReloads), unit: '%', target: 5 },
  ]
}

async function reload(subject: Subject, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await command(subject, 'reload')
}
