// Gateways without sockets that share a log in memory: replicas in one process, without waiting.

import { Gateway } from '../../src/gateway/gateway.ts'
import type { Log } from '../../src/gateway/log.ts'
import { createState } from '../../src/gateway/state-host.ts'
import { formatDiagnostics } from '../../src/kernel/report.ts'
import type { Engine } from '../../src/state/engines/engine.ts'
import { MEMORY } from '../../src/state/engines/memory.ts'
import type { StateSettings } from '../../src/state/settings.ts'
import type { State } from '../../src/state/state.ts'
import { WINGS } from '../../src/wings.ts'
import { loadFiles, sendTo } from '../support/in-process.ts'
import { FixedClock } from '../virtual-clock.ts'
import { surroundings } from './engines/surroundings.ts'

export const OPENAPI = `
openapi: 3.1.0
info: { title: Library, version: "1" }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Book:
      type: object
      required: [id, title]
      properties:
        id: { type: integer, format: int64 }
        title: { type: string }
        status: { enum: [ordered, shipped] }
    Draft: { type: object, required: [title], properties: { title: { type: string }, status: { type: string } } }
paths:
  /books:
    get:
      operationId: listBooks
      responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Book" } } } } } }
    post:
      operationId: createBook
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
      responses: { 201: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } } }
  /books/{id}:
    parameters: [{ in: path, name: id, required: true, schema: { type: integer, format: int64 } }]
    get:
      operationId: readBook
      responses:
        200: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
        404: { description: none }
    put:
      operationId: replaceBook
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
      responses: { 200: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } } }
    delete: { operationId: deleteBook, responses: { 204: { description: ok } } }
  /limited: { get: { operationId: limited, responses: { 200: { description: ok } } } }
  /ruled: { get: { operationId: ruled, responses: { 200: { description: ok }, 418: { description: once } } } }
`

export const GATEWAY = `
contract: ./openapi.yaml
state: { history: true }
resources:
  books: { schema: Book, maxRecords: 50, seed: [{ id: 1, title: one, status: ordered }, { id: 2, title: two }] }
operations:
  listBooks: { respond: { list: books } }
  createBook: { respond: { create: books }, idempotency: { for: 1h } }
  readBook: { respond: { read: books } }
  replaceBook: { respond: { replace: books } }
  deleteBook: { respond: { delete: books } }
  limited: { rateLimit: { limit: 3/h }, respond: { status: 200, body: { ok: true } } }
  ruled:
    respond: { status: 200, headers: { X-Was: '\${scenario("ruled")}' }, body: { ok: true } }
    rules:
      - { times: 1, respond: { status: 418, body: { ok: false } } }
      - { when: scenario("ruled") == "", enter: { ruled: once } }
`

export interface Replica {
  readonly gateway: Gateway
  readonly state: State
  readonly clock: FixedClock
  readonly messages: string[]
  /** Sends a line such as `GET /books`, optionally with a body. */
  send(
    line: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: unknown; headers: Readonly<Record<string, string>> }>
}

/** Returns a gateway whose state is in this engine, opened. */
export async function replica(
  engine: Engine,
  settings: Partial<StateSettings> = {},
  files: Record<string, string> = {},
  clock = new FixedClock(),
): Promise<Replica> {
  const { plan, report } = loadFiles({ 'gateway.yaml': GATEWAY, 'openapi.yaml': OPENAPI, ...files })
  if (plan === undefined) throw new Error(formatDiagnostics(report.list))
  const messages: string[] = []
  const tell = (_: object, message: string) => void messages.push(message)
  const log: Log = { requests: false, info: tell, warn: tell, error: tell, lost: 0, close: async () => {} }
  const gateway = new Gateway(plan, clock, log, '0', { wings: WINGS })
  const around = { ...surroundings(), now: () => clock.now(), sleep: () => new Promise<void>(() => {}) }
  const state = createState(
    gateway,
    engine,
    { engine: MEMORY, reads: 'strong', onSeedChange: 'keep', ...settings },
    around,
    log,
  )
  gateway.state = state
  await state.open()
  return {
    gateway,
    state,
    clock,
    messages,
    send: sendTo(gateway),
  }
}
