// A request on its way through the chain of an operation.

import type { Question } from '../contract/answer/answers.ts'
import type { Operation } from '../contract/contract.ts'
import type { Scope } from '../expression/scope.ts'
import type { Reply, Request } from '../kernel/http.ts'
import type { Json } from '../kernel/json.ts'
import { traceOf } from '../kernel/trace.ts'
import type { Clock } from '../world/clock.ts'
import { monotonic } from '../world/real-time.ts'
import type { Collection } from '../world/records/collection.ts'
import type { Entry, Step } from '../world/records/types.ts'
import type { World } from '../world/world.ts'
import type { Slot } from './slot.ts'

/** Answers a request. A refusal is an answer; a rejection is a bug or an outage. */
export type Handler = (exchange: Exchange) => Promise<Reply>
export type Wrap = (next: Handler) => Handler

/** The reply that a client may choose. */
export interface Choice {
  readonly status?: number | undefined
  readonly example?: string | undefined
  readonly dynamic?: boolean | undefined
  readonly seed?: string | undefined
  /** The length of generated lists. */
  readonly items?: number | undefined
  /** The time between the items of a stream, as it is written: `10ms`. */
  readonly gap?: string | undefined
}

/** The records of a collection, as requests read and write them. */
export type StoredRecords = Pick<Collection, 'list' | 'read' | 'create' | 'replace' | 'remove' | 'put'>

/** The records of another server under those of a world, for one request. */
export interface RecordOverlay {
  /** Returns the records of a resource; `undefined` if they are the world's only. */
  over(resource: string, exchange: Exchange): StoredRecords | undefined
}

/** The rest of the step in which a request writes its record. */
export interface Effects {
  /** Returns the step that the write of a record becomes a part of. @param removed the record, if the write removes it */
  step(exchange: Exchange, removed?: Entry): Step
  /** Does the effects of several written records. Returns the refusal if one is not possible, and none happens. */
  doAll(exchange: Exchange, parts: readonly Exchange[]): Reply | undefined
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
  /** The path without the name of a world. Default: that of the request. */
  readonly path?: string
  /** The states of the observers of the gateway, by the observer. Default: none. */
  readonly states?: ReadonlyMap<unknown, unknown>
}

/**
 * One request in the chain: the request, its world, and the results of the behaviours so far. Each field that may be written has
 * one author or a few, which `test/house/behaviours.test.ts` names.
 */
export class Exchange {
  /** The request. `prefer` removes its own `__code`-style parameters from the query. */
  request: Request
  world: World
  clock: Clock
  readonly operation: Operation
  readonly basePath: string
  /** As sent, without the name of a world. */
  readonly path: string
  readonly segments: readonly string[]
  readonly broken: boolean
  readonly ordinal: number
  readonly #states: ReadonlyMap<unknown, unknown> | undefined
  /** The values of wings, by their slots. */
  #slots: Map<Slot<unknown>, unknown> | undefined
  /** The consumer's name, once known. */
  consumer: string | undefined
  /** The parameters' values, in the order of `operation.parameters`, once checked. */
  values: readonly unknown[] = NO_VALUES
  /** The body, once checked. */
  body: Json | undefined
  /** The bytes of the body, once read. */
  bytes: Uint8Array | undefined
  /** The same with the fields that are `readOnly`, where the contract has such fields. */
  sent: Json | undefined
  /** The deprecated parameters and fields that it used, once known. */
  deprecatedInputs: readonly string[] | undefined
  /** The record that the reply is about, once found. */
  entry: Entry | undefined
  /** Set if the write of its record has effects on others. */
  effects: Effects | undefined
  /** Checks that record before it is returned or written. A reply from it replaces the usual one. */
  precondition: ((entry: Entry | undefined) => Reply | undefined) | undefined
  /** Called after authentication if the world does not exist yet. */
  admit: (() => void) | undefined
  /** Called when the reply is sent, or when there will be none. */
  release: (() => void) | undefined
  /** Whether it waited in the queue of `capacity`. */
  queued = false
  /** Set where some records are those of another server until the world changes them. */
  overlay: RecordOverlay | undefined
  /** Whether it is on its way to another server, and may come again for the stand-in. */
  passing = false
  /** The refusal of an invalid request that is answered nevertheless. */
  refusal: Reply | undefined
  /** A reply that the chain did not make, while it is decorated. */
  bare: Reply | undefined
  /** The reply that the client chose, if any. */
  choice: Choice | undefined
  /** The weather at its arrival, if any. */
  weather: string | undefined
  /** The kind of the fault that was injected. */
  fault: string | undefined
  /** The scope of its expressions, set where there are some. */
  scope: Scope | undefined
  /** Its number among the requests of its method and path in the world, from 1; set once an expression needs it. */
  nth: number | undefined
  /**
   * Its number among the requests to the operation in the world that are let in, from 1. Set where a condition of the operation
   * needs it, for a request that is let in.
   */
  accepted: number | undefined
  /** The position of its changes in the log of a recorded world; unset if it changed nothing. */
  position: number | undefined
  /** Every random draw by its purpose, if the client asked for an explanation. */
  drawn: Record<string, number> | undefined

  /** The time in milliseconds that it was made to wait, by the real clock. Excludes the gateway's own work. */
  injected = 0
  /** The time in milliseconds for which another server was waited for, by the real clock. */
  awaited = 0
  /** The things that were done to it on purpose, in words, for the journal. */
  notes: readonly string[] = NO_NOTES
  /** The conditions that could not be evaluated, with their places, and why; for the log. */
  failures: readonly (readonly [condition: string, reason: string])[] = NO_FAILURES
  /** Set for a body that no rule could read, so that no further one tries. */
  unreadable = false
  /** The sentences of `Understudy-Warning`, for a request that is answered but probably contains a mistake. */
  warnings: readonly string[] = NO_NOTES

  constructor(meeting: Meeting) {
    const { request, world, operation, basePath = '', segments = NO_SEGMENTS, broken = false } = meeting
    this.request = request
    this.world = world
    this.clock = meeting.clock ?? world.clock
    this.operation = operation
    this.basePath = basePath
    this.segments = segments
    this.path = meeting.path ?? request.path
    this.#states = meeting.states
    this.broken = broken
    this.ordinal = meeting.ordinal ?? world.nextOrdinal(operation.id)
  }

  /** Returns the value that a wing has put into its slot. */
  get<Value>(slot: Slot<Value>): Value | undefined {
    return this.#slots?.get(slot) as Value | undefined
  }

  set<Value>(slot: Slot<Value>, value: Value): void {
    this.#slots ??= new Map()
    this.#slots.set(slot, value)
  }

  /** Returns the state of an observer of the gateway; `undefined` where it has none. */
  state<State>(observer: { open(host: never): State }): State | undefined {
    return this.#states?.get(observer) as State | undefined
  }

  /** The id of its trace, from a valid `traceparent`. */
  get trace(): string | undefined {
    return traceOf(this.request.headers)
  }

  /** Its name as the cause of changes: `POST /v1/books`. */
  get text(): string {
    return `${this.request.method} ${this.request.path}`
  }

  /** The caller, by its name if it has one. */
  get caller(): string {
    return this.consumer === undefined ? `address ${this.request.address}` : `consumer ${this.consumer}`
  }

  /** Returns the records of a resource, which must exist. */
  records(resource: string): StoredRecords {
    return this.overlay?.over(resource, this) ?? (this.world.collections.get(resource) as Collection)
  }

  /** Continues in the world that replaced its world. */
  enter(world: World): void {
    if (this.clock === this.world.clock) this.clock = world.clock
    this.world = world
  }

  /** Returns a function that undoes later changes of the exchange, for a part of the chain that runs again. */
  mark(): () => void {
    const before = { ...this }
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

  /** Notes a deliberate effect on the request or its reply for the journal. */
  note(text: string): void {
    this.notes = [...this.notes, text]
  }

  /** Adds a sentence to `Understudy-Warning` of any later reply. */
  warn(text: string): void {
    // A rule reads the parameters before they are validated.
    if (!this.warnings.includes(text)) this.warnings = [...this.warnings, text]
  }

  /** The values of its parameters, once checked. */
  get parameters() {
    return this.operation.parameters.flatMap(({ name, in: place }, i) =>
      this.values[i] === undefined ? [] : [{ name, in: place, value: this.values[i] as Json }],
    )
  }

  /** Returns this request as a question to the contract. Equal requests give equal questions. */
  question({ status, example, dynamic = false, seed, items }: Choice = {}): Question {
    const { request, operation, segments } = this
    const { accept, host } = request.headers
    // Without a seed, each request for a generated reply gets another one.
    const ordinal = dynamic && seed === undefined ? this.ordinal : 0
    const purpose = `${seed ?? ''} ${segments.join('/')}?${request.query}`
    return {
      status,
      example,
      dynamic,
      items,
      seed: Math.floor(this.world.draw(operation.id, ordinal, purpose) * 2 ** 32),
      given: { parameters: this.parameters, body: this.body },
      accept: accept?.toString(),
      method: request.method,
      path: request.path,
      host: host?.toString(),
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
    this.injected += monotonic() - started
    return result
  }
}

const NO_VALUES: readonly unknown[] = []
const NO_NOTES: readonly string[] = []
const NO_FAILURES: Exchange['failures'] = []
const NO_SEGMENTS: readonly string[] = []
