// Measures the cost of a state in a file or in Redis, each alternating with a gateway that keeps its state in memory.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../test/support/free-ports.ts'
import { drive, type Load, type Sample, type Shot, warm } from './drive.ts'
import type { Figure } from './figures.ts'
import { petStoreWith } from './generate.ts'
import { create, list } from './rows.ts'
import { spreadOf } from './spread.ts'
import { command, inTurn, RESULTS, running, type Subject, startUnderstudy } from './subject.ts'

/** Connections under load, as the target of Redis has it. */
const CONNECTIONS = 32
type Client = Pick<Load, 'connections' | 'sleeps'>
const PREFIX = 'understudy-bench'

// For times where several processes serve: a client that stays awake would take a processor from them, and there may be two
// in all.
const BUSY: Client = { connections: CONNECTIONS, sleeps: true }
// Alone, a client that sleeps would measure how long the machine takes to wake it.
const ALONE: Client = { connections: 1 }

const SHOTS: readonly Shot[] = [list, create]
const NAMES = ['listPets', 'createPet']

/** Figures for a file and Redis (where `redis-server` is installed), each above memory's. */
export async function measureShared(seconds: number, say: (text: string) => void): Promise<Figure[]> {
  const figures: Figure[] = []
  /** @param targets those of listPets and of createPet */
  const add = (what: string, unit: Figure['unit'], targets: readonly number[], all: readonly number[]) =>
    all.forEach((value, i) => {
      figures.push({ name: `${NAMES[i]}, ${what}`, value, unit, target: targets[i] as number })
    })
  const onFile = () => startUnderstudy(petStoreWith('shared-file', 'state: { file: ./understudy.state, sync: 1s }'))
  const filed = await compare(onFile, { connections: CONNECTIONS }, seconds)
  const processor = ({ cpu, requests }: Sample) => cpu * requests
  add(
    "state in a file, processor time above memory's",
    '%',
    [25, 25],
    filed.map(pairs => above(pairs, processor)),
  )
  const redis = await startRedis()
  if (redis === undefined) say('redis-server is not installed: its figures are left out')
  else {
    const line = `state: { redis: "redis://127.0.0.1:${redis.port}", prefix: ${PREFIX} }`
    const onRedis = () => startUnderstudy(petStoreWith('shared-redis', line))
    const busy = await compare(onRedis, BUSY, seconds)
    // 0.65 and 0.5 of memory's throughput.
    add(
      "Redis, time a request above memory's",
      '%',
      [54, 100],
      busy.map(pairs => above(pairs, elapsed)),
    )
    const alone = await compare(onRedis, ALONE, seconds)
    const later = (pairs: readonly Pair[]) => spreadOf(pairs.map(([own, other]) => other.p50 - own.p50)).median
    add(
      "Redis, median alone above memory's",
      'µs',
      [300, 300],
      alone.map(pairs => 1000 * later(pairs)),
    )
    redis.stop()
  }
  return figures
}

/** How often the processes are started: two of one program may differ by a tenth for as long as they run. */
const STARTS = 3
/** Seconds for which each subject serves each request before it is measured. */
const WARMING = 4
/** Short samples in turn: what else the machine does lasts longer than one, and meets both. */
const ROUNDS = 6
type Pair = readonly [own: Sample, other: Sample]

const elapsed = ({ requests, rate }: Sample): number => requests / rate

/**
 * How much more of something a request takes of the other one, in per cent, over all samples: a state in a file is compacted
 * every few seconds, which a median would leave out.
 */
function above(pairs: readonly Pair[], taken: (sample: Sample) => number): number {
  const each = (samples: readonly Sample[]) => sum(samples.map(taken)) / sum(samples.map(({ requests }) => requests))
  return (each(pairs.map(([, other]) => other)) / each(pairs.map(([own]) => own)) - 1) * 100
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

/** Measures a gateway alternately with one that keeps its state in memory. Returns pairs of samples for each shot. */
async function compare(start: () => Promise<Subject>, client: Client, seconds: number): Promise<readonly Pair[][]> {
  const pairs: Pair[][] = SHOTS.map(() => [])
  for (let i = 0; i < STARTS; i++) {
    const memory = await startUnderstudy(petStoreWith('shared-memory', ''))
    const other = await start()
    // Redis has the records of the start before.
    for (const subject of [memory, other]) await command(subject, 'reset')
    await warm([memory, other], SHOTS)
    // As it is measured afterwards, and with so many records that a file is compacted: the engine of JavaScript compiles for
    // seconds where requests are few, and a sample has no room for the first time.
    for (const subject of [memory, other]) {
      for (const shot of SHOTS) await drive(subject, { shots: [shot], seconds: WARMING, ...client })
    }
    for (const [n, shot] of SHOTS.entries()) pairs[n]?.push(...(await alternate(memory, other, shot, client, seconds)))
    await other.stop()
    await memory.stop()
  }
  return pairs
}

async function alternate(
  own: Subject,
  other: Subject,
  shot: Shot,
  client: Client,
  seconds: number,
): Promise<readonly Pair[]> {
  const pairs: Pair[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const samples = new Map<Subject, Sample>()
    for (const subject of inTurn([own, other], round)) {
      const sample = await drive(subject, { shots: [shot], seconds, ...client })
      if (sample.errors > 0 || sample.requests === 0) throw new Error(`${subject.name} failed under load`)
      samples.set(subject, sample)
    }
    pairs.push([samples.get(own) as Sample, samples.get(other) as Sample])
  }
  return pairs
}

/** Starts a Redis server for the bench; `undefined` if none is installed. */
async function startRedis(): Promise<{ readonly port: number; stop(): void } | undefined> {
  const program = ['redis-server', 'valkey-server'].find(name => spawnSync(name, ['--version']).error === undefined)
  if (program === undefined) return undefined
  const port = await freePort()
  const folder = `${RESULTS}/redis`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/redis.conf`, `port ${port}\nbind 127.0.0.1\ndir ${folder}\nsave ""\nappendonly yes\n`)
  const child: ChildProcess = spawn(program, [`${folder}/redis.conf`], { stdio: 'ignore' })
  running.add(child)
  while (!(await listens(port))) await setTimeout(50)
  return { port, stop: () => void child.kill() }
}

const listens = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
