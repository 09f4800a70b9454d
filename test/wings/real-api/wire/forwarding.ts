// A real API that a test writes, and a gateway before it.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { silentLog } from '../../../../src/gateway/log.ts'
import { startGateway } from '../../../../src/index.ts'
import { start } from '../../../../src/start.ts'
import { WINGS } from '../../../../src/wings.ts'
import { realClock } from '../../../../src/world/clock.ts'
import { load } from '../../../support/in-process.ts'

export const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: '/v1' }],
  paths: {
    '/pets': {
      get: { operationId: 'listPets', responses: { 200: json({ type: 'array', items: { type: 'object' } }) } },
      post: {
        operationId: 'createPet',
        requestBody: { content: { 'application/json': { schema: { type: 'object', required: ['name'] } } } },
        responses: { 201: json({ type: 'object' }) },
      },
    },
    '/pets/{id}': { get: { operationId: 'getPet', responses: { 200: json({ type: 'object' }) } } },
  },
}

function json(schema: object) {
  return { description: 'ok', content: { 'application/json': { schema } } }
}

export const closing: (() => unknown)[] = []
/** Closes all that was started. Call it in `after`. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0)) await close()
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Starts a real API, and a gateway before it. */
export async function stand(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
  more: object = {},
  behaviours: object = {},
) {
  const real = createServer(answer)
  await new Promise<void>(resolve => real.listen(0, '127.0.0.1', resolve))
  return { real, ...(await before(portOf(real), more, behaviours)) }
}

/** As `stand`, with the state of the observers: it forwards all. */
export async function standOpen(answer: (req: IncomingMessage, res: ServerResponse) => void) {
  const real = createServer(answer)
  await new Promise<void>(resolve => real.listen(0, '127.0.0.1', resolve))
  const upstream = { url: `http://127.0.0.1:${portOf(real)}/api` }
  const read = () => load(JSON.stringify({ contract: DOCUMENT, upstream, defaults: { respond: { forward: {} } } }))
  const loaded = read()
  assert.ok(loaded.plan)
  const listen = { host: '127.0.0.1', port: 0, controlHost: '127.0.0.1', controlPort: 0, controlToken: undefined }
  const options = { clock: realClock, log: silentLog, watch: false, listen, wings: WINGS }
  const { gateway, serving, close } = await start(loaded.plan, loaded, read, options)
  closing.push(close, () => real.close())
  return { gateway, serving }
}

export async function before(port: number, more: object = {}, behaviours: object = {}, operations: object = {}) {
  const gateway = await startGateway({
    port: 0,
    controlPort: 0,
    config: {
      contract: DOCUMENT,
      upstream: { url: `http://127.0.0.1:${port}/api`, timeout: '2s', methods: ['GET', 'HEAD', 'POST'], ...more },
      defaults: { respond: { forward: {} }, ...behaviours },
      operations,
    },
  } as never)
  closing.push(() => gateway.close())
  return { gateway, url: `${gateway.url}` }
}
