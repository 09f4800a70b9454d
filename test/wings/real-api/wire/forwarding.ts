// A real API that a test writes, and a gateway before it.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { startGateway } from '../../../../src/index.ts'

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
  for (const close of closing) await close()
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
