// The engine that replicas share: a log in Redis 6.2 or newer, or Valkey. One script appends if the log still ends where the
// writer read it, another one answers in one step where it ends and what the reader lacks.

import { createHash, randomUUID } from 'node:crypto'
import { type Append, type Engine, type News, type Position, Unavailable } from './engine.ts'
import { parseRedisUrl } from './redis-address.ts'
import { RedisAsking } from './redis-asking.ts'
import type { Lane } from './redis-clients.ts'
import { ConnectionLost, RedisConnection } from './redis-connection.ts'
import { durabilityOf } from './redis-durability.ts'
import { RedisNotes } from './redis-notes.ts'
import { SCRIPTS, type Script } from './redis-scripts.ts'
import type { EngineSurroundings, RedisSettings } from './settings.ts'

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

/** Returns the log of a prefix, without connecting. */
export async function connectRedis(settings: RedisSettings, around: EngineSurroundings): Promise<Engine> {
  return new RedisLog(settings, around)
}

export class RedisLog implements Engine {
  readonly name: string
  readonly exclusive = false
  readonly #around: EngineSurroundings
  readonly #connection: RedisConnection
  readonly #asking: RedisAsking
  readonly #notes: RedisNotes
  readonly #keys: readonly string[]
  /** Names this process in the log. */
  readonly #self = randomUUID().slice(0, 8)
  #appends = 0
  /** Bytes of the entries after the last snapshot, and of that. */
  #bytes = 0
  #snapshotBytes = 0
  /** Between 1 and 2: replicas do not all compact at the same moment. */
  readonly #patience: number
  #checked = false
  /** Whether others have appended since the last question. */
  #isBusy = false

  constructor({ url, prefix }: RedisSettings, around: EngineSurroundings) {
    const address = parseRedisUrl(url)
    if (address === undefined) {
      throw new Error(
        'the URL of the state must be redis://[user:password@]host[:port][/database], or rediss:// for TLS',
      )
    }
    const key = (name: string) => `{${prefix}}:${name}`
    this.#around = around
    this.#keys = [key('head'), key('entries'), key('snapshot')]
    const all = [...this.#keys, key('notes'), key('members')]
    const probes = [
      // Does nothing, but is refused by a server that refuses writes.
      ['DEL', key('none')],
      ['EVAL', SCRIPTS.check.text, String(all.length), ...all],
    ]
    this.#connection = new RedisConnection(address, probes, around)
    // Channels have no database.
    this.#asking = new RedisAsking(this.#connection, `${key('questions')}:${address.database}`, this.#self, around)
    this.#notes = new RedisNotes(this.#connection, key, around)
    this.#patience = 1 + Number.parseInt(createHash('sha1').update(this.#self).digest('hex').slice(0, 4), 16) / 2 ** 16
    this.name = this.#connection.name
  }

  get worthCompacting(): boolean {
    return this.#bytes > this.#patience * Math.max(WORTH_BYTES, WORTH_FACTOR * this.#snapshotBytes)
  }

  get member(): number {
    return this.#notes.member
  }

  async open(): Promise<News> {
    await this.#connection.open()
    if (!this.#checked) {
      this.#checked = true
      for (const problem of await durabilityOf(args => this.#connection.send(args))) {
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
    await this.#notes.claim()
    this.#count(bytes, snapshotBytes)
    const position: MarkedPosition = { log, at, mark }
    return { anew: { snapshot: snapshot ?? undefined }, entries: entries.map(withoutToken), position }
  }

  async since(after: Position): Promise<News> {
    // A plain command costs the server a tenth of a script. Where others write it would be one more.
    if (!this.#isBusy) {
      const fields = ['log', 'at', 'mark', 'bytes']
      const [log, at, mark, bytes] = (await this.#send(['HMGET', this.#keys[0] as string, ...fields])) as string[]
      if (log === after.log && at === String(after.at) && mark === markOf(after)) {
        return { anew: undefined, entries: [], position: after }
      }
      this.#bytes = Number(bytes ?? 0)
    }
    const news = await this.#newsOf(after, await this.#askSince(after, laneOf(this.#bytes)))
    this.#isBusy = news.entries.length > 0
    return news
  }

  /** The reply is `large` where it does not suit the connection. */
  #askSince(after: Position, lane: Lane): Promise<unknown> {
    return this.#run(SCRIPTS.since, [after.log, String(after.at), markOf(after), mostOf(lane)], lane)
  }

  async append(after: Position, entries: readonly string[]): Promise<Append> {
    this.#appends += 1
    const token = `${this.#self}.${this.#appends}`
    const texts = entries.map(entry => `${token} ${entry}`)
    const size = texts.reduce((sum, text) => sum + text.length, 0)
    const lane = laneOf(Math.max(size, this.#bytes))
    const args = [after.log, String(after.at), markOf(after), mostOf(lane), token, ...texts]
    const reply = await this.#run(SCRIPTS.append, args, lane)
    const [outcome] = reply as [string]
    if (outcome !== 'appended') return { missed: await this.#newsOf(after, reply) }
    const [, at, bytes, snapshotBytes] = reply as [string, number, number | string, string]
    this.#count(bytes, snapshotBytes)
    const appended: MarkedPosition = { log: after.log, at, mark: token }
    return { appended }
  }

  async compact(at: Position, snapshot: string): Promise<void> {
    const { log } = at
    const args = [log, String(at.at), markOf(at), String(this.#bytes), String(KEPT_ENTRIES), snapshot]
    // Not again before the next reply has the size to compact.
    this.#bytes = 0
    await this.#run(SCRIPTS.compact, args, 'bulk')
  }

  leave(note: string, most: number): Promise<void> {
    return this.#notes.leave(note, most)
  }

  notes(): Promise<readonly string[]> {
    return this.#notes.read()
  }

  ask(question: string): Promise<readonly string[]> {
    return this.#asking.ask(question)
  }

  answer(handler: (question: string) => Promise<string>): void {
    this.#asking.answer(handler)
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

/** The reasons for a new beginning of a log that lost entries. */
const LOSSES: { readonly [why: string]: string } = {
  log: 'has lost its state, and another process gave it its own (was the database flushed?)',
  shorter: 'has lost the last changes (a failover?)',
  other: 'has lost the last changes (a failover?)',
  damaged: 'has lost a part of the state (does it evict keys?)',
}

/** The connection for entries of this many bytes. */
const laneOf = (bytes: number): Lane => (bytes > LARGE ? 'bulk' : 'questions')

/** The most bytes of entries that a reply on a connection may have, as an argument of a script. */
const mostOf = (lane: Lane): string => (lane === 'bulk' ? '1e15' : String(LARGE))

const withoutToken = (entry: string): string => entry.slice(entry.indexOf(' ') + 1)

/** The token at a position; if unknown, one that no entry has, so that the reader starts over. */
const markOf = (position: Position): string => (position as Partial<MarkedPosition>).mark ?? '?'
