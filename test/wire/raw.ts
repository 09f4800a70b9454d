// A client that sends given bytes and parses replies by RFC 9112. `fetch` and `node:http` would correct malformed requests,
// which must reach the server unchanged.

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'

export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One connection. */
export class Raw {
  readonly socket: Socket
  #unread: Buffer = Buffer.alloc(0)
  #ended = false
  #wake: (() => void) | undefined

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.socket = connect(Number(port), hostname)
    this.socket.setNoDelay(true)
    this.socket.on('data', chunk => {
      this.#unread = Buffer.concat([this.#unread, chunk])
      this.#wake?.()
    })
    // A reset ends the reply like any other end.
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.#ended = true
      this.#wake?.()
    })
    this.socket.on('end', () => {
      this.#ended = true
      this.#wake?.()
    })
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes)
    return this
  }

  /** The next reply, interim ones (1xx) included; `undefined` if the connection ends before one begins. */
  async reply({ head = false } = {}): Promise<RawReply | undefined> {
    let end = this.#unread.indexOf('\r\n\r\n')
    while (end === -1) {
      if (!(await this.#more())) {
        assert.equal(this.#unread.length, 0, `the connection ended in the middle of a reply: ${this.#unread}`)
        return undefined
      }
      end = this.#unread.indexOf('\r\n\r\n')
    }
    const [first = '', ...lines] = this.#unread.subarray(0, end).toString('latin1').split('\r\n')
    this.#unread = this.#unread.subarray(end + 4)
    const [, code] = /^HTTP\/1\.1 (\d{3}) /.exec(first) ?? assert.fail(`not a status line: ${first}`)
    const headers: Record<string, string> = Object.create(null)
    for (const line of lines) {
      const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+): *(.*)$/.exec(line) ?? assert.fail(`no field: ${line}`)
      const key = name.toLowerCase()
      headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
    }
    const status = Number(code)
    const bodiless = head || status < 200 || status === 204 || status === 304
    return { status, headers, body: bodiless ? '' : await this.#body(headers) }
  }

  /** Every reply until the server closes the connection. */
  async replies(): Promise<RawReply[]> {
    const all: RawReply[] = []
    for (let next = await this.reply(); next !== undefined; next = await this.reply()) all.push(next)
    return all
  }

  /** Resolves when the server has closed the connection. Later bytes are dropped. */
  async closed(): Promise<void> {
    while (await this.#more());
    this.socket.destroy()
  }

  close(): void {
    this.socket.destroy()
  }

  async #body(headers: Readonly<Record<string, string>>): Promise<string> {
    assert.ok(
      !('content-length' in headers && 'transfer-encoding' in headers),
      'a reply states its length once (RFC 9112 §6.2)',
    )
    if (headers['transfer-encoding'] === 'chunked') return this.#chunks()
    if (headers['content-length'] === undefined) {
      while (await this.#more());
      return this.#take(this.#unread.length)
    }
    const length = Number(headers['content-length'])
    while (this.#unread.length < length) assert.ok(await this.#more(), 'the connection ended in the middle of a body')
    return this.#take(length)
  }

  async #chunks(): Promise<string> {
    let body = ''
    for (;;) {
      while (!this.#unread.includes('\r\n')) assert.ok(await this.#more(), 'the connection ended before a chunk')
      const line = this.#take(this.#unread.indexOf('\r\n') + 2)
      const size = Number.parseInt(line, 16)
      while (this.#unread.length < size + 2) assert.ok(await this.#more(), 'the connection ended in a chunk')
      body += this.#take(size)
      this.#take(2)
      if (size === 0) return body
    }
  }

  #take(length: number): string {
    const text = this.#unread.subarray(0, length).toString('utf8')
    this.#unread = this.#unread.subarray(length)
    return text
  }

  /** Waits for more bytes; `false` at the end. */
  async #more(): Promise<boolean> {
    if (this.#ended) return false
    const before = this.#unread.length
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
    return this.#unread.length > before || !this.#ended
  }
}

export interface Said {
  readonly reply: RawReply
  /** The interim replies before it. */
  readonly interim: readonly RawReply[]
  /** Whether the connection served another request, as it must unless the reply closes it. */
  readonly kept: boolean
}

/**
 * Sends bytes on a new connection. Checks that the next request is served: on another connection, and on the same one unless
 * the reply closes it.
 *
 * @param next a request that is answered with 200
 */
export async function say(
  url: string,
  bytes: string | Uint8Array,
  next: string,
  options?: { head?: boolean },
): Promise<Said> {
  const raw = new Raw(url).send(bytes)
  const interim: RawReply[] = []
  try {
    let reply = await raw.reply(options)
    while (reply !== undefined && reply.status < 200) {
      interim.push(reply)
      reply = await raw.reply(options)
    }
    assert.ok(reply !== undefined, 'the connection was closed without a reply')
    const kept = reply.headers.connection !== 'close'
    if (kept) assert.equal((await raw.send(next).reply())?.status, 200, 'the next request on the same connection')
    else await raw.closed()
    const fresh = new Raw(url).send(next)
    assert.equal((await fresh.reply())?.status, 200, 'the next request on a fresh connection')
    fresh.close()
    return { reply, interim, kept }
  } finally {
    raw.close()
  }
}

/** Checks that a refusal is the Error object of the interface document. Returns its message. */
export function assertRefusal(reply: RawReply, status: number, code?: string): string {
  assert.equal(reply.status, status, `${reply.status} ${reply.body}`)
  assert.equal(reply.headers['content-type'], 'application/json')
  const error = JSON.parse(reply.body) as Record<string, unknown>
  assert.deepEqual(Object.keys(error), ['code', 'message', 'status'])
  assert.equal(error.status, status)
  assert.equal(typeof error.message, 'string')
  if (code !== undefined) assert.equal(error.code, code)
  return error.message as string
}
