// The longest step of the event loop while a large configuration with a mistake is refused, and while a large snapshot is put. One
// without a mistake may hold requests while it is compiled.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../support/until.ts'
import { largeDocument } from './large-document.ts'
import { attack } from './table.ts'
import { outcomeOf, withSteps } from './with-steps.ts'

const KIND = 'steps'

const put = async (address: string, type: string, body: string) => {
  const reply = await fetch(address, { method: 'PUT', headers: { 'content-type': type }, body })
  assert.ok(reply.ok, `${reply.status} ${(await reply.text()).slice(0, 300)}`)
}

attack(KIND, 'a reload of a contract of half a MB with a mistake', () =>
  withSteps(
    folder => {
      writeFileSync(join(folder, 'api.yaml'), JSON.stringify(THINGS.contract))
      writeFileSync(join(folder, 'gateway.yaml'), 'contract: ./api.yaml\noperations: { get: { latency: 1ms } }\n')
      return [join(folder, 'gateway.yaml')]
    },
    async (program, folder, steps) => {
      // It has no operation `get`.
      writeFileSync(join(folder, 'api.yaml'), largeDocument())
      await until(async () => (await program.metric('understudy_config_last_reload_successful')) === 0)
      return outcomeOf(await steps(), 'refused')
    },
  ),
)

attack(KIND, 'PUT /config: a document of half a MB inline, with a mistake', () =>
  withSteps(
    () => ['config/gateway.yaml'],
    async (program, _folder, steps) => {
      const reply = await fetch(`${program.control}/config`, {
        method: 'PUT',
        headers: { 'content-type': 'application/yaml' },
        body: `{"contract":${largeDocument()},"operations":{"get":{}}}`,
      })
      assert.equal(reply.status, 422, (await reply.text()).slice(0, 300))
      return outcomeOf(await steps(), 'refused')
    },
  ),
)

attack(KIND, 'PUT a snapshot of 20 MB', () =>
  withSteps(
    folder => {
      const resources = { things: { schema: 'Thing', maxRecords: 200_000, maxBytes: '400MB' } }
      writeFileSync(join(folder, 'gateway.yaml'), JSON.stringify({ ...THINGS, resources }))
      return [join(folder, 'gateway.yaml')]
    },
    async (program, _folder, steps) => {
      const snapshot = JSON.stringify({ version: 1, collections: { things: { records: recordsOf(90_000, 200) } } })
      await put(`${program.control}/worlds/default/snapshot`, 'application/json', snapshot)
      return outcomeOf(await steps(), 'put')
    },
  ),
)

attack(KIND, 'PUT /weather: as many rules as it may have, and PUT a snapshot of 100,000 unknown collections', () =>
  withSteps(
    () => ['config/gateway.yaml'],
    async (program, _folder, steps) => {
      const rules = Array.from({ length: 500 }, (_, i) => ({ when: `ordinal == ${i + 2}`, latency: '1ms' }))
      await put(`${program.control}/weather`, 'application/json', JSON.stringify({ defaults: { rules } }))
      assert.equal(await program.status('/v1/pets/1'), 200)
      const adopted = outcomeOf(await steps(), 'adopted')
      const collections = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`c${i}`, { records: [] }]))
      const refused = await fetch(`${program.control}/worlds/default/snapshot`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ version: 1, collections }),
      })
      assert.equal(refused.status, 422, await refused.text())
      return `${adopted}; ${outcomeOf(await steps(), 'refused')}`
    },
  ),
)

attack(KIND, 'POST texts of 10 MB for patterns: one that matches, and hostile ones', () =>
  withSteps(
    folder => {
      const { contract } = THINGS
      const name = { type: 'string', pattern: '^([a-z]+ ?)+$' }
      const content = { 'application/json': { schema: { type: 'object', properties: { name } } } }
      const post = { requestBody: { content }, responses: { 200: { description: 'ok' } } }
      const gateway = { contract: { ...contract, paths: { '/names': { post } } }, limits: { body: '11MB' } }
      writeFileSync(join(folder, 'gateway.yaml'), JSON.stringify(gateway))
      return [join(folder, 'gateway.yaml')]
    },
    async (program, _folder, steps) => {
      const post = async (name: string) => {
        const headers = { 'content-type': 'application/json' }
        const reply = await fetch(`${program.url}/names`, { method: 'POST', headers, body: JSON.stringify({ name }) })
        await reply.arrayBuffer()
        return reply.status
      }
      const text = 'abcdefghi '.repeat(100_000).trim()
      // A busy machine may interrupt the search in a harmless text.
      await until(async () => (await post(text)) === 200)
      for (let i = 0; i < 3; i++) assert.equal(await post(`${text.repeat(10)}!`), 400)
      return outcomeOf(await steps(), 'answered')
    },
  ),
)

const recordsOf = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => ({ id: i + 1, name: `${'x'.repeat(length)}${i}` }))

const THINGS = {
  contract: {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: {
      '/things/{id}': {
        get: {
          operationId: 'get',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        Thing: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } },
      },
    },
  },
  operations: { get: { respond: { read: 'things' } } },
}
