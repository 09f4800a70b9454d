// Gateways in separate processes that share a Redis server, with the requests and signals of tests.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM } from '../support/built-program.ts'

export const NOTES = `
contract:
  openapi: 3.1.0
  info: { title: Notes, version: "1" }
  components:
    schemas:
      Note: { type: object, required: [id, text], properties: { id: { type: integer }, text: { type: string }, status: { enum: [draft, sent] } } }
      Draft: { type: object, required: [text], properties: { text: { type: string }, status: { enum: [draft, sent] } } }
  paths:
    /notes:
      get: { operationId: list, responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Note" } } } } } } }
      post:
        operationId: create
        requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
        responses: { 201: { description: made, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } } }
    /notes/{id}:
      parameters: [{ in: path, name: id, required: true, schema: { type: integer } }]
      get: { operationId: read, responses: { 200: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }, 404: { description: none } } }
      put:
        operationId: replace
        requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
        responses: { 200: { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }, 404: { description: none } }
      delete: { operationId: delete, responses: { 204: { description: gone }, 404: { description: none } } }
    /hit: { get: { operationId: hit, responses: { 200: { description: ok }, 503: { description: once } } } }
    /limited: { get: { operationId: limited, responses: { 200: { description: ok } } } }
listen: { expose: [readyz] }
resources:
  notes: { schema: Note, maxRecords: 300, seed: [{ id: 1, text: seed, status: draft }] }
operations:
  list: { respond: { list: notes } }
  create: { respond: { create: notes }, idempotency: { for: 1h } }
  read: { respond: { read: notes } }
  replace: { respond: { replace: notes } }
  delete: { respond: { delete: notes } }
  hit: { respond: { status: 200, body: {} }, rules: [{ times: 1, respond: { status: 503, body: {} } }] }
  limited: { rateLimit: { limit: 5/h }, respond: { status: 200, body: {} } }
`

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test knows its replies.
  readonly body: any
}

export interface Replica {
  readonly child: ChildProcess
  /** Its whole output. */
  output(): string
  /** Sends `GET /notes`; `control:/worlds` to the control plane, `root:/readyz` without the base path of the API. */
  send(line: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  kill(): Promise<void>
}

export class Replicas {
  readonly #folder = mkdtempSync(join(tmpdir(), 'understudy-replicas-'))
  readonly #children: ChildProcess[] = []
  #files = 0

  /** Serves a configuration with this `state`. */
  async serve(state: string, text = NOTES, more: readonly string[] = []): Promise<Replica> {
    this.#files += 1
    const config = join(this.#folder, `${this.#files}.yaml`)
    writeFileSync(config, `${text}\nstate: ${state}\n`)
    return this.start(config, {}, more)
  }

  async start(
    config: string,
    environment: Record<string, string> = {},
    more: readonly string[] = [],
  ): Promise<Replica> {
    const level = more.includes('--log-level') ? [] : ['--log-level', 'warn']
    const args = ['serve', config, '--host', '127.0.0.1', '--port', '0', '--control-port', '0', ...level, ...more]
    const env = { ...process.env, NO_COLOR: '1', ...environment }
    const child = spawn(process.execPath, [PROGRAM, ...args], { env })
    this.#children.push(child)
    let output = ''
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', chunk => {
          output += chunk
          if (output.includes('curl')) resolve()
        })
      }
      child.once('exit', () => reject(new Error(output)))
    })
    const api = /API +(\S+)/.exec(output)?.[1] as string
    const control = /Control plane +(\S+)/.exec(output)?.[1] as string
    return {
      child,
      output: () => output,
      async send(line, body, headers = {}) {
        const [method, path] = line.split(' ') as [string, string]
        const origin = path.startsWith('root:') ? new URL(api).origin : path.startsWith('control:') ? control : api
        const url = origin + path.replace(/^(?:control|root):/, '')
        const type = typeof body === 'string' ? 'application/yaml' : 'application/json'
        const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
        const reply = await fetch(url, {
          method,
          ...init,
          headers: body === undefined ? headers : { 'content-type': type, ...headers },
        })
        const text = await reply.text()
        const json = /json/.test(reply.headers.get('content-type') ?? '')
        return { status: reply.status, headers: reply.headers, body: json ? JSON.parse(text) : text }
      },
      async kill() {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill('SIGKILL')
        await once(child, 'exit')
      },
    }
  }

  end(): void {
    for (const child of this.#children) child.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true })
  }
}
