// A gateway without a socket from files that a test writes inline. JSON replies are parsed, and the clock is frozen.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Gateway } from '../../src/gateway/gateway.ts'
import { silentLog } from '../../src/gateway/log.ts'
import type { Request } from '../../src/kernel/http.ts'
import { formatDiagnostics } from '../../src/kernel/report.ts'
import type { Loaded } from '../../src/load/load.ts'
import { WINGS } from '../../src/wings.ts'
import type { Clock } from '../../src/world/clock.ts'
import { FixedClock } from '../virtual-clock.ts'
import { loadInferred, loadPlan } from './load.ts'

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
const keptInferences = new KeptLoads<Promise<Loaded>>()

/** Loads a configuration from text. */
export const load = (yaml: string): Loaded => keptLoads.of(yaml, () => loadPlan(fileOf(yaml), folder, {}))

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

/** Sends requests to what was loaded. */
export function driving(loaded: Loaded, clock = new FixedClock()): InProcess {
  const gateway = gatewayOf(loaded, clock)
  return { gateway, clock, send: sendTo(gateway) }
}

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
  return new Gateway(plan, clock, silentLog, '0.0.0', { wings: WINGS })
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
