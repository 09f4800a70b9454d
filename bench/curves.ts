// What should be flat: the cost of a request over the number of operations and over the size of a collection.

import { drive, type Load, type Shot } from './drive.ts'
import { generateGateway } from './generate.ts'
import { type Effort, WARMING } from './ratios.ts'
import { create, filtered, list } from './rows.ts'
import { type Spread, spreadOf } from './spread.ts'
import { type Subject, startUnderstudy } from './subject.ts'

export interface Curve {
  readonly name: string
  /** What the points differ in. */
  readonly over: string
  /** The most that the last points may cost, as a multiple of the first. */
  readonly target: number
  readonly points: readonly {
    readonly at: number
    /** Processor microseconds per request. */
    readonly cpu: Spread
    /** To the first point in the same round. */
    readonly ratio: Spread
  }[]
}

export interface Curves {
  readonly curves: readonly Curve[]
  /** Bytes resident with a million records, once they lie there. */
  readonly million: number
}

const OPERATIONS = [4, 1000, 10_000]
const RECORDS = [100, 10_000, 1_000_000]

export async function measureCurves(effort: Effort): Promise<Curves> {
  const [byOperations, byRecords] = await Promise.all([
    Promise.all(
      OPERATIONS.map(operations => startUnderstudy(generateGateway(`operations-${operations}`, { operations }))),
    ),
    Promise.all(RECORDS.map(records => startUnderstudy(generateGateway(`records-${records}`, { records })))),
  ])
  const million = (byRecords.at(-1) as Subject).resident()
  await together(byOperations, subject => drive(subject, { shots: [list], seconds: WARMING }))
  await together(byRecords, subject => drive(subject, { shots: [filtered, create], seconds: WARMING }))
  const curves = [
    await measure(
      { name: 'listPets, 20 of 50', over: 'operations of the contract', target: 1.05 },
      list,
      OPERATIONS,
      byOperations,
      effort,
    ),
    await measure(
      { name: 'listPets, 20 that are sold', over: 'records', target: 1.1 },
      filtered,
      RECORDS,
      byRecords,
      effort,
    ),
    await measure({ name: 'createPet', over: 'records', target: 1.5 }, create, RECORDS, byRecords, effort),
  ]
  for (const subject of [...byOperations, ...byRecords]) await subject.stop()
  return { curves, million }
}

/** To each of the servers. */
const CONNECTIONS = 20

/**
 * All at the same time, not one after another: on a shared machine, the same server costs half as much again from one second
 * to the next, and bounds of a few per cent drown in that. Each is slower for the others, and all are alike.
 */
const together = <Result>(
  subjects: readonly Subject[],
  one: (subject: Subject) => Promise<Result>,
): Promise<Result[]> => Promise.all(subjects.map(one))

async function measure(
  what: Omit<Curve, 'points'>,
  shot: Shot,
  at: readonly number[],
  subjects: readonly Subject[],
  effort: Effort,
): Promise<Curve> {
  const cpu: number[][] = subjects.map(() => [])
  const load: Load = { shots: [shot], seconds: effort.seconds, connections: CONNECTIONS }
  for (let round = 0; round < 2 * effort.rounds; round++) {
    // What was created in one round must not be there in the next.
    await together(subjects, ({ controlPort }) => fetch(`http://127.0.0.1:${controlPort}/reset`, { method: 'POST' }))
    const samples = await together(subjects, subject => drive(subject, load))
    for (const [i, sample] of samples.entries()) cpu[i]?.push(sample.cpu)
  }
  const first = cpu[0] as number[]
  const points = at.map((x, i) => {
    const own = cpu[i] as number[]
    return { at: x, cpu: spreadOf(own), ratio: spreadOf(own.map((value, round) => value / (first[round] as number))) }
  })
  return { ...what, points }
}
