// A gateway without a socket from files that a test writes inline. JSON replies are parsed, and the clock is frozen.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { type Loaded, loadInferred, loadPlan } from '../../src/load/load.ts'
import { gatewayOf, KeptLoads, requestOf } from '../simulate.ts'
import { FixedClock } from '../virtual-clock.ts'

const keptLoads = new KeptLoads()
const keptInferences = new KeptLoads<Promise<Loaded>>()

/** Writes files into a new directory and loads the first of them. */
export const loadFiles = (files: Readonly<Record<string, string>>): Loaded =>
  keptLoads.of(JSON.stringify(files), () => loadAnew(files))

/** As `loadFiles`, but never returns what another call has loaded. */
export function loadAnew(files: Readonly<Record<string, string>>): Loaded {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
    return loadPlan(Object.keys(files)[0] as string, home, {})
  } finally {
    rmSync(home, { recursive: true })
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface InProcess {
  readonly gateway: Gateway
  readonly clock: FixedClock
  send(line: string, body?: unknown, headers?: Record<string, string>, raw?: Uint8Array): Promise<Answer>
}

/** Loads a valid configuration, and sends requests such as `GET /books?limit=2`. */
export function inProcess(files: Readonly<Record<string, string>>, clock = new FixedClock()): InProcess {
  return driving(loadFiles(files), clock)
}

/** The same for a bare document, with the state that is inferred from it. */
export async function inferredInProcess(document: object, clock = new FixedClock()): Promise<InProcess> {
  return driving(await inferFrom(JSON.stringify(document)), clock)
}

/** Loads a document with the state that is inferred from it. */
export const inferFrom = (document: string): Promise<Loaded> =>
  keptInferences.of(document, async () => {
    const home = mkdtempSync(join(tmpdir(), 'understudy-'))
    try {
      writeFileSync(join(home, 'openapi.yaml'), document)
      return await loadInferred('openapi.yaml', home, {})
    } finally {
      rmSync(home, { recursive: true })
    }
  })

function driving(loaded: Loaded, clock: FixedClock): InProcess {
  const gateway = gatewayOf(loaded, clock)
  return { gateway, clock, send: sendTo(gateway) }
}

/** Returns a function that sends requests to a gateway: `send('POST /things?a=1', body)`. */
export const sendTo =
  (gateway: Gateway): InProcess['send'] =>
  async (line, body, headers = {}, raw = undefined) => {
    const all = body === undefined ? headers : { 'content-type': 'application/json', ...headers }
    const reply = await gateway.handle(requestOf(line, { headers: all, body, raw }))
    const text = typeof reply.body === 'string' ? reply.body : ''
    const json = /[/+]json(?:;|$)/.test(reply.headers['content-type'] ?? '')
    return { status: reply.status, headers: reply.headers, body: json && text !== '' ? JSON.parse(text) : text }
  }
