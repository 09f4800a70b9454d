// The connections to a Redis server, made again when they break. The client library neither queues nor reconnects here:
// while the server is away, calls fail at once.

import { createClient, SocketTimeoutError } from '@redis/client'
import { Unavailable } from '../../state/errors.ts'
import type { Surroundings } from '../../state/surroundings.ts'
import type { RedisAddress } from './settings.ts'

/** How often waiting calls are looked after, in milliseconds: limits are counted in these ticks. */
const TICK = 250
/** Ticks that a connection may take, and that a question may wait for its reply. */
const PATIENCE = 8
/** Ticks between two attempts to connect. */
const BETWEEN_ATTEMPTS = 2

/** Replies of a server that cannot be used for now, though it answers. */
const AWAY =
  /^(?:FOREIGN|LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|NOAUTH|WRONGPASS|ERR (?:invalid password|AUTH))/
/** Replies of a server that refuses writes for now: out of memory, cannot save, too few replicas. */
const REFUSED = /^(?:OOM|MISCONF|NOREPLICAS)/

/** Replies of a script that found contents of another program. A new connection checks the keys, and says which. */
const UNREADABLE = /^WRONGTYPE|user_script:.*(?:WRONGTYPE|attempt to )/

/** Milliseconds without a byte in either direction after which a connection for large replies is closed. */
const SILENCE = 10_000
/** The interval of questions that keep such a connection from being silent while it is not used, in milliseconds. */
const BETWEEN_SIGNS = 2500

type Client = ReturnType<typeof createClient>

/** The connections to a server. A reply over `bulk` may take as long as it needs, while it goes on. */
interface RedisClients {
  readonly questions: Client
  readonly bulk: Client
}

/** The connection that a command takes. The reply to one over `bulk` may take seconds. */
export type Lane = keyof RedisClients

/** A call that waits for its reply, for at most so many ticks. */
interface Limited {
  ticks: number
  expire(): void
}

/** The connection broke before the reply: the call may have been executed. */
export class ConnectionLost extends Error {}

export class RedisConnection {
  readonly name: string
  readonly #address: RedisAddress
  readonly #around: Surroundings
  /** Commands that fail on a server that is not to be used: a replica, another node of the cluster, one with other keys. */
  readonly #probes: readonly (readonly string[])[]
  /** The node of a cluster that has the keys, once another one named it. */
  #moved: { readonly host: string; readonly port: number } | undefined
  #link: RedisClients | undefined
  #connecting: Promise<RedisClients> | undefined
  #down: string | undefined
  #idle = 0
  /** The length of all commands that wait for their reply. */
  unanswered = 0
  #stop: (() => void) | undefined
  readonly #limited = new Set<Limited>()
  readonly #listeners: ((reason: string | undefined) => void)[] = []

  constructor(address: RedisAddress, probes: readonly (readonly string[])[], around: Surroundings) {
    this.#address = address
    this.#probes = probes
    this.#around = around
    const { host, port, database } = address
    // Without its credentials.
    this.name = `redis ${host.includes(':') ? `[${host}]` : host}:${port}${database === 0 ? '' : `/${database}`}`
  }

  onAvailability(listener: (reason: string | undefined) => void): void {
    this.#listeners.push(listener)
  }

  /** Connects, and keeps connecting. Rejects with `Unavailable` where the server cannot be used now. */
  async open(): Promise<void> {
    this.#stop ??= this.#around.every(TICK, () => this.#tick())
    await this.#ready(true)
  }

  /** Sends a command. Rejects with `ConnectionLost` or `Unavailable`. */
  async send(args: readonly string[], lane: Lane = 'questions'): Promise<unknown> {
    const link = this.#link ?? (await this.#ready(false))
    const reply = link[lane].sendCommand(args as string[])
    const length = args.reduce((sum, arg) => sum + arg.length, 0)
    this.unanswered += length
    try {
      // A large reply takes as long as the network does: its connection is closed where it is silent.
      return await (lane === 'bulk' ? reply : this.#limit(reply, link))
    } catch (error) {
      throw this.#failed(error, link)
    } finally {
      this.unanswered -= length
    }
  }

  close(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#down ??= 'this process is stopping'
    this.#drop(this.#link)
  }

  /** @param insist also while the server is known to be away */
  #ready(insist: boolean): Promise<RedisClients> {
    if (this.#link !== undefined) return Promise.resolve(this.#link)
    if (this.#down !== undefined && !insist) return Promise.reject(new Unavailable(this.#down))
    return this.#connect()
  }

  #connect(): Promise<RedisClients> {
    this.#connecting ??= this.#attempt().finally(() => {
      this.#connecting = undefined
      this.#idle = 0
    })
    return this.#connecting
  }

  async #attempt(): Promise<RedisClients> {
    const link = makeClients({ ...this.#address, ...this.#moved })
    try {
      await this.#limit(this.#begin(link), link)
      if (this.#stop === undefined) throw new ConnectionLost()
      this.#link = link
      this.#become(undefined)
      for (const client of clientsOf(link)) {
        const end = (cause?: unknown) =>
          cause instanceof SocketTimeoutError ? this.#give(link, this.#silence) : this.#lose(link)
        for (const event of ['error', 'terminated', 'end']) client.once(event, end)
      }
      return link
    } catch (error) {
      this.#drop(link)
      const [, host, port] = /^MOVED \d+ (.*):(\d+)/.exec((error as Error).message) ?? []
      if (port !== undefined && this.#moved === undefined) {
        // An empty host is that of the queried node.
        this.#moved = { host: host || this.#address.host, port: Number(port) }
        return this.#attempt()
      }
      this.#moved = undefined
      this.#become(this.#reasonOf(error))
      throw new Unavailable(this.#down)
    }
  }

  async #begin(link: RedisClients): Promise<void> {
    await Promise.all(clientsOf(link).map(client => client.connect()))
    for (const probe of this.#probes) await link.questions.sendCommand(probe as string[])
  }

  /**
   * Waits for a reply for a limited time; then closes the connection, and all its calls fail. One timer looks after all
   * calls and counts ticks, so that a process that was busy itself does not take the server for slow.
   */
  #limit<Reply>(reply: Promise<Reply>, link: RedisClients): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const expire = () => {
        this.#give(link, this.#silence)
        reject(new Unavailable(this.#silence))
      }
      const limited: Limited = { ticks: PATIENCE, expire }
      this.#limited.add(limited)
      reply.then(resolve, reject).finally(() => this.#limited.delete(limited))
    })
  }

  get #silence(): string {
    return `${this.name} does not answer`
  }

  #tick(): void {
    for (const limited of [...this.#limited]) {
      limited.ticks -= 1
      if (limited.ticks > 0) continue
      this.#limited.delete(limited)
      limited.expire()
    }
    this.#idle += 1
    if (this.#link === undefined && this.#connecting === undefined && this.#idle >= BETWEEN_ATTEMPTS) {
      this.#connect().catch(() => {})
    }
  }

  /** Turns the error of a command into that of a call. */
  #failed(error: unknown, link: RedisClients): Error {
    if (error instanceof Unavailable) return error
    const { message } = error as Error
    if (REFUSED.test(message)) return new Unavailable(`${this.name} refuses to write: ${this.#masked(message)}`)
    if (AWAY.test(message)) {
      const reason = this.#reasonOf(error)
      this.#give(link, reason)
      return new Unavailable(reason)
    }
    const isUsable = !UNREADABLE.test(message) && link === this.#link && clientsOf(link).every(({ isReady }) => isReady)
    if (isUsable && !/^(?:MOVED|ASK) /.test(message)) return error as Error
    this.#lose(link)
    return new ConnectionLost()
  }

  /** The server cannot be used: calls fail at once until an attempt to connect succeeds. */
  #give(link: RedisClients, reason: string): void {
    if (link === this.#link) {
      this.#link = undefined
      this.#become(reason)
    }
    this.#drop(link)
  }

  /** The connection broke. Calls wait for the one attempt that begins now. */
  #lose(link: RedisClients): void {
    if (link !== this.#link) return
    this.#link = undefined
    this.#drop(link)
    if (this.#stop !== undefined) this.#connect().catch(() => {})
  }

  #drop(link: RedisClients | undefined): void {
    for (const client of link === undefined ? [] : clientsOf(link)) client.destroy()
  }

  #become(reason: string | undefined): void {
    if (this.#down === reason) return
    this.#down = reason
    for (const listener of this.#listeners) listener(reason)
  }

  #reasonOf(error: unknown): string {
    if (error instanceof Unavailable) return error.message
    const { code, message } = error as NodeJS.ErrnoException
    return `${this.name} cannot be used: ${this.#masked(code ?? message)}`
  }

  #masked(text: string): string {
    const { password } = this.#address
    return password === undefined ? text : text.replaceAll(password, '***')
  }
}

const clientsOf = ({ questions, bulk }: RedisClients): readonly Client[] => [questions, bulk]

function makeClients({ host, port, tls, database, username, password }: RedisAddress): RedisClients {
  const socket = { host, port, connectTimeout: TICK * PATIENCE, reconnectStrategy: false as const, ...(tls && { tls }) }
  const questions: Client = createClient({
    socket,
    database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    name: 'understudy',
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    // A timer for each command costs more than the command: `RedisConnection` shares one.
    commandOptions: { timeout: 0 },
  })
  // The library takes 25 ms to make a client with other options than the last one's, and none for a duplicate.
  const bulk = questions.duplicate({ socket: { ...socket, socketTimeout: SILENCE }, pingInterval: BETWEEN_SIGNS })
  // Every error ends the connection, or is that of a call.
  for (const client of [questions, bulk]) client.on('error', () => {})
  return { questions, bulk }
}
