// Files of several hundred kilobytes, loaded while requests are served: they are parsed in a thread, and have the same
// meaning as at a start.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Program, startProgram } from '../attack/program.ts'

const MANY = 4000
const CONTRACT = `openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /items:
    get: { operationId: listItems, responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Item" } } } } } } }
  /items/{id}:
    get: { operationId: getItem, parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }], responses: { 200: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } } }
components:
  schemas:
    Item:
      type: object
      required: [id, name]
      properties: { id: { type: integer, format: int64 }, name: { type: string }, price: { type: number }, note: { type: string } }
`
const GATEWAY = `contract: ./contract.yaml
resources:
  items: { schema: Item, seed: ./items.yaml }
operations:
  listItems: { respond: { list: items } }
  getItem: { respond: { read: items } }
`

const filler = 'a text that is as long as a note may be, and says nothing'
const items = (price: string): string =>
  `${Array.from(
    { length: MANY },
    (_, i) => `- { id: ${i + 1}, name: "no. ${i + 1}", price: ${price}, note: "${filler}" }\n`,
  ).join('')}- { id: 9223372036854775807, name: "last", price: ${price} }\n`

let folder: string
let program: Program

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'large-files-'))
  writeFileSync(join(folder, 'contract.yaml'), CONTRACT)
  writeFileSync(join(folder, 'gateway.yaml'), GATEWAY)
  writeFileSync(join(folder, 'items.yaml'), items('1.10'))
  program = await startProgram('ignore', [join(folder, 'gateway.yaml'), '--no-watch'])
})

after(async () => {
  await program.stop()
  rmSync(folder, { recursive: true })
})

const last = async (): Promise<string> => (await fetch(`${program.url}/items/9223372036854775807`)).text()
const reset = () => fetch(`${program.control}/worlds/default/reset`, { method: 'POST' })

test('a large fixture has its digits after a reload', async () => {
  assert.equal(await last(), '{"id":9223372036854775807,"name":"last","price":1.10}')
  writeFileSync(join(folder, 'items.yaml'), items('0.12345678901234567890'))
  const reload = await fetch(`${program.control}/reload`, { method: 'POST' })
  assert.equal(reload.status, 200, await reload.text())
  await reset()
  assert.equal(await last(), '{"id":9223372036854775807,"name":"last","price":0.12345678901234567890}')
  const page = await fetch(`${program.url}/items`)
  assert.equal(((await page.json()) as unknown[]).length, MANY + 1)
})

test('a mistake in a large fixture is placed', async () => {
  writeFileSync(join(folder, 'items.yaml'), `${items('1.10')}- { id: five, name: "x" }\n`)
  const reload = await fetch(`${program.control}/reload`, { method: 'POST' })
  const said = await reload.text()
  assert.equal(reload.status, 422, said)
  assert.match(said, new RegExp(`items.yaml:${MANY + 2}:9 error invalid-seed`))
  assert.equal((await fetch(`${program.url}/items/1`)).status, 200)
  writeFileSync(join(folder, 'items.yaml'), items('1.10'))
})

test('a text that is put has the same records', async () => {
  const records = items('2.50').replace(/^(?=-)/gm, '      ')
  const body = `contract: ./contract.yaml
resources:
  items:
    schema: Item
    seed:
${records}operations:
  listItems: { respond: { list: items } }
  getItem: { respond: { read: items } }
`
  const put = await fetch(`${program.control}/config`, {
    method: 'PUT',
    headers: { 'content-type': 'application/yaml' },
    body,
  })
  assert.equal(put.status, 200, (await put.text()).slice(0, 500))
  await reset()
  assert.match(await last(), /"price":2\.50?\}/)
})

test('a warning of a large contract has its place', async () => {
  const schemas = Array.from(
    { length: 2000 },
    (_, i) => `    S${i}: { type: object, description: "${filler}" }\n`,
  ).join('')
  writeFileSync(join(folder, 'contract.yaml'), `${CONTRACT}${schemas}    Odd: { type: strang }\n`)
  const reload = await fetch(`${program.control}/reload`, { method: 'POST' })
  const { diagnostics } = (await reload.json()) as { diagnostics: readonly { line: number; file: string }[] }
  assert.equal(reload.status, 200)
  assert.equal(diagnostics.length, 1)
  assert.ok(diagnostics[0]?.file.endsWith('contract.yaml'))
  assert.equal(diagnostics[0]?.line, CONTRACT.split('\n').length + 2000)
})
