// Infers a simulation from the paths and schemas of a small document.

import assert from 'node:assert/strict'
import { readContract } from '../../../src/contract/document/read-contract.ts'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { parseSource } from '../../../src/kernel/file/read-source.ts'
import { houseWith } from '../../../src/plan/house.ts'
import { inferGateway } from '../../../src/wings/infer/infer.ts'

/** Infers from a document with these paths. Returns one line for each operation, and why something was left out. */
export async function infer(paths: object, schemas: object = {}, openapi = '3.0.3'): Promise<readonly string[]> {
  const { operations, without } = await inferSimulation(paths, schemas, openapi)
  const lines = Object.entries(operations ?? {}).map(([id, block]) => {
    const { links, limit, body, ...respond } = block.respond as Record<string, unknown>
    return `${id}: ${Object.entries(respond)
      .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
      .join(', ')}`
  })
  return [...lines, ...[...without].map(([what, reason]) => `without ${what}: ${reason}`)]
}
/** Infers from a document with these paths. Returns the result and the parts that were left out. */
export async function inferSimulation(paths: object, schemas: object, openapi = '3.0.3') {
  const text = JSON.stringify({ openapi, info: { title: 't', version: '1' }, paths, components: { schemas } })
  const report = new Diagnostics()
  const source = parseSource('api.json', text, report)
  assert.ok(source)
  const contract = readContract({ file: '/api.json', source }, '/', report)
  assert.ok(contract)
  const { plan, without } = await inferGateway(contract, { file: '/api.json', home: '/', house: houseWith() })
  return { ...plan.simulation.file, plan, without }
}
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const json = (schema: object) => ({ content: { 'application/json': { schema } } })
export const ok = (schema?: object, status = 200) => ({
  [status]: { description: 'ok', ...(schema === undefined ? {} : json(schema)) },
})
export const list = (schema: object) => ({ operationId: 'list', responses: ok(schema) })
export const read = (schema: object) => ({ operationId: 'read', responses: ok(schema) })
export const at = (name: string, operations: object, schema: object = { type: 'string' }) => ({
  parameters: [{ in: 'path', name, required: true, schema }],
  ...operations,
})
