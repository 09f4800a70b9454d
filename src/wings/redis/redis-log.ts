// The engine that replicas share: a log in Redis 6.2 or newer, or Valkey. One script appends if the log still ends where the
// writer read it, another one answers in one step where it ends and what the reader lacks.

import { randomUUID } from 'node:crypto'
import type { Append, Engine, News, Position, SharedRequests } from '../../state/engines/engine.ts'
import { Unavailable } from '../../state/errors.ts'
import type { Surroundings } from '../../state/surroundings.ts'
import { ConnectionLost, type Lane, RedisConnection } from './redis-connection.ts'
import { SCRIPTS, type Script } from './redis-scripts.ts'
import { parseRedisUrl, type RedisAddress, type RedisSettings } from './settings.ts'

/** Entries that stay behind a snapshot, for readers that are a little behind. */
const KEPT_ENTRIES = 1000
/** The minimum size for a compaction in bytes of entries, and as a multiple of the last snapshot. */
const [WORTH_BYTES, WORTH_FACTOR] = [2 ** 20, 2]
/** Entries of more bytes may take seconds on a slow network: they take the connection for large replies. */
const LARGE = 4 * 2 ** 20

/** A place in the log, with the token of the append that it follows. */
interface MarkedPosition extends Position {
  readonly mark: string
}

export class RedisLog implements Engine {
  readonly name: string
  readonly lossNote = 'has lost the state (was it flushed?); the state of this process is written to it'
  readonly requests: RedisRequests
  readonly #around: Surroundings
  readonly #connection: RedisConnection
  readonly #keys: readonly string[]
  /** Names this process in the log. */
  readonly #self = randomUUID().slice(0, 8)
  #appends = 0
  /** Bytes of the entries after the last snapshot, and of that. */
  #bytes = 0
  #snapshotBytes = 0
  /** Between 1 and 2: replicas do not all compact at the same moment. */
  readonly #patience = 1 + Number.parseInt(this.#self.slice(0, 4), 16) / 2 ** 16
  #checked = false
  /** Whether others have appended since the last question. */
  #othersWrite = false

  constructor({ url, prefix }: RedisSettings, around: Surroundings) {
    // The URL was checked at load.
    const address = parseRedisUrl(url) as RedisAddress
    const keys = (...names: string[]) => names.map(name => `{${prefix}}:${name}`)
    this.#around = around
    this.#keys = keys('head', 'entries', 'snapshot')
    const all = [...this.#keys, ...keys('requests', 'members')]
    const probes = [
      // Does nothing, but is refused by a server that refuses writes.
      ['DEL', ...keys('none')],
      ['EVAL', SCRIPTS.check.text, String(all.length), ...all],
    ]
    this.#connection = new RedisConnection(address, probes, around)
    this.requests = new RedisRequests(this.#connection, keys, around)
    this.name = this.#connection.name
  }

  get worthCompacting(): boolean {
    return this.#bytes > this.#patience * Math.max(WORTH_BYTES, WORTH_FACTOR * this.#snapshotBytes)
  }

  async open(): Promise<News> {
    await this.#connection.open()
    if (!this.#checked) {
      this.#checked = true
      for (const problem of await durabilityOf(this.#connection)) {
        this.#around.warn(`${this.name} ${problem}`)
      }
    }
    return this.#readWhole()
  }

  async #readWhole(): Promise<News> {
    const reply = (await this.#run(SCRIPTS.open, [randomUUID()], 'bulk')) as [
      ...[log: string, at: number, mark: string, snapshot: string | null, entries: string[]],
      ...[bytes: string, snapshotBytes: string, deleted: number],
    ]
    const [log, at, mark, snapshot, entries, bytes, snapshotBytes, deleted] = reply
    if (deleted > 0) {
      this.#around.warn(`${this.name} ${LOSSES.damaged}; the remains were deleted, and a new state begins`)
    }
    await this.requests.claim()
    this.#count(bytes, snapshotBytes)
    const position: MarkedPosition = { log, at, mark }
    return { anew: { snapshot: snapshot ?? undefined }, entries: entries.map(withoutToken), position }
  }

  async since(after: Position): Promise<News> {
    // A plain command costs the server a tenth of a script. Where others write, it would be one more.
    if (!this.#othersWrite) {
      const [log, at, mark] = (await this.#send(['HMGET', this.#keys[0] as string, 'log', 'at', 'mark'])) as string[]
      const [ownLog, ownAt, ownMark] = positionTexts(after)
      if (log === ownLog && at === ownAt && mark === ownMark) return { anew: undefined, entries: [], position: after }
    }
    const news = await this.#newsOf(after, await this.#askSince(after, 'questions'))
    this.#othersWrite = news.entries.length > 0
    return news
  }

  /** The reply is `large` where it does not suit the connection. */
  #askSince(after: Position, lane: Lane): Promise<unknown> {
    return this.#run(SCRIPTS.since, [...positionTexts(after), mostOf(lane)], lane)
  }

  async append(after: Position, entries: readonly string[]): Promise<Append> {
    this.#appends += 1
    const token = `${this.#self}.${this.#appends}`
    const texts = entries.map(entry => `${token} ${entry}`)
    const size = texts.reduce((sum, text) => sum + text.length, 0)
    const lane = size > LARGE ? 'bulk' : 'questions'
    const args = [...positionTexts(after), mostOf(lane), token, ...texts]
    const reply = await this.#run(SCRIPTS.append, args, lane)
    const [outcome] = reply as [string]
    if (outcome !== 'appended') return { missed: await this.#newsOf(after, reply) }
    const [, at, bytes, snapshotBytes] = reply as [string, number, number | string, string]
    this.#count(bytes, snapshotBytes)
    const appended: MarkedPosition = { log: after.log, at, mark: token }
    return { appended }
  }

  async compact(at: Position, snapshot: string): Promise<void> {
    const args = [...positionTexts(at), String(this.#bytes), String(KEPT_ENTRIES), snapshot]
    // Not again before the next reply has the size to compact.
    this.#bytes = 0
    await this.#run(SCRIPTS.compact, args, 'bulk')
  }

  onAvailability(listener: (reason: string | undefined) => void): void {
    this.#connection.onAvailability(listener)
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  async #newsOf(after: Position, reply: unknown): Promise<News> {
    const [kind] = reply as [string]
    if (kind === 'large') return this.#newsOf(after, await this.#askSince(after, 'bulk'))
    if (kind === 'news') {
      const [, at, mark, entries, bytes, snapshotBytes] = reply as [string, number, string, string[], string, string]
      this.#count(bytes, snapshotBytes)
      const position: MarkedPosition = { log: after.log, at, mark }
      return { anew: undefined, entries: entries.map(withoutToken), position }
    }
    const [, why] = reply as [string, keyof typeof LOSSES]
    const news = await this.#readWhole()
    // A log without a snapshot was just begun: the caller reports that, and writes its own state to it.
    const loss = news.anew?.snapshot === undefined ? undefined : LOSSES[why]
    if (loss !== undefined) {
      const fields = { had: after.at, has: news.position.at }
      this.#around.warn(`${this.name} ${loss}; this process takes over what it has now`, fields)
    }
    return news
  }

  #count(bytes: number | string, snapshotBytes: number | string): void {
    this.#bytes = Number(bytes)
    this.#snapshotBytes = Number(snapshotBytes)
  }

  /** Runs a script by its name, and sends its text where the server does not know it. */
  async #run(script: Script, args: readonly string[], lane: Lane = 'questions'): Promise<unknown> {
    const rest = [String(this.#keys.length), ...this.#keys, ...args]
    // Large arguments would be sent twice.
    if (lane === 'bulk') return this.#send(['EVAL', script.text, ...rest], lane)
    try {
      return await this.#send(['EVALSHA', script.sha, ...rest], lane)
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error
      return this.#send(['EVAL', script.text, ...rest], lane)
    }
  }

  /** Sends a command, once more on a new connection where one breaks. */
  async #send(args: readonly string[], lane?: Lane): Promise<unknown> {
    for (let lost = 0; ; lost++) {
      try {
        return await this.#connection.send(args, lane)
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error
        if (lost > 0) throw new Unavailable(`${this.name} closes its connections`)
      }
    }
  }
}

/** The length of all questions up to which the system takes a write as a whole: the server gets it even if the sender dies. */
const ONE_WRITE = 15_000
/** The expiry of requests in seconds, and the interval at which it is renewed in milliseconds. */
const [EXPIRY, RENEW] = [86_400, 600_000]

/** The requests of all processes in Redis: one list, a count of those that were dropped, and a number for each process. */
class RedisRequests implements SharedRequests {
  readonly #connection: RedisConnection
  readonly #around: Surroundings
  readonly #list: string
  readonly #dropped: string
  readonly #members: string
  #member = -1
  #renewed = 0
  /** Resolves when the server has what was added last, or is away. Never rejects. */
  #adding: Promise<void> = Promise.resolve()
  /** Requests that the server may not have, because it was away. */
  #again: readonly string[] = []

  /** @param keys makes keys of names */
  constructor(connection: RedisConnection, keys: (...names: string[]) => string[], around: Surroundings) {
    const [list = '', dropped = '', members = ''] = keys('requests', 'dropped', 'members')
    this.#connection = connection
    this.#around = around
    this.#list = list
    this.#dropped = dropped
    this.#members = members
    connection.onAvailability(reason => {
      if (reason === undefined && this.#again.length > 0) this.#add([], this.#again.length).catch(() => {})
    })
  }

  get member(): number {
    return Math.max(0, this.#member)
  }

  /** Claims a number for this process; keeps the one that it has. */
  async claim(): Promise<void> {
    const args = ['EVAL', SCRIPTS.claim.text, '1', this.#members, `${this.#member}`]
    this.#member = (await this.#connection.send(args)) as number
  }

  add(requests: readonly string[], most: number): Promise<void> {
    const confirmed = this.#add(requests, most)
    this.#adding = confirmed
    // The client library writes them in the next turn of the event loop, with the question that follows.
    return this.#connection.unanswered > ONE_WRITE ? confirmed : Promise.race([confirmed, this.#around.breathe()])
  }

  async #add(requests: readonly string[], most: number): Promise<void> {
    const all = [...this.#again, ...requests].slice(-most)
    this.#again = []
    try {
      const kept = (await this.#connection.send(['RPUSH', this.#list, ...all])) as number
      const keys = ['2', this.#list, this.#dropped]
      // Not at each push: a trim costs as much.
      if (kept > 1.2 * most) await this.#connection.send(['EVAL', SCRIPTS.trim.text, ...keys, `${most}`])
      const now = this.#around.now()
      if (now - this.#renewed < RENEW) return
      this.#renewed = now
      for (const key of [this.#list, this.#dropped]) await this.#connection.send(['EXPIRE', key, `${EXPIRY}`])
    } catch {
      this.#again = [...this.#again, ...all].slice(-most)
    }
  }

  async read(): Promise<{ readonly requests: readonly string[]; readonly dropped: number }> {
    // The list is read over another connection.
    await this.#adding
    const requests = (await this.#connection.send(['LRANGE', this.#list, '0', '-1'], 'bulk')) as string[]
    return { requests, dropped: Number((await this.#connection.send(['GET', this.#dropped])) ?? 0) }
  }

  async clear(): Promise<void> {
    this.#again = []
    await this.#connection.send(['DEL', this.#list, this.#dropped])
  }
}

/** Returns warnings about how a server keeps its data; none if it does not show its settings. */
async function durabilityOf(connection: RedisConnection): Promise<readonly string[]> {
  const settings = await Promise.all(
    ['appendonly', 'save', 'maxmemory-policy', 'maxmemory'].map(name => settingOf(connection, name)),
  )
  const [appendonly, save, policy, maxmemory] = settings
  const problems: string[] = []
  if (appendonly === 'no' && save === '') {
    problems.push('does not write to disk, so a restart loses all state; set appendonly yes, or save')
  }
  if (policy?.startsWith('allkeys') === true && maxmemory !== '0') {
    problems.push(`may evict the state (maxmemory-policy is ${policy}; set noeviction, or a volatile policy)`)
  }
  return problems
}

/** A setting of the server; `undefined` if the server does not show it, as many hosted ones. */
async function settingOf(connection: RedisConnection, name: string): Promise<string | undefined> {
  try {
    const reply = await connection.send(['CONFIG', 'GET', name])
    // A map in RESP3, a list in RESP2.
    if (Array.isArray(reply)) return reply[1] as string | undefined
    return (reply as Readonly<Record<string, string>>)[name]
  } catch {
    return undefined
  }
}

/** The reasons for a new beginning of a log that lost entries. */
const LOSSES: { readonly [why: string]: string } = {
  log: 'has lost its state, and another process gave it its own (was the database flushed?)',
  shorter: 'has lost the last changes (a failover?)',
  other: 'has lost the last changes (a failover?)',
  damaged: 'has lost a part of the state (does it evict keys?)',
}

/** The most bytes of entries that a reply on a connection may have, as an argument of a script. */
const mostOf = (lane: Lane): string => (lane === 'bulk' ? '1e15' : String(LARGE))

const withoutToken = (entry: string): string => entry.slice(entry.indexOf(' ') + 1)

/** The arguments that name a position. Without its token one that no entry has, so that the reader starts over. */
const positionTexts = (position: Position): string[] => [
  position.log,
  String(position.at),
  (position as Partial<MarkedPosition>).mark ?? '?',
]
