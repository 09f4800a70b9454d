// Contracts with many operations and fixtures with many records, made for the bench from the shipped pet store.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { HOME, RESULTS } from './subject.ts'

const STATUSES = ['available', 'pending', 'sold']

export interface Size {
  /** The number of operations of the contract, including the four of the pet store. */
  readonly operations?: number
  /** The number of pets. The default is the shipped fifty. */
  readonly records?: number
  /** The maximum number of pets. */
  readonly maxRecords?: number
}

/** Writes a gateway file and the files it refers to below `results/`. Returns its path. */
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
 * Writes the shipped gateway file with a state in a new file that is written once a second. Returns its path. A run of the
 * bench begins without records of an earlier one.
 */
export const generateLasting = (): string => petStoreWith('lasting', 'state: { file: ./understudy.state, sync: 1s }')

/** Writes the shipped gateway file with another line, in a new folder of that name. Returns its path. */
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

/** Writes the shipped gateway file with rules on two operations and a template on a third. Returns its path. */
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
