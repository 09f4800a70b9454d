// Imports files of other tools in a new folder, and serves the project.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { after } from 'node:test'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import type { Reply } from '../../../src/kernel/http.ts'
import { type ImportResult, importFiles } from '../../../src/wings/import/import.ts'
import { realApiObserver } from '../../../src/wings/real-api/observe.ts'
import type { Upstream } from '../../../src/wings/real-api/upstream.ts'
import { WINGS } from '../../../src/wings.ts'
import { gatewayOf, requestOf } from '../../support/in-process.ts'
import { loadPlan } from '../../support/load.ts'
import { FixedClock } from '../../virtual-clock.ts'

export const home = mkdtempSync(join(tmpdir(), 'understudy-import-'))
after(() => rmSync(home, { recursive: true }))
let made = 0

/** Returns a folder that is not there yet. */
export const newFolder = (): string => join(home, `${++made}`)

export interface Made {
  readonly result: ImportResult | undefined
  readonly report: Diagnostics
  readonly folder: string
  readonly clock: FixedClock
  send(what: string, body?: unknown, headers?: Record<string, string>): Promise<string>
  /** Returns a whole reply. */
  reply(what: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
}

/** The values of environment variables for credentials, where they are not `any`. */
const SECRETS: Readonly<Record<string, string>> = { ADMIN_TOKEN: 'of-admin', BASIC_USERNAME: 'ann', X_API_KEY: '12345' }

/** A real API that answers with the URL of the request. */
const REAL: Upstream = {
  send: async ({ path }, { origin }) => {
    const body = new TextEncoder().encode(origin + path)
    return { status: 200, fields: ['content-type', 'text/plain'], body: Readable.from([body]), trailers: () => ({}) }
  },
  close: async () => {},
}

/** Imports some files. `send` returns the status and the body of a reply. */
export async function importOf(
  files: Readonly<Record<string, unknown>>,
  name = Object.keys(files)[0] as string,
  options: { readonly contract?: string; readonly as?: string } = {},
): Promise<Made> {
  const folder = newFolder()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const report = new Diagnostics()
  const result = await importFiles([name], folder, report, { output: 'out', ...options, wings: WINGS })
  const variables = Object.fromEntries(
    (result?.variables ?? []).map(variable => [variable, SECRETS[variable] ?? 'any']),
  )
  const loaded = result && loadPlan('out/gateway.yaml', folder, variables)
  const clock = new FixedClock()
  const gateway = loaded && gatewayOf(loaded, clock)
  if (gateway !== undefined) gateway.observed(realApiObserver).client = REAL
  const reply: Made['reply'] = (what, body, headers = {}) => {
    // A text is sent as it is.
    const raw = typeof body === 'string' ? new TextEncoder().encode(body) : undefined
    const all = raw === undefined ? headers : { 'content-type': 'text/plain', ...headers }
    return (gateway as NonNullable<typeof gateway>).handle(requestOf(what, { body, raw, headers: all }))
  }
  return {
    ...{ result, report, folder, clock, reply },
    async send(...request) {
      const { status, body, stream } = await reply(...request)
      const chunks: Uint8Array[] = []
      for await (const chunk of stream?.chunks ?? []) chunks.push(chunk)
      return `${status} ${body ?? Buffer.concat(chunks).toString()}`
    },
  }
}

export const lost = ({ report }: Made): string[] =>
  report.unsorted.map(({ message, place }) => `${place.line}:${place.column} ${message}`)

/** A response of a route of Mockoon. */
export const mockoonResponse = (more: object) => ({
  ...{ statusCode: 200, headers: [], rules: [], rulesOperator: 'OR', label: '' },
  ...more,
})

/** A rule for a response of Mockoon: the query has `x=1`. */
export const mockoonRule = (more: object) => ({
  ...{ target: 'query', modifier: 'x', value: '1', operator: 'equals' },
  ...more,
})
