// A gateway without a socket: a configuration written inline, requests as values, a clock that stands still.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Gateway } from '../../src/gateway/gateway.ts'
import { silentLog } from '../../src/gateway/log.ts'
import { Metrics } from '../../src/gateway/metrics/metrics.ts'
import { formatDiagnostics } from '../../src/kernel/diagnostic.ts'
import type { Request } from '../../src/kernel/request.ts'
import { type Loaded, loadInferred, loadPlan } from '../../src/load/load.ts'
import type { Clock } from '../../src/world/clock.ts'

/** Writes files into a directory of their own and loads the first of them. */
export function loadFiles(files: Readonly<Record<string, string>>): Loaded {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
    return loadPlan(Object.keys(files)[0] as string, home, {})
  } finally {
    rmSync(home, { recursive: true })
  }
}

export class FixedClock implements Clock {
  time: number
  constructor(time = '2026-06-01T00:00:00Z') {
    this.time = Date.parse(time)
  }
  now = () => this.time
  sleep = async (milliseconds: number) => {
    this.time += milliseconds
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

/** Loads a configuration, which must be right, and sends requests such as `GET /books?limit=2`. */
export function inProcess(files: Readonly<Record<string, string>>, clock = new FixedClock()): InProcess {
  return driving(loadFiles(files), clock)
}

/** The same for a bare document, with the state that is inferred from it. */
export async function inferredInProcess(document: object, clock = new FixedClock()): Promise<InProcess> {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  try {
    writeFileSync(join(home, 'openapi.json'), JSON.stringify(document))
    return driving(await loadInferred('openapi.json', home, {}), clock)
  } finally {
    rmSync(home, { recursive: true })
  }
}

function driving({ plan, report }: Loaded, clock: FixedClock): InProcess {
  if (plan === undefined) throw new Error(formatDiagnostics(report.list))
  const gateway = new Gateway(plan, clock, silentLog, records => new Metrics('0.0.0', records))
  return {
    gateway,
    clock,
    send: sendTo(gateway),
  }
}

/** Returns a function that sends requests to a gateway: `send('POST /things?a=1', body)`. */
export const sendTo =
  (gateway: Gateway): InProcess['send'] =>
  async (line, body, headers = {}, raw = undefined) => {
    const [method = 'GET', target = '/'] = line.split(' ')
    const [path = '', query = ''] = target.split('?')
    const bytes = raw ?? (body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)))
    const request: Request = {
      method,
      path,
      query,
      address: '127.0.0.1',
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      hasBody: bytes.length > 0,
      readBody: async () => ({ bytes }),
    }
    const reply = await gateway.handle(request)
    const text = typeof reply.body === 'string' ? reply.body : ''
    const json = /[/+]json(?:;|$)/.test(reply.headers['content-type'] ?? '')
    return { status: reply.status, headers: reply.headers, body: json && text !== '' ? JSON.parse(text) : text }
  }
