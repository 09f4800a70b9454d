// Questions from one replica to all others, over the channels of a Redis server.

import type { RedisConnection } from './redis-connection.ts'
import type { EngineSurroundings } from './settings.ts'

/** How long an asker waits for replicas that do not answer, in milliseconds. */
const WAIT = 1000

interface OpenQuestion {
  readonly answers: string[]
  /** The number of expected answers; unknown until the server reports the number of receivers. */
  missing: number
  done(): void
}

type Message = { readonly id: number; readonly from: string; readonly text: string }

export class RedisAsking {
  readonly #connection: RedisConnection
  readonly #around: EngineSurroundings
  readonly #channel: string
  readonly #self: string
  #questions = 0
  readonly #asked = new Map<number, OpenQuestion>()
  #handler: ((question: string) => Promise<string>) | undefined

  /** @param self names this replica among those that share the channel */
  constructor(connection: RedisConnection, channel: string, self: string, around: EngineSurroundings) {
    this.#connection = connection
    this.#channel = channel
    this.#self = self
    this.#around = around
    connection.subscribe(channel, message => void this.#hear(JSON.parse(message) as Message))
    connection.subscribe(this.#answersTo(self), message => this.#take(JSON.parse(message) as Message))
  }

  #answersTo(replica: string): string {
    return `${this.#channel}:${replica}`
  }

  answer(handler: (question: string) => Promise<string>): void {
    this.#handler = handler
  }

  /** Resolves with the answers of all other replicas, or with those that arrived within a second. */
  async ask(text: string): Promise<readonly string[]> {
    this.#questions += 1
    const id = this.#questions
    let done = () => {}
    const all = new Promise<void>(resolve => {
      done = resolve
    })
    const asked: OpenQuestion = { answers: [], missing: Number.POSITIVE_INFINITY, done }
    this.#asked.set(id, asked)
    try {
      const heard = await this.#publish(this.#channel, { id, from: this.#self, text })
      // This replica receives its own message.
      asked.missing = heard - 1 - asked.answers.length
      if (asked.missing > 0) {
        const waited = new AbortController()
        await Promise.race([all, this.#around.sleep(WAIT, waited.signal)])
        waited.abort()
      }
      return asked.answers
    } finally {
      this.#asked.delete(id)
    }
  }

  async #hear({ id, from, text }: Message): Promise<void> {
    if (from === this.#self || this.#handler === undefined) return
    try {
      const answer = await this.#handler(text)
      await this.#publish(this.#answersTo(from), { id, from: this.#self, text: answer })
    } catch {
      // The asker waits for no more than a second.
    }
  }

  #take({ id, text }: Message): void {
    const asked = this.#asked.get(id)
    if (asked === undefined) return
    asked.answers.push(text)
    asked.missing -= 1
    if (asked.missing <= 0) asked.done()
  }

  async #publish(channel: string, message: Message): Promise<number> {
    return (await this.#connection.send(['PUBLISH', channel, JSON.stringify(message)])) as number
  }
}
