// Receivers without a socket: a network whose connections are in the process, and whose names are those that a test gives.

import { Duplex } from 'node:stream'
import { webhooksObserver } from '../../../src/wings/webhooks/observe.ts'
import { type Ask, gatewayOf, load, requestOf } from '../../support/in-process.ts'
import { settle, VirtualClock } from '../../virtual-clock.ts'

/** A request as a receiver got it. */
export interface Got {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The address that was connected to. */
  readonly address: string
}

/** Returns the status of a reply, a whole reply, or nothing: the receiver never answers. */
export type Answer = (got: Got, n: number) => number | string | undefined

const headOf = (status: number): string => `HTTP/1.1 ${status} Any\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`

class Connection extends Duplex {
  #text = ''
  #isAnswered = false
  readonly #receive: (text: string) => string | undefined | 'more'

  constructor(receive: (text: string) => string | undefined | 'more') {
    super()
    this.#receive = receive
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#text += chunk.toString()
    const reply = this.#isAnswered ? undefined : this.#receive(this.#text)
    this.#isAnswered ||= reply !== 'more'
    if (reply !== 'more' && reply !== undefined) this.push(reply)
    done()
  }
}

/** A network in the process. `names` are the addresses of hosts; without an address, a host is unknown. */
export class Receivers {
  readonly got: Got[] = []
  readonly connected: string[] = []
  readonly resolved: string[] = []
  answer: Answer = () => 204
  readonly names: Record<string, readonly string[]> = { localhost: ['127.0.0.1'] }

  resolve = async (host: string): Promise<readonly string[]> => {
    this.resolved.push(host)
    return this.names[host] ?? (/^[\d.]+$|:/.test(host) ? [host] : [])
  }

  connect = ({ host, port }: { readonly host: string; readonly port: number }): Duplex => {
    this.connected.push(`${host}:${port}`)
    return new Connection(text => {
      const [head = '', body] = text.split('\r\n\r\n')
      const [line = '', ...fields] = head.split('\r\n')
      const headers = Object.fromEntries(
        fields.map(field => [field.split(': ', 1)[0]?.toLowerCase(), field.slice(field.indexOf(': ') + 2)]),
      )
      if (body === undefined || Buffer.byteLength(body) < Number(headers['content-length'])) return 'more'
      const [method = '', path] = line.split(' ')
      const got = { method, url: `http://${headers.host}${path}`, headers, body, address: host }
      this.got.push(got)
      const reply = this.answer(got, this.got.length)
      return typeof reply === 'number' ? headOf(reply) : reply
    })
  }

  get bodies(): unknown[] {
    return this.got.map(({ body }) => JSON.parse(body))
  }
}

/** A gateway of a configuration whose deliveries arrive at receivers of the test, by a clock that it moves. */
export function delivering(yaml: string) {
  const clock = new VirtualClock()
  const gateway = gatewayOf(load(yaml), clock)
  const receivers = new Receivers()
  const webhooks = gateway.observed(webhooksObserver)
  webhooks.depot.network = receivers
  const { worlds } = gateway
  return {
    gateway,
    clock,
    receivers,
    webhooks,
    world: worlds.default,
    ask: (what: string, options: Ask = {}) => gateway.handle(requestOf(what, options)),
    /** Resolves when everything that is due has been sent. */
    rest: () => gateway.settle(worlds.default.name),
    settle,
  }
}
