// The requests and records of a running gateway, as the files of other tools.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Program } from '../../../../src/cli/command.ts'
import { readCommandLine } from '../../../../src/cli/command-line.ts'
import { commandsWith } from '../../../../src/cli/commands.ts'
import { type RunningGateway, startGateway } from '../../../../src/index.ts'
import { Diagnostics } from '../../../../src/kernel/diagnostic.ts'
import { importFiles } from '../../../../src/wings/import/import.ts'
import { WINGS } from '../../../../src/wings.ts'
import { ask } from '../../../wire/ask.ts'

const CONFIG = `
contract:
  openapi: 3.1.0
  info: { title: Shop, version: "1" }
  components:
    schemas: { Cup: { type: object, required: [name], properties: { id: { type: integer }, name: { type: string } } } }
  paths:
    /cups:
      get:
        operationId: listCups
        responses:
          200:
            description: Cups
            content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Cup" } } } }
      post:
        operationId: createCup
        requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Cup" } } } }
        responses:
          201: { description: Cup, content: { application/json: { schema: { $ref: "#/components/schemas/Cup" } } } }
journal: { bodies: 64kB }
resources: { cups: { schema: Cup, seed: [{ id: 1, name: Tea bowl }] } }
operations:
  listCups: { respond: { list: cups } }
  createCup: { respond: { create: cups } }
`
const folder = mkdtempSync(join(tmpdir(), 'understudy-taken-'))
let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({ config: CONFIG })
  const headers = { 'content-type': 'application/json' }
  await ask(`${gateway.url}/cups`, { method: 'POST', headers, body: '{"name":"Mug"}' })
  await ask(`${gateway.url}/cups`)
})
after(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true })
})

/** Runs a command, and returns the text that it prints. */
async function printed(text: string, isRunning = true): Promise<string> {
  const all: string[] = []
  const url = isRunning ? [gateway.control as string] : []
  const line = readCommandLine([...text.split(' '), ...url], {}, '1.2.3', { wings: WINGS })
  const program = {
    home: folder,
    wings: WINGS,
    environment: {},
    print: (more: string) => all.push(more),
    complain: () => {},
    progress: { clear() {}, report() {} },
  }
  assert.equal(await commandsWith(WINGS)[line.command]?.run(line, program as unknown as Program), 0)
  return all.join('')
}

/** Imports a text, and returns how many of its replies are given. */
async function equalOf(text: string, name: string) {
  writeFileSync(join(folder, name), text)
  const made = await importFiles([name], folder, new Diagnostics(), { output: `${name}-out`, wings: WINGS })
  return [made?.kind.name, (made?.tried.equal ?? 0) + (made?.tried.alike ?? 0), made?.tried.tried]
}

test('the journal as a collection of Postman can be imported again', async () => {
  assert.deepEqual(await equalOf(await printed('requests --format postman'), 'shop.json'), ['postman', 2, 2])
  // A recording is recognised by its content.
  writeFileSync(join(folder, 'traffic.json'), `\ufeff${await printed('requests --format har')}`)
  assert.match(await printed('import traffic.json --output recorded', false), /2 of 2 recorded replies are equal/)
  assert.equal(JSON.parse(await printed('requests --format json')).total, 2)
})

test('the records of a world are a db.json', async () => {
  const text = await printed('records --world default')
  assert.equal(text, '{"cups":[{"id":1,"name":"Tea bowl"},{"id":2,"name":"Mug"}]}\n')
  assert.deepEqual(await equalOf(text, 'db.json'), ['json-server', 2, 2])
})
