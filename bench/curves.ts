// Curves that should be flat: the cost of a request over the number of operations and over the size of a collection.

import { drive, type Load, type Shot, warm } from './drive.ts'
import { generateGateway, type Size } from './generate.ts'
import type { Effort } from './ratios.ts'
import { create, filtered, list } from './rows.ts'
import { type Spread, spreadOf } from './spread.ts'
import { command, type Subject, startUnderstudy } from './subject.ts'

export interface Curve {
  readonly name: string
  /** The quantity that differs between the points. */
  readonly over: string
  /** The maximum cost of the last points, as a multiple of the first. */
  readonly target: number
  readonly points: readonly {
    readonly at: number
    /** Processor microseconds per request. */
    readonly cpu: Spread
    /** The ratio to the first point in the same round. */
    readonly ratio: Spread
  }[]
}

export interface Curves {
  readonly curves: readonly Curve[]
  /** Resident bytes with a million records, after loading. */
  readonly million: number
}

/** Measures the same program several times, each time with more operations or records. */
interface Series {
  readonly over: string
  readonly at: readonly number[]
  readonly subjects: readonly Subject[]
}

export async function measureCurves(effort: Effort): Promise<Curves> {
  const [operations, records] = await Promise.all([
    start('operations of the contract', [4, 1000, 10_000], operations => ({ operations })),
    start('records', [100, 10_000, 1_000_000], records => ({ records })),
  ])
  const million = (records.subjects.at(-1) as Subject).resident()
  await warm(operations.subjects, [list])
  await warm(records.subjects, [filtered, create])
  const curves = [
    await measure('listPets, 20 of 50', 1.05, list, operations, effort),
    await measure('listPets, 20 that are sold', 1.1, filtered, records, effort),
    await measure('createPet', 1.5, create, records, effort),
  ]
  for (const subject of [...operations.subjects, ...records.subjects]) await subject.stop()
  return { curves, million }
}

async function start(over: string, at: readonly number[], sized: (x: number) => Size): Promise<Series> {
  const name = over.split(' ')[0]
  const subjects = at.map(x => startUnderstudy(generateGateway(`${name}-${x}`, sized(x))))
  return { over, at, subjects: await Promise.all(subjects) }
}

/** The request to each of the servers. */
const CONNECTIONS = 20

/**
 * Takes the samples of all points at the same time. On a shared machine the cost of the same server changes by half within
 * seconds, which would hide a difference of a few per cent. At the same time, all points are slowed down alike.
 */
async function measure(
  name: string,
  target: number,
  shot: Shot,
  { over, at, subjects }: Series,
  effort: Effort,
): Promise<Curve> {
  const cpu: number[][] = subjects.map(() => [])
  const load: Load = { shots: [shot], seconds: effort.seconds, connections: CONNECTIONS }
  for (let round = 0; round < 2 * effort.rounds; round++) {
    // Records of one round must not remain in the next.
    await Promise.all(subjects.map(subject => command(subject, 'reset')))
    const samples = await Promise.all(subjects.map(subject => drive(subject, load)))
    for (const [i, sample] of samples.entries()) cpu[i]?.push(sample.cpu)
  }
  const first = cpu[0] as number[]
  const points = at.map((x, i) => {
    const own = cpu[i] as number[]
    return { at: x, cpu: spreadOf(own), ratio: spreadOf(own.map((value, round) => value / (first[round] as number))) }
  })
  return { name, over, target, points }
}
