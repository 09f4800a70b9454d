// The client of the control plane: one function that sends a call. Adds the token, asks for it on 401, turns problems
// (RFC 9457) into `ControlError` and a lost connection into `Unreachable`.

import { signal } from '@preact/signals'
import { markConnected, markLost } from './connection.ts'
import { askForToken, authorization, currentToken } from './token.ts'

/** A call that the control plane refused. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly status: number
  /** Stable: `invalid_request`. */
  readonly code: string
  /** The whole problem, with members such as `diagnostics`. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    super(String(problem.detail ?? problem.title ?? `the control plane answered ${status}`))
    this.status = status
    this.code = String(problem.code ?? '')
    this.problem = problem
  }
}

/** A call that did not reach the control plane. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  constructor() {
    super('the control plane does not answer')
  }
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON; a text is sent as it is, under `type`. */
  readonly body?: unknown
  /** The media type of a text. Default: application/yaml. */
  readonly type?: string
  readonly accept?: string
  readonly signal?: AbortSignal
  /** A call that repeats by itself shows no progress. */
  readonly quiet?: boolean
}

/** How many calls are under way that somebody waits for. */
export const underWay = signal(0)

/** Sends a call and returns the JSON of its reply; `undefined` for a reply without a body. */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const reply = await send(method, path, options)
  const text = await reply.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Sends a call and returns the text of its reply. */
export const callForText = async (method: string, path: string, options: CallOptions = {}): Promise<string> =>
  (await send(method, path, options)).text()

/** Sends a call and returns the reply, which is a success. `path` is encoded by the caller: see `pathOf`. */
export async function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { body, type = 'application/yaml', accept = 'application/json', signal: abort, quiet = false } = options
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const contentType = typeof body === 'string' ? type : 'application/json'
  if (!quiet) underWay.value += 1
  try {
    for (;;) {
      const token = currentToken()
      const headers = { accept, ...(text === undefined ? {} : { 'content-type': contentType }), ...authorization() }
      const reply = await reach(path + queryOf(options.query), {
        method,
        headers,
        body: text ?? null,
        signal: abort ?? null,
      })
      if (reply.status === 401) {
        const { detail } = await problemOf(reply)
        if (token === currentToken()) await askForToken(token === '' ? undefined : String(detail))
      } else if (reply.ok) return reply
      else throw new ControlError(reply.status, await problemOf(reply))
    }
  } finally {
    if (!quiet) underWay.value -= 1
  }
}

/** Fills in and encodes the variables of a path: pathOf`/worlds/${name}`. */
export const pathOf = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  parts.reduce((path, part, i) => path + encodeURIComponent(String(values[i - 1])) + part)

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(url, { ...init, cache: 'no-store', credentials: 'omit' })
    markConnected()
    return reply
  } catch (error) {
    if (init.signal?.aborted) throw error
    markLost()
    throw new Unreachable()
  }
}

function queryOf(query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

async function problemOf(reply: Response): Promise<Readonly<Record<string, unknown>>> {
  const text = await reply.text()
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return { detail: text || `the control plane answered ${reply.status}` }
  }
}
