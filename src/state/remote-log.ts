// A log that another process of this machine holds: workers read and append to the log of their primary over a channel. The
// position of its end is in a file, so that a worker that lacks no entries needs no query.

import { type Append, type Engine, type News, type Position, Unavailable } from './engine.ts'
import type { LogEnd, NoteFiles } from './shared-files.ts'

/** A channel between two processes: messages arrive whole and in order. Lines have no line feed. */
export interface Channel {
  send(head: object, lines: readonly string[]): void
  listen(handler: (head: object, lines: readonly string[]) => void): void
}

/** The calls that cross the channel. */
type LogMethod = 'open' | 'since' | 'reserve' | 'append' | 'compact' | 'ask' | 'notes'

/** From a reader to the log: a call, with entries as its lines, or the answer to a question. */
type Called =
  | { readonly log: 'call'; readonly id: number; readonly method: LogMethod; readonly args: readonly unknown[] }
  | { readonly log: 'answer'; readonly id: number; readonly text: string }
/** From the log to a reader. The lines of a result are the entries of its news. */
type LogMessage =
  | { readonly log: 'result'; readonly id: number; readonly value: unknown; readonly worthCompacting: boolean }
  | { readonly log: 'failure'; readonly id: number; readonly message: string; readonly away: boolean }
  | { readonly log: 'question'; readonly id: number; readonly text: string }
  | { readonly log: 'availability'; readonly reason: string | null }

/** Lets the other end of a channel read and append to the log of `engine`. Returns a function that ends this. */
export function serveLog(engine: Engine, channel: Channel): () => void {
  let questions = 0
  const asked = new Map<number, (text: string) => void>()
  const tell = (message: LogMessage, lines: readonly string[] = []) => channel.send(message, lines)
  engine.answer(
    text =>
      new Promise(resolve => {
        questions += 1
        asked.set(questions, resolve)
        tell({ log: 'question', id: questions, text })
      }),
  )
  engine.onAvailability(reason => tell({ log: 'availability', reason: reason ?? null }))
  channel.listen(async (head, lines) => {
    const called = head as Called
    if (called.log === 'answer') {
      asked.get(called.id)?.(called.text)
      asked.delete(called.id)
      return
    }
    const { id, method, args } = called
    try {
      const result = await call(engine, method, args, lines)
      const { worthCompacting } = engine
      const { value, entries } = withoutEntries(
        method === 'open' ? { ...(result as News), member: engine.member } : result,
      )
      tell({ log: 'result', id, value, worthCompacting }, entries)
    } catch (error) {
      tell({ log: 'failure', id, message: (error as Error).message, away: error instanceof Unavailable })
    }
  })
  return () => {
    // A question to a process that is gone has no answer.
    for (const resolve of asked.values()) resolve('')
    void engine.close()
  }
}

function call(engine: Engine, method: LogMethod, args: readonly unknown[], lines: readonly string[]): unknown {
  if (method === 'append') return engine.append(args[0] as Position, lines)
  return (engine[method] as (...args: readonly unknown[]) => unknown)(...args)
}

/** Takes the entries out of news: they travel as lines. */
function withoutEntries(value: unknown): { readonly value: unknown; readonly entries: readonly string[] } {
  if (typeof value !== 'object' || value === null) return { value, entries: [] }
  if ('missed' in value) {
    const { value: missed, entries } = withoutEntries(value.missed)
    return { value: { missed }, entries }
  }
  if (!('entries' in value)) return { value, entries: [] }
  const { entries, ...others } = value as News
  return { value: others, entries: [...entries] }
}

/** The log at the other end of a channel. */
export class RemoteLog implements Engine {
  readonly name = 'the primary process'
  readonly exclusive = false
  worthCompacting = false
  member = 0
  readonly #channel: Channel
  readonly #end: LogEnd
  readonly #notes: NoteFiles
  #calls = 0
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown, lines: readonly string[]) => void; reject: (error: Error) => void }
  >()
  readonly #listeners: ((reason: string | undefined) => void)[] = []
  #handler: ((question: string) => Promise<string>) | undefined

  constructor(channel: Channel, end: LogEnd, notes: NoteFiles) {
    this.#channel = channel
    this.#end = end
    this.#notes = notes
    channel.listen((head, lines) => this.#hear(head as LogMessage, lines))
  }

  #hear(told: LogMessage, lines: readonly string[]): void {
    switch (told.log) {
      case 'result': {
        this.worthCompacting = told.worthCompacting
        this.#waiting.get(told.id)?.resolve(told.value, lines)
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
      case 'question': {
        const answer = (text: string) => this.#channel.send({ log: 'answer', id: told.id, text } satisfies Called, [])
        void this.#handler?.(told.text).then(answer, () => answer(''))
        return
      }
      default:
        told satisfies never
    }
  }

  #call<Result>(
    method: LogMethod,
    args: readonly unknown[],
    read: (value: never, lines: readonly string[]) => Result,
    lines: readonly string[] = [],
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#calls += 1
      this.#waiting.set(this.#calls, { resolve: (value, lines) => resolve(read(value as never, lines)), reject })
      this.#channel.send({ log: 'call', id: this.#calls, method, args } satisfies Called, lines)
    })
  }

  open(): Promise<News> {
    return this.#call('open', [], ({ member, ...news }: News & { readonly member: number }, entries) => {
      this.member = member
      return withEntries(news, entries)
    })
  }

  endsAt({ at }: Position): boolean {
    return this.#end.is(at)
  }

  since(after: Position): Promise<News> {
    return this.#call('since', [after], withEntries)
  }

  reserve(after: Position): Promise<News> {
    return this.#call('reserve', [after], withEntries)
  }

  append(after: Position, entries: readonly string[]): Promise<Append> {
    const read = (told: Append, lines: readonly string[]): Append =>
      'missed' in told ? { missed: withEntries(told.missed, lines) } : told
    return this.#call('append', [after], read, entries)
  }

  compact(at: Position, snapshot: string): Promise<void> {
    return this.#call('compact', [at, snapshot], () => {})
  }

  leave(note: string, most: number): undefined {
    this.#notes.add(note, most)
  }

  notes(): Promise<readonly string[]> {
    return this.#call('notes', [], (notes: readonly string[]) => notes)
  }

  ask(question: string): Promise<readonly string[]> {
    return this.#call('ask', [question], (answers: readonly string[]) => answers)
  }

  answer(handler: (question: string) => Promise<string>): void {
    this.#handler = handler
  }

  onAvailability(listener: (reason: string | undefined) => void): void {
    this.#listeners.push(listener)
  }

  async close(): Promise<void> {}
}

const withEntries = (news: Omit<News, 'entries'>, entries: readonly string[]): News => ({ ...news, entries })
