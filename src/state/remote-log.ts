// A log that another process of this machine holds: workers read and append to the log of their primary over a channel.

import { type Append, type Engine, type News, type Position, Unavailable } from './engine.ts'

/** A channel between two processes: messages arrive whole and in order. */
export interface Channel {
  send(message: object): void
  listen(handler: (message: object) => void): void
}

/** The calls that cross the channel. */
type LogMethod = 'open' | 'since' | 'append' | 'compact' | 'ask' | 'close'

/** From a reader to the log: a call, or the answer to a question. */
type Called =
  | { readonly log: 'call'; readonly id: number; readonly method: LogMethod; readonly args: readonly unknown[] }
  | { readonly log: 'answer'; readonly id: number; readonly text: string }
/** From the log to a reader. */
type LogMessage =
  | { readonly log: 'result'; readonly id: number; readonly value: unknown; readonly worthCompacting: boolean }
  | { readonly log: 'failure'; readonly id: number; readonly message: string; readonly away: boolean }
  | { readonly log: 'question'; readonly id: number; readonly text: string }
  | { readonly log: 'availability'; readonly reason: string | null }

/** Lets the other end of a channel read and append to a log, as which `engine` stands; returns what ends it. */
export function serveLog(engine: Engine, channel: Channel): () => void {
  let questions = 0
  const asked = new Map<number, (text: string) => void>()
  engine.answer(
    text =>
      new Promise(resolve => {
        questions += 1
        asked.set(questions, resolve)
        channel.send({ log: 'question', id: questions, text } satisfies LogMessage)
      }),
  )
  engine.onAvailability(reason => channel.send({ log: 'availability', reason: reason ?? null } satisfies LogMessage))
  channel.listen(async message => {
    const called = message as Called
    if (called.log === 'answer') {
      asked.get(called.id)?.(called.text)
      asked.delete(called.id)
    } else if (called.log === 'call') {
      const { id, method, args } = called
      try {
        const value = await (engine[method] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
        channel.send({ log: 'result', id, value, worthCompacting: engine.worthCompacting } satisfies LogMessage)
      } catch (error) {
        const away = error instanceof Unavailable
        channel.send({ log: 'failure', id, message: (error as Error).message, away } satisfies LogMessage)
      }
    }
  })
  return () => {
    // A question to a process that is gone has no answer.
    for (const resolve of asked.values()) resolve('')
    void engine.close()
  }
}

/** The log at the other end of a channel. */
export class RemoteLog implements Engine {
  readonly name = 'the primary process'
  readonly exclusive = false
  worthCompacting = false
  readonly #channel: Channel
  #calls = 0
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  readonly #listeners: ((reason: string | undefined) => void)[] = []
  #handler: ((question: string) => Promise<string>) | undefined

  constructor(channel: Channel) {
    this.#channel = channel
    channel.listen(message => this.#hear(message as LogMessage))
  }

  #hear(told: LogMessage): void {
    switch (told.log) {
      case 'result': {
        this.worthCompacting = told.worthCompacting
        this.#waiting.get(told.id)?.resolve(told.value as never)
        this.#waiting.delete(told.id)
        return
      }
      case 'failure': {
        const error = told.away ? new Unavailable(told.message) : new Error(told.message)
        this.#waiting.get(told.id)?.reject(error)
        this.#waiting.delete(told.id)
        return
      }
      case 'availability':
        for (const listener of this.#listeners) listener(told.reason ?? undefined)
        return
      case 'question':
        void this.#handler?.(told.text).then(
          text => this.#channel.send({ log: 'answer', id: told.id, text } satisfies Called),
          () => this.#channel.send({ log: 'answer', id: told.id, text: '' } satisfies Called),
        )
    }
  }

  #call<Result>(method: LogMethod, ...args: readonly unknown[]): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#calls += 1
      this.#waiting.set(this.#calls, { resolve, reject })
      this.#channel.send({ log: 'call', id: this.#calls, method, args } satisfies Called)
    })
  }

  open(): Promise<News> {
    return this.#call('open')
  }

  since(after: Position): Promise<News> {
    return this.#call('since', after)
  }

  append(after: Position, entries: readonly string[]): Promise<Append> {
    return this.#call('append', after, entries)
  }

  compact(at: Position, snapshot: string): Promise<void> {
    return this.#call('compact', at, snapshot)
  }

  ask(question: string): Promise<readonly string[]> {
    return this.#call('ask', question)
  }

  answer(handler: (question: string) => Promise<string>): void {
    this.#handler = handler
  }

  onAvailability(listener: (reason: string | undefined) => void): void {
    this.#listeners.push(listener)
  }

  async close(): Promise<void> {}
}
