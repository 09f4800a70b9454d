// Forwarding to a real API: the processor time of a request beside a bare node:http proxy.

import { mkdirSync, writeFileSync } from 'node:fs'
import { drive, type Load, type Sample, type Shot, warm } from './drive.ts'
import type { Figure } from './figures.ts'
import type { Effort } from './ratios.ts'
import { middleOf } from './spread.ts'
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

/** How often the programs are started: in the same process the collector of Node stays in one rhythm for long. */
const STARTS = 3

export async function measureForwarding({ rounds }: Effort): Promise<Figure[]> {
  const real = await startRealApi()
  const forward = { respond: { forward: {} } }
  const unjudged = { ...forward, validate: { requests: 'off', replies: 'off' } }
  const configurations = [
    configure('plain', real.port, { defaults: unjudged }),
    configure('judging', real.port, { defaults: forward }),
  ]
  // The collector frees the buffers of some fifty large bodies at once: shorter samples have all of its work, or none.
  const what = [
    ['/file', 'a file of 1 MB', 400] as const,
    ['/pets', 'a list of 30 kB', 600] as const,
    ['/others', 'lists of 30 kB that all differ', 600] as const,
    ['/pet', 'one record', 600] as const,
  ]
  const ratios = what.map(() => configurations.map((): number[] => []))
  for (let start = 0; start < STARTS; start++) {
    const bare = await startBare('bare-proxy', `${real.port}`)
    const gateways = await Promise.all(configurations.map(path => startUnderstudy(path)))
    await warm([bare, ...gateways], Object.keys(BODIES).map(shotAt))
    for (const [i, [path, , amount]] of what.entries()) {
      const load = { shots: [shotAt(path)], amount }
      const [least = [], ...forwarded] = await inRounds(
        [bare, ...gateways],
        load,
        Math.ceil(rounds / 2),
        path === '/others',
      )
      for (const [k, samples] of forwarded.entries())
        ratios[i]?.[k]?.push(...samples.map(({ cpu }, round) => (cpu / (least[round]?.cpu ?? Number.NaN)) * 100))
    }
    for (const subject of [bare, ...gateways]) await subject.stop()
  }
  await real.stop()
  return what.flatMap(([, name], i): Figure[] => [
    { name: `forwarding ${name}, of a bare proxy`, ...middleOf(ratios[i]?.[0] ?? []), unit: '%', target: 110 },
    {
      name: `and judging ${name.startsWith('lists') ? 'them' : 'it'}`,
      ...middleOf(ratios[i]?.[1] ?? []),
      unit: '%',
      target: 140,
    },
  ])
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
      if (lasting) await drive(subject, { ...load, amount: round === 0 ? 4000 : 800 })
      const sample = await drive(subject, load)
      const { errors, requests, statuses } = sample
      if (errors > 0 || statuses[200] !== requests)
        throw new Error(`${subject.name} answered ${JSON.stringify(statuses)}`)
      samples[subjects.indexOf(subject)]?.push(sample)
    }
  }
  return samples
}
