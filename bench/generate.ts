// Contracts with many operations and fixtures with many records, made for the bench from the shipped pet store.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { HOME, RESULTS } from './subject.ts'

const STATUSES = ['available', 'pending', 'sold']

export interface Size {
  /** How many operations the contract has, the pet store's four included. */
  readonly operations?: number
  /** How many pets there are; the shipped fifty where not given. */
  readonly records?: number
  /** How many there may be. */
  readonly maxRecords?: number
}

/** Writes a gateway file, and what it needs, below `results/`; answers its path. */
export function generateGateway(name: string, { operations = 4, records, maxRecords = 2_000_000 }: Size): string {
  const folder = `${RESULTS}/generated/${name}`
  mkdirSync(folder, { recursive: true })
  const contract = parse(readFileSync(`${HOME}config/openapi.yaml`, 'utf8')) as { paths: Record<string, unknown> }
  for (let i = 4; i < operations; i++) {
    const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
    contract.paths[`/area${i % 100}/thing${i}/{id}`] = {
      get: { operationId: `getThing${i}`, parameters: [parameter], responses: { 200: { description: 'A thing.' } } },
    }
  }
  writeFileSync(`${folder}/openapi.json`, JSON.stringify(contract))
  let gateway = readFileSync(`${HOME}config/gateway.yaml`, 'utf8')
    .replace('./openapi.yaml', './openapi.json')
    .replace(/maxRecords: \d+/, `maxRecords: ${maxRecords}`)
  if (records === undefined) gateway = gateway.replace('../fixtures/', `${HOME}fixtures/`)
  else {
    const pets: string[] = []
    for (let id = 1; id <= records; id++) {
      pets.push(JSON.stringify({ id, name: `Animal ${id}`, categoryId: 1 + (id % 5), status: STATUSES[id % 3] }))
    }
    writeFileSync(`${folder}/pets.json`, `[${pets.join(',\n')}]`)
    gateway = gateway.replace('../fixtures/pets.yaml', './pets.json')
  }
  writeFileSync(`${folder}/gateway.yaml`, gateway)
  return `${folder}/gateway.yaml`
}

/**
 * Writes the shipped gateway file with a state that lasts in a new file, written once a second. Returns its path; a run of
 * the bench begins without records of an earlier one.
 */
export const generateLasting = (): string => petStoreWith('lasting', 'state: { file: ./understudy.state, sync: 1s }')

/** Writes the shipped gateway file with a line more, in a new folder of that name; returns its path. */
export function petStoreWith(name: string, line: string): string {
  const folder = `${RESULTS}/generated/${name}`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const gateway = readFileSync(`${HOME}config/gateway.yaml`, 'utf8')
    .replace('./openapi.yaml', `${HOME}config/openapi.yaml`)
    .replace('../fixtures/pets.yaml', `${HOME}fixtures/pets.yaml`)
  writeFileSync(`${folder}/gateway.yaml`, `${gateway}\n${line}\n`)
  return `${folder}/gateway.yaml`
}

/** Writes the shipped gateway file with rules on two operations and a template on the third; answers its path. */
export function generateRules(): string {
  const folder = `${RESULTS}/generated/rules`
  mkdirSync(folder, { recursive: true })
  const gateway = parse(readFileSync(`${HOME}config/gateway.yaml`, 'utf8')) as {
    contract: string
    resources: { pets: { seed: string } }
    operations: Record<string, Record<string, unknown>>
  }
  gateway.contract = `${HOME}config/openapi.yaml`
  gateway.resources.pets.seed = `${HOME}fixtures/pets.yaml`
  const { listPets, createPet, getPet } = gateway.operations
  Object.assign(listPets ?? {}, { rules: [{ when: 'request.headers["x-plan"] == "free"', latency: null }] })
  Object.assign(createPet ?? {}, { rules: [{ when: 'request.body.name == "Crash"', respond: { status: 500 } }] })
  Object.assign(getPet ?? {}, {
    respond: { status: 200, body: { id: '${request.params.petId}', name: 'Pet ${ordinal}', categoryId: 1 } },
  })
  writeFileSync(`${folder}/gateway.json`, JSON.stringify(gateway))
  return `${folder}/gateway.json`
}
