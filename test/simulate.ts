// A gateway without a socket, from a piece of YAML that is added to a small contract.

import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Gateway } from '../src/gateway/gateway.ts'
import { silentLog } from '../src/gateway/log.ts'
import { Metrics } from '../src/gateway/metrics/metrics.ts'
import { formatDiagnostics } from '../src/kernel/diagnostic.ts'
import type { Reply } from '../src/kernel/reply.ts'
import type { Request } from '../src/kernel/request.ts'
import { type Loaded, loadPlan } from '../src/load/load.ts'
import { type Clock, realClock } from '../src/world/clock.ts'

/** Three operations on things, one of which documents a 503, and a key per consumer. */
export const CONTRACT = `
contract:
  openapi: 3.1.0
  info: { title: Things, version: "1" }
  components:
    securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
    schemas:
      Thing: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string } } }
      Things: { type: array, items: { $ref: "#/components/schemas/Thing" } }
      Draft: { type: object, required: [name], properties: { name: { type: string } } }
  paths:
    /things:
      get:
        operationId: listThings
        tags: [things]
        responses:
          200: { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Things" } } } }
          503: { description: Down }
      post:
        operationId: createThing
        tags: [things]
        security: [{}, { key: [] }]
        requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
        responses:
          201: { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
    /things/{id}:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      get:
        operationId: getThing
        security: [{}, { key: [] }]
        responses:
          200: { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
          404: { description: None }
      patch:
        operationId: changeThing
        requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object } } } }
        responses:
          200: { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
      delete:
        operationId: deleteThing
        responses: { 204: { description: Gone } }
consumers: { ann: { key: ann-key }, bob: { key: bob-key } }
resources: { things: { schema: Thing, seed: [{ id: 1, name: one }, { id: 2, name: two }] } }
`

/** A responder for each operation of `CONTRACT`. */
export const OPERATIONS = `
  listThings: { respond: { list: things } }
  createThing: { respond: { create: things } }
  getThing: { respond: { read: things } }
  changeThing: { respond: { update: things } }
  deleteThing: { respond: { delete: things } }
`

const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
let files = 0

/** Writes a file with this text, and returns its path. */
export function fileOf(yaml: string): string {
  files += 1
  const path = join(folder, `gateway-${files}.yaml`)
  writeFileSync(path, yaml)
  return path
}

/** The files of a folder have fewer configurations each. */
const MOST_LOADS = 8

/** Configurations that were loaded a moment ago. A plan never changes, so the tests of a file may share it. */
export class KeptLoads<Kept = Loaded> {
  readonly #byText = new Map<string, Kept>()

  /** Returns what was loaded from this text, or loads it. The least recently used is dropped. */
  of(text: string, load: () => Kept): Kept {
    const loaded = this.#byText.get(text) ?? load()
    this.#byText.delete(text)
    this.#byText.set(text, loaded)
    if (this.#byText.size > MOST_LOADS) this.#byText.delete(this.#byText.keys().next().value as string)
    return loaded
  }
}

const keptLoads = new KeptLoads()

/** Loads a configuration from text. */
export const load = (yaml: string): Loaded => keptLoads.of(yaml, () => loadPlan(fileOf(yaml), folder, {}))

export interface Ask {
  readonly headers?: Readonly<Record<string, string>>
  /** The body as a value, sent as JSON. */
  readonly body?: unknown
  /** The body as bytes, instead of `body`. */
  readonly raw?: Uint8Array | undefined
  readonly signal?: AbortSignal
  readonly address?: string
}

/** Makes a gateway of a configuration that loads without an error. */
export function gatewayOf({ plan, report }: Loaded, clock: Clock): Gateway {
  assert.ok(plan, formatDiagnostics(report.list))
  return new Gateway(plan, clock, silentLog, records => new Metrics('0.0.0', records))
}

/** Makes a gateway of `CONTRACT` with this configuration. `ask` sends it requests, `metric` reads a sample. */
export function simulate(yaml: string, clock: Clock = realClock) {
  const gateway = gatewayOf(load(CONTRACT + yaml), clock)
  const ask = (what: string, options: Ask = {}): Promise<Reply> => gateway.handle(requestOf(what, options))
  return { gateway, ask, metric: (line: string) => metricOf(gateway, line) }
}

/** Makes a request of a line such as `GET /things?limit=1`. */
export function requestOf(what: string, { headers = {}, body, raw, signal, address = '127.0.0.1' }: Ask = {}): Request {
  const [method = '', target = ''] = what.split(' ')
  const [path = '', query = ''] = target.split('?')
  const bytes = raw ?? new TextEncoder().encode(JSON.stringify(body))
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  return {
    method,
    path,
    query,
    headers: body === undefined ? headers : { 'content-type': type, ...headers },
    hasBody: body !== undefined || bytes.length > 0,
    readBody: async () => ({ bytes }),
    address,
    ...(signal === undefined ? {} : { signal }),
  }
}

/** Returns the value of a sample of the metrics page. `line` is its name with its labels, as the page has them. */
async function metricOf(gateway: Gateway, line: string): Promise<number | undefined> {
  const page = await gateway.metrics.page()
  const found = page.split('\n').find(one => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}
