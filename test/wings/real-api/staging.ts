// A small staging server as a function, the contract of its API, and a configuration with worlds over it.

import type { Headers } from '../../../src/kernel/http.ts'
import type { Upstream } from '../../../src/wings/real-api/upstream.ts'

/** Invoices and their customers; an envelope around lists, and around nothing else. */
export const STAGED_CONTRACT = `
openapi: 3.1.0
info: { title: Invoices, version: "1" }
components:
  parameters: { id: { name: id, in: path, required: true, schema: { type: integer } } }
  schemas:
    Customer: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string } } }
    Invoice:
      type: object
      required: [id, customer, status, amount]
      properties:
        id: { type: integer }
        customer: { type: integer }
        status: { type: string, enum: [draft, open, paid] }
        amount: { type: number }
    Draft:
      type: object
      required: [customer, status, amount]
      properties: { customer: { type: integer }, status: { type: string, enum: [draft, open, paid] }, amount: { type: number } }
    Page:
      type: object
      required: [data, total]
      properties: { data: { type: array, items: { $ref: "#/components/schemas/Invoice" } }, total: { type: integer } }
  responses:
    Invoice: { description: One, content: { application/json: { schema: { $ref: "#/components/schemas/Invoice" } } } }
paths:
  /customers:
    get:
      operationId: listCustomers
      responses:
        200: { description: All, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Customer" } } } } }
  /customers/{id}:
    parameters: [{ $ref: "#/components/parameters/id" }]
    get:
      operationId: getCustomer
      responses: { 200: { description: One, content: { application/json: { schema: { $ref: "#/components/schemas/Customer" } } } }, 404: { description: None } }
    delete: { operationId: deleteCustomer, responses: { 204: { description: Gone }, 409: { description: Used } } }
  /customers/{id}/invoices:
    parameters: [{ $ref: "#/components/parameters/id" }]
    get:
      operationId: listOwnInvoices
      responses: { 200: { description: A page, content: { application/json: { schema: { $ref: "#/components/schemas/Page" } } } } }
  /invoices:
    get:
      operationId: listInvoices
      parameters:
        - { name: status, in: query, schema: { type: string } }
        - { name: customer, in: query, schema: { type: integer } }
        - { name: sort, in: query, schema: { type: string } }
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100 } }
        - { name: offset, in: query, schema: { type: integer, minimum: 0 } }
      responses: { 200: { description: A page, content: { application/json: { schema: { $ref: "#/components/schemas/Page" } } } } }
    post:
      operationId: createInvoice
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
      responses: { 201: { $ref: "#/components/responses/Invoice" }, 400: { description: Wrong } }
  /invoices/{id}:
    parameters: [{ $ref: "#/components/parameters/id" }]
    get: { operationId: getInvoice, responses: { 200: { $ref: "#/components/responses/Invoice" }, 404: { description: None } } }
    put:
      operationId: replaceInvoice
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
      responses: { 200: { $ref: "#/components/responses/Invoice" }, 404: { description: None } }
    patch:
      operationId: changeInvoice
      requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object } } } }
      responses: { 200: { $ref: "#/components/responses/Invoice" }, 404: { description: None }, 409: { description: Not now } }
    delete: { operationId: deleteInvoice, responses: { 204: { description: Gone }, 404: { description: None } } }
`

/** The configuration. `upstream` is where the server is. */
export const stagedConfiguration = (upstream: string, fresh = '0s', more = ''): string => `
contract: ./openapi.yaml
upstream: { url: "${upstream}" }
resources:
  customers: { schema: Customer, base: upstream, fresh: ${fresh} }
  invoices: { schema: Invoice, base: upstream, fresh: ${fresh}, references: { customer: customers } }
defaults: { conditional: {} }
operations:
  listCustomers: { respond: { list: customers } }
  getCustomer: { respond: { read: customers } }
  deleteCustomer: { respond: { delete: customers } }
  listOwnInvoices:
    respond: { list: invoices, within: { parameter: id, field: customer, resource: customers }, body: { data: "\${page.items}", total: "\${page.total}" } }
  listInvoices:
    respond:
      { list: invoices, filter: [status, customer], sort: sort, limit: limit, offset: offset, body: { data: "\${page.items}", total: "\${page.total}" } }
  createInvoice: { respond: { create: invoices } }
  getInvoice: { respond: { read: invoices } }
  replaceInvoice: { respond: { replace: invoices } }
  changeInvoice: { respond: { update: invoices } }
  deleteInvoice: { respond: { delete: invoices } }
${more}`

export interface Invoice {
  readonly id: number
  readonly customer: number
  readonly status: string
  readonly amount: number
}

/** Lists as a server of this contract does: filtered, sorted with equals in the order of their ids, and cut. */
export function pageOfInvoices(all: readonly Invoice[], query: URLSearchParams) {
  const sort = query.get('sort') ?? 'id'
  const field = sort.replace('-', '') as keyof Invoice
  const sign = sort.startsWith('-') ? -1 : 1
  const compare = (a: Invoice, b: Invoice) =>
    a[field] === b[field] ? a.id - b.id : sign * (a[field] < b[field] ? -1 : 1)
  const found = all
    .filter(one => query.get('status') === null || one.status === query.get('status'))
    .filter(one => query.get('customer') === null || `${one.customer}` === query.get('customer'))
    .toSorted(compare)
  const from = Number(query.get('offset') ?? 0)
  return { data: found.slice(from, from + Number(query.get('limit') ?? Number.POSITIVE_INFINITY)), total: found.length }
}

/** The server: its records, and the requests that it got. */
export class StagingServer {
  readonly customers = new Map<number, { readonly id: number; readonly name: string }>()
  readonly invoices = new Map<number, Invoice>()
  readonly asked: string[] = []
  /** The header fields of the last request. */
  headers: Headers = {}

  /** Answers a request; the body is JSON. */
  answer(method: string, target: string, headers: Headers = {}): { readonly status: number; readonly body: unknown } {
    this.asked.push(`${method} ${target}`)
    this.headers = headers
    const { pathname, searchParams } = new URL(target, 'http://staging')
    const [, kind, id, below] = pathname.split('/')
    if (method !== 'GET') return { status: 500, body: { message: 'a write reached staging' } }
    if (below === 'invoices') {
      return {
        status: 200,
        body: pageOfInvoices(
          [...this.invoices.values()].filter(one => `${one.customer}` === id),
          searchParams,
        ),
      }
    }
    if (kind === 'customers' && id === undefined) return { status: 200, body: [...this.customers.values()] }
    if (kind === 'invoices' && id === undefined) {
      return { status: 200, body: pageOfInvoices([...this.invoices.values()], searchParams) }
    }
    const found = (kind === 'customers' ? this.customers : this.invoices).get(Number(id))
    return found === undefined ? { status: 404, body: { message: 'not here' } } : { status: 200, body: found }
  }
}

/** A client of the server without sockets. */
export const clientOf = (staging: StagingServer): Upstream => ({
  async send({ method, path, headers }) {
    const { status, body } = staging.answer(method, path, headers)
    return {
      status,
      fields: ['Content-Type', 'application/json'],
      body: (async function* () {
        yield new TextEncoder().encode(JSON.stringify(body))
      })(),
      trailers: () => ({}),
    }
  },
  async close() {},
})
