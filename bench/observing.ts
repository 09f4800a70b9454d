// The cost of the coverage: the processor time of observing requests, as a share of that of the requests in the same run.

import { Gateway } from '../src/gateway/gateway.ts'
import { silentLog } from '../src/gateway/log.ts'
import type { Observer } from '../src/gateway/observer.ts'
import type { Request } from '../src/kernel/http.ts'
import { loadPlan } from '../src/load/load.ts'
import { WINGS } from '../src/wings.ts'
import { realClock } from '../src/world/clock.ts'
import type { Figure } from './figures.ts'
import type { Measured } from './ratios.ts'
import { create, list } from './rows.ts'
import { spreadOf } from './spread.ts'
import { HOME } from './subject.ts'

const WARM = 10_000
const TIMES = 40_000
const coverageObserver = WINGS.flatMap(({ observers = [] }) => observers).find(({ name }) => name === 'coverage')

/** @param measured the requests over the wire; those of `listPets` and `createPet` must be among them */
export async function measureObserving(measured: readonly Measured[]): Promise<Figure[]> {
  const figures: Figure[] = []
  if (coverageObserver === undefined) return figures
  for (const [name, shot] of [['listPets, 20 of 50', list] as const, ['createPet, valid', create] as const]) {
    const samples = measured.find(({ row }) => row.name === name)?.samples.understudy
    if (samples === undefined) continue
    const whole = spreadOf(samples.map(({ cpu }) => cpu)).median
    figures.push({
      name: `coverage of ${name}, of its request`,
      value: ((await observingTime(shot)) / whole) * 100,
      unit: '%',
      target: 2,
    })
  }
  return figures
}

/** Returns the microseconds in which a request is observed. */
async function observingTime({ method, path, headers = {}, body }: typeof list): Promise<number> {
  const { plan } = loadPlan('config/gateway.yaml', HOME, {})
  if (plan === undefined) throw new Error('the pet store cannot be loaded')
  const gateway = new Gateway(plan, realClock, silentLog, '', { wings: WINGS })
  const bytes = new TextEncoder().encode(body)
  const [bare = '', query = ''] = path.split('?')
  const request: Request = {
    ...{ method, path: bare, query, headers, hasBody: body !== undefined, address: '127.0.0.1' },
    readBody: async () => ({ bytes }),
  }
  const coverage = gateway.observed(coverageObserver as Observer) as { settle(): void }
  const settle = coverage.settle.bind(coverage)
  let spent = 0
  coverage.settle = () => {
    const began = performance.now()
    settle()
    spent += performance.now() - began
  }
  for (let i = 0; i < WARM + TIMES; i++) {
    if (i === WARM) spent = 0
    if (i % 1000 === 0) gateway.reset()
    await gateway.handle(request)
  }
  return (spent * 1000) / TIMES
}
