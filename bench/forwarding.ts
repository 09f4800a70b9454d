// Forwarding to a real API: the processor time of a request beside a bare node:http proxy.

import { mkdirSync, writeFileSync } from 'node:fs'
import { drive, type Load, type Sample, type Shot, warm } from './drive.ts'
import type { Figure } from './figures.ts'
import type { Effort } from './ratios.ts'
import { spreadOf } from './spread.ts'
import { inTurn, RESULTS, type Subject, startBare, startUnderstudy } from './subject.ts'

const PET = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' }, note: { type: 'string' } },
}
const json = (schema: object) => ({ 200: { description: 'Fine', content: { 'application/json': { schema } } } })
const CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': { get: { operationId: 'listPets', responses: json({ type: 'array', items: PET }) } },
    '/others': { get: { operationId: 'listOthers', responses: json({ type: 'array', items: PET }) } },
    '/pet': { get: { operationId: 'getPet', responses: json(PET) } },
    '/file': {
      get: { operationId: 'getFile', responses: { 200: { description: 'Fine', content: { 'text/plain': {} } } } },
    },
  },
}
const pets = Array.from({ length: 400 }, (_, id) => ({
  id,
  name: `Animal ${id}`,
  note: 'a note of forty letters, more or less',
}))
const BODIES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/pets': ['application/json', JSON.stringify(pets)],
  '/others': ['application/json', JSON.stringify(pets).replace('forty', '00000000')],
  '/pet': ['application/json', JSON.stringify(pets[7])],
  '/file': ['text/plain', 'x'.repeat(1_000_000)],
}

const shotAt = (path: string): Shot => ({ method: 'GET', path })

/** Writes a gateway file over the real API. Returns its path. */
export function configure(name: string, port: number, rest: object): string {
  const folder = `${RESULTS}/generated/forwarding`
  mkdirSync(folder, { recursive: true })
  const path = `${folder}/${name}.json`
  writeFileSync(path, JSON.stringify({ contract: CONTRACT, upstream: { url: `http://127.0.0.1:${port}` }, ...rest }))
  return path
}

export function startRealApi(): Promise<Subject> {
  mkdirSync(RESULTS, { recursive: true })
  const file = `${RESULTS}/real-api.json`
  const recorded = Object.entries(BODIES).map(([url, [type, body]]) => {
    const headers = { 'content-type': type, 'content-length': `${body.length}` }
    return { method: 'GET', url, status: 200, headers, body, varies: url === '/others' }
  })
  writeFileSync(file, JSON.stringify(recorded))
  return startBare('bare-http', file)
}

export async function measureForwarding({ rounds }: Effort): Promise<Figure[]> {
  const real = await startRealApi()
  const forward = { respond: { forward: {} } }
  const unjudged = { ...forward, validate: { requests: 'off', replies: 'off' } }
  const bare = await startBare('bare-proxy', `${real.port}`)
  const plain = await startUnderstudy(configure('plain', real.port, { defaults: unjudged }))
  const judging = await startUnderstudy(configure('judging', real.port, { defaults: forward }))
  const figures: Figure[] = []
  await warm([bare, plain, judging], Object.keys(BODIES).map(shotAt))
  for (const [path, what, amount] of [
    ['/file', 'a file of 1 MB', 200] as const,
    ['/pets', 'a list of 30 kB', 2000] as const,
    ['/others', 'lists of 30 kB that all differ', 2000] as const,
    ['/pet', 'one record', 2000] as const,
  ]) {
    const load = { shots: [shotAt(path)], amount }
    const [least, streamed, judged] = await inRounds([bare, plain, judging], load, rounds, path === '/others')
    const ratio = (samples: readonly Sample[]) =>
      spreadOf(samples.map(({ cpu }, i) => (cpu / (least?.[i]?.cpu ?? Number.NaN)) * 100)).median
    figures.push({ name: `forwarding ${what}, of a bare proxy`, value: ratio(streamed ?? []), unit: '%', target: 110 })
    figures.push({ name: `and judging it`, value: ratio(judged ?? []), unit: '%', target: 140 })
  }
  for (const subject of [bare, plain, judging, real]) await subject.stop()
  return figures
}

/**
 * Returns the samples of each subject, taken in alternating order.
 *
 * @param lasting whether the same load comes before each sample, which uses up what a rest permits
 */
async function inRounds(
  subjects: readonly Subject[],
  load: Load,
  rounds: number,
  lasting = false,
): Promise<Sample[][]> {
  const samples = subjects.map((): Sample[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const subject of inTurn(subjects, round)) {
      if (lasting) await drive(subject, { ...load, amount: 4000 })
      const sample = await drive(subject, load)
      const { errors, requests, statuses } = sample
      if (errors > 0 || statuses[200] !== requests)
        throw new Error(`${subject.name} answered ${JSON.stringify(statuses)}`)
      samples[subjects.indexOf(subject)]?.push(sample)
    }
  }
  return samples
}
