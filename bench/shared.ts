// Measures the cost of a state in a file, in Redis, or in the primary process of several workers, each alternating with a
// gateway that keeps its state in memory.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../test/support/free-ports.ts'
import { drive, type Sample, type Shot } from './drive.ts'
import type { Figure } from './figures.ts'
import { petStoreWith } from './generate.ts'
import type { Effort } from './ratios.ts'
import { create, list } from './rows.ts'
import { spreadOf } from './spread.ts'
import { command, inTurn, RESULTS, running, type Subject, startUnderstudy, startUnprobed } from './subject.ts'
import type { Usage } from './subjects/probe.ts'

/** Connections under load, as the target of Redis has it. */
const CONNECTIONS = 32
const PREFIX = 'understudy-bench'

const SHOTS: readonly (readonly [name: string, Shot])[] = [
  ['listPets', list],
  ['createPet', create],
]

/** Figures for a file, Redis (where `redis-server` is installed) and two workers, each above memory's. */
export async function measureShared(effort: Effort, say: (text: string) => void): Promise<Figure[]> {
  const memory = await startUnderstudy(petStoreWith('shared-memory', ''))
  const figures: Figure[] = []
  const file = await startUnderstudy(petStoreWith('shared-file', 'state: { file: ./understudy.state, sync: 1s }'))
  for (const [name, shot] of SHOTS) {
    const pairs = await compare(memory, file, shot, CONNECTIONS, effort)
    const value = above(pairs.map(([own, other]) => other.cpu / own.cpu))
    figures.push({ name: `${name}, state in a file, processor time above memory's`, value, unit: '%', target: 25 })
  }
  await file.stop()
  const redis = await startRedis()
  if (redis === undefined) say('redis-server is not installed: its figures are left out')
  else {
    const url = `redis://127.0.0.1:${redis.port}`
    const shared = await startUnderstudy(petStoreWith('shared-redis', `state: { redis: "${url}", prefix: ${PREFIX} }`))
    for (const [name, shot] of SHOTS) {
      const pairs = await compare(memory, shared, shot, CONNECTIONS, effort)
      const value = above(pairs.map(([own, other]) => own.rate / other.rate))
      // 0.65 and 0.5 of memory's throughput.
      const target = shot === list ? 54 : 100
      figures.push({ name: `${name}, Redis, time a request above memory's`, value, unit: '%', target })
    }
    for (const [name, shot] of SHOTS) {
      const pairs = await compare(memory, shared, shot, 1, effort)
      const value = 1000 * spreadOf(pairs.map(([own, other]) => other.p50 - own.p50)).median
      figures.push({ name: `${name}, Redis, median alone above memory's`, value, unit: 'µs', target: 300 })
    }
    await shared.stop()
    redis.stop()
  }
  // Workers would inherit the probe, which answers the process of the bench only.
  const unprobed = await startUnprobed(petStoreWith('shared-workers', ''), '--workers', '2', '--log-level', 'warn')
  const workers: Subject = { name: 'two workers', ...unprobed, usage: async () => UNKNOWN, heap: async () => 0 }
  for (const [name, shot] of SHOTS) {
    const pairs = await compare(memory, workers, shot, CONNECTIONS, effort)
    const value = above(pairs.map(([own, other]) => own.rate / other.rate))
    figures.push({ name: `${name}, two workers, time a request above one process's`, value, unit: '%', target: 100 })
  }
  await workers.stop()
  await memory.stop()
  return figures
}

const UNKNOWN: Usage = { cpu: Number.NaN, peak: Number.NaN }

/** The median of ratios, in per cent above 1. */
const above = (ratios: readonly number[]): number => (spreadOf(ratios).median - 1) * 100

/** Measures both alternately. The first round is a warm-up. */
async function compare(
  own: Subject,
  other: Subject,
  shot: Shot,
  connections: number,
  { rounds, seconds }: Effort,
): Promise<readonly (readonly [Sample, Sample])[]> {
  const pairs: (readonly [Sample, Sample])[] = []
  for (const subject of [own, other]) await command(subject, 'reset')
  for (let round = 0; round <= rounds; round++) {
    const samples = new Map<Subject, Sample>()
    for (const subject of inTurn([own, other], round)) {
      const sample = await drive(subject, { shots: [shot], seconds: 4 * seconds, connections })
      if (sample.errors > 0 || sample.requests === 0) throw new Error(`${subject.name} failed under load`)
      samples.set(subject, sample)
    }
    if (round > 0) pairs.push([samples.get(own) as Sample, samples.get(other) as Sample])
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
