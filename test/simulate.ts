// A gateway without a socket, from a piece of YAML that is added to a small contract.

import type { Gateway } from '../src/gateway/gateway.ts'
import type { Reply } from '../src/kernel/http.ts'
import type { Clock } from '../src/world/clock.ts'
import { realClock } from '../src/world/clock.ts'
import { type Ask, gatewayOf, load, requestOf } from './support/in-process.ts'

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

/** Makes a gateway of `CONTRACT` with this configuration. `ask` sends it requests, `metric` reads a sample. */
export function simulate(yaml: string, clock: Clock = realClock) {
  const gateway = gatewayOf(load(CONTRACT + yaml), clock)
  const ask = (what: string, options: Ask = {}): Promise<Reply> => gateway.handle(requestOf(what, options))
  return { gateway, ask, metric: (line: string) => metricOf(gateway, line) }
}

/** Returns the value of a sample of the metrics page. `line` is its name with its labels, as the page has them. */
async function metricOf(gateway: Gateway, line: string): Promise<number | undefined> {
  const page = await gateway.metrics.page()
  const found = page.split('\n').find(one => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length + 1))
}
