// A request on its way through the chain of an operation, and who sends it.

import type { Question } from '../contract/answer/answers.ts'
import type { Operation } from '../contract/contract.ts'
import type { Reply, Request } from '../kernel/http.ts'
import type { Json } from '../kernel/value/json.ts'
import { type Clock, monotonic } from '../world/clock.ts'
import type { Entry } from '../world/records/types.ts'
import type { World } from '../world/world.ts'

/** Answers a request. A refusal is an answer; a rejection is a bug or an outage. */
export type Handler = (exchange: Exchange) => Promise<Reply>
export type Wrap = (next: Handler) => Handler

/** The reply that a client may choose. */
export interface Choice {
  readonly status?: number
  readonly example?: string
  readonly dynamic?: boolean
  readonly seed?: string
}

/** A request and the place that it reaches. */
export interface Meeting {
  readonly request: Request
  readonly world: World
  readonly operation: Operation
  /** The path under which the API was addressed: `/v1`, or `/v1/~alice` where the world is named there. Default: none. */
  readonly basePath?: string
  /** The values of the expressions of the path template, in its order. Default: none. */
  readonly segments?: readonly string[]
  /** Set where the path could not be decoded. */
  readonly broken?: boolean
  /** The time of this request. Default: the world's clock. */
  readonly clock?: Clock
  /** How many requests of this operation the world has seen, this one included. Default: counted by the world. */
  readonly ordinal?: number | undefined
}

/** Maps each behaviour to the exchange fields that it may write. */
interface Authors {
  readonly exchange: 'injected' | 'notes' | 'warnings'
  readonly gateway: 'admit' | 'drawn' | 'weather'
  readonly rules: 'request' | 'body' | 'nth'
  readonly answers: 'consumer' | 'request'
  readonly expressions: 'nth'
  readonly deprecation: 'consumer'
  readonly capacity: 'queued'
  readonly fault: 'fault'
  readonly prefer: 'choice' | 'request'
  readonly state: 'position'
  readonly authenticate: 'consumer'
  readonly deprecatedInputs: 'deprecatedInputs'
  readonly validate: 'values' | 'body' | 'sent'
  readonly idempotency: 'release'
  readonly conditional: 'precondition'
  readonly respond: 'entry'
}

type WrittenBy<Author extends keyof Authors> = { -readonly [Field in Authors[Author]]: Exchange[Field] }

/** Returns an exchange as its author may write it: `writable(exchange, 'respond').entry = entry`. */
export const writable = <Author extends keyof Authors>(exchange: Exchange, _: Author): WrittenBy<Author> => exchange

/** One request in the chain: the request, its world, and the results of the behaviours so far. */
export class Exchange {
  /** The request. `prefer` removes its own `__code`-style parameters from the query. */
  readonly request: Request
  readonly world: World
  readonly clock: Clock
  readonly operation: Operation
  readonly basePath: string
  readonly segments: readonly string[]
  readonly broken: boolean
  readonly ordinal: number
  /** The consumer's name, once known. */
  readonly consumer: string | undefined = undefined
  /** The parameters' values, in the order of `operation.parameters`, once checked. */
  readonly values: readonly unknown[] = NO_VALUES
  /** The body, once checked. */
  readonly body: Json | undefined = undefined
  /** The same with the fields that are `readOnly`, where the contract has such fields. */
  readonly sent: Json | undefined = undefined
  /** The deprecated parameters and fields that it used, once known. */
  readonly deprecatedInputs: readonly string[] | undefined = undefined
  /** The record that the reply is about, once found. */
  readonly entry: Entry | undefined = undefined
  /** Checks that record before it is returned or written. A reply from it replaces the usual one. */
  readonly precondition: ((entry: Entry | undefined) => Reply | undefined) | undefined = undefined
  /** Called after authentication if the world does not exist yet. */
  readonly admit: (() => void) | undefined = undefined
  /** Called when the reply is sent, or when there will be none. */
  readonly release: (() => void) | undefined = undefined
  /** Whether it waited in the queue of `capacity`. */
  readonly queued: boolean = false
  /** The reply that the client chose, if any. */
  readonly choice: Choice | undefined = undefined
  /** The weather at its arrival, if any. */
  readonly weather: string | undefined = undefined
  /** The kind of the fault that was injected. */
  readonly fault: string | undefined = undefined
  /** Its number among the requests of its method and path in the world, from 1; set once an expression needs it. */
  readonly nth: number | undefined = undefined
  /** The position of its changes in the log of a recorded world; unset if it changed nothing. */
  readonly position: number | undefined = undefined
  /** Every random draw by its purpose, if the client asked for an explanation. */
  readonly drawn: Record<string, number> | undefined = undefined

  /** The time in milliseconds that it was made to wait, by the real clock. Excludes the gateway's own work. */
  readonly injected: number = 0
  /** The things that were done to it on purpose, in words, for the journal. */
  readonly notes: readonly string[] = NO_NOTES
  /** The sentences of `Understudy-Warning`, for a request that is answered but probably contains a mistake. */
  readonly warnings: readonly string[] = NO_NOTES

  constructor(meeting: Meeting) {
    const { request, world, operation, basePath = '', segments = NO_SEGMENTS, broken = false } = meeting
    this.request = request
    this.world = world
    this.clock = meeting.clock ?? world.clock
    this.operation = operation
    this.basePath = basePath
    this.segments = segments
    this.broken = broken
    this.ordinal = meeting.ordinal ?? world.nextOrdinal(operation.id)
  }

  /** Continues in the world that replaced its world. */
  enter(world: World): void {
    if (world === this.world) return
    Object.assign(this, { world, clock: this.clock === this.world.clock ? world.clock : this.clock })
  }

  /** Returns a function that undoes later changes of the exchange, for a part of the chain that runs again. */
  mark(): () => void {
    const { request, values, body, deprecatedInputs, entry, precondition, release, nth, notes, warnings } = this
    const before = { request, values, body, deprecatedInputs, entry, precondition, release, nth, notes, warnings }
    return () => void Object.assign(this, before)
  }

  /** Returns a number in [0, 1), the same for the same request and purpose. */
  draw(purpose: string): number {
    const drawn = this.world.draw(this.operation.id, this.ordinal, purpose)
    if (this.drawn !== undefined) this.drawn[purpose] = drawn
    return drawn
  }

  /** Returns a UUID, the same for the same request and purpose. */
  uuid(purpose: string): string {
    return this.world.drawUuid(this.operation.id, this.ordinal, purpose)
  }

  /** Records a deliberate effect on the request or its reply for the journal. */
  note(text: string): void {
    writable(this, 'exchange').notes = [...this.notes, text]
  }

  /** Adds a sentence to `Understudy-Warning` of any later reply. */
  warn(text: string): void {
    writable(this, 'exchange').warnings = [...this.warnings, text]
  }

  /** Returns this request as a question to the contract. Equal requests give equal questions. */
  question({ status, example, dynamic = false, seed }: Choice = {}): Question {
    const { request, operation, values, segments } = this
    const { accept, host } = request.headers
    // Without a seed, each request for a generated reply gets another one.
    const ordinal = dynamic && seed === undefined ? this.ordinal : 0
    const purpose = `${seed ?? ''} ${segments.join('/')}?${request.query}`
    const parameters = operation.parameters.flatMap(({ name, in: place }, i) =>
      values[i] === undefined ? [] : [{ name, in: place, value: values[i] as Json }],
    )
    return {
      status,
      example,
      dynamic,
      seed: Math.floor(this.world.draw(operation.id, ordinal, purpose) * 2 ** 32),
      given: { parameters, body: this.body },
      accept: Array.isArray(accept) ? accept.join(',') : accept,
      method: request.method,
      path: request.path,
      host: typeof host === 'string' ? host : undefined,
    }
  }

  /** Waits by the world's clock, at most until the client disconnects, and records the time. */
  async wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await this.pause(this.clock.sleep(milliseconds, this.request.signal))
  }

  /** Awaits work that is not the gateway's, and records the time. */
  async pause<Result>(until: Promise<Result>): Promise<Result> {
    const started = monotonic()
    const result = await until
    writable(this, 'exchange').injected += monotonic() - started
    return result
  }
}

const NO_VALUES: readonly unknown[] = []
const NO_NOTES: readonly string[] = []
const NO_SEGMENTS: readonly string[] = []

/** A named caller. */
export interface Consumer {
  readonly name: string
  /** Credentials by the name of the contract's security scheme. */
  readonly credentials: ReadonlyMap<string, string>
  /** Milliseconds since the epoch, by the world's clock. */
  readonly expires: number | undefined
  /** Its scopes, for OAuth schemes. */
  readonly scopes: ReadonlySet<string>
}

/** The reason why no consumer could be identified. */
export type RefusedCaller = 'missing' | 'unknown' | 'expired' | 'unscoped'
export type Identified = Consumer | RefusedCaller
/** The consumer of a request, or the reason why there is none. */
export type Identify = (request: Request, now: number) => Identified
