// Notes that processes leave in Redis beside their log: one list that all share, and a number for each process.

import type { RedisConnection } from './redis-connection.ts'
import type { EngineSurroundings } from './settings.ts'

/** The length of all questions up to which the system takes a write as a whole: the server gets it even if the sender dies. */
const ONE_WRITE = 15_000
/** The expiry of notes in seconds, and the interval at which it is renewed in milliseconds. */
const [EXPIRY, RENEW] = [86_400, 600_000]

/**
 * Returns the number of a process, counted from 0. Arguments: the number it has, or -1. A server may have lost the count.
 */
const CLAIM = `
local mine, given = tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]) or '0')
if mine < 0 then mine = given end
if mine >= given then redis.call('SET', KEYS[1], mine + 1) end
return mine
`

export class RedisNotes {
  readonly #connection: RedisConnection
  readonly #around: EngineSurroundings
  readonly #list: string
  readonly #members: string
  #member = -1
  #renewed = 0
  /** Notes that the server may not have, because it was away. */
  #again: readonly string[] = []

  /** @param key makes a key of a name */
  constructor(connection: RedisConnection, key: (name: string) => string, around: EngineSurroundings) {
    this.#connection = connection
    this.#around = around
    this.#list = key('notes')
    this.#members = key('members')
    connection.onAvailability(reason => {
      if (reason === undefined && this.#again.length > 0) void this.#leave(this.#again, this.#again.length)
    })
  }

  /** The number of this process; 0 before it was claimed. */
  get member(): number {
    return Math.max(0, this.#member)
  }

  /** Claims a number for this process; keeps the one that it has. */
  async claim(): Promise<void> {
    this.#member = (await this.#connection.send(['EVAL', CLAIM, '1', this.#members, `${this.#member}`])) as number
  }

  /** Resolves once the system has the notes: the server then gets them even if this process dies. Never rejects. */
  leave(note: string, most: number): Promise<void> {
    const confirmed = this.#leave([...this.#again, note], most)
    // The client library writes the note in the next turn of this kind, with the question that follows.
    return this.#connection.unanswered > ONE_WRITE ? confirmed : Promise.race([confirmed, this.#around.breathe()])
  }

  async #leave(notes: readonly string[], most: number): Promise<void> {
    this.#again = []
    try {
      await this.#push(notes, most)
    } catch {
      this.#again = [...this.#again, ...notes].slice(-most)
    }
  }

  async #push(notes: readonly string[], most: number): Promise<void> {
    const kept = (await this.#connection.send(['RPUSH', this.#list, ...notes])) as number
    // Not at each push: a trim costs as much.
    if (kept > 1.2 * most) await this.#connection.send(['LTRIM', this.#list, `${-most}`, '-1'])
    const now = this.#around.now()
    if (now - this.#renewed < RENEW) return
    this.#renewed = now
    await this.#connection.send(['EXPIRE', this.#list, `${EXPIRY}`])
  }

  async read(): Promise<readonly string[]> {
    return (await this.#connection.send(['LRANGE', this.#list, '0', '-1'], 'bulk')) as string[]
  }
}
