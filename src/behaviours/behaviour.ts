// The extension point: what a behaviour is, what it may know while it is compiled, and what it may know of a request.

import type { Answers, Question } from '../answer/answers.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { Json } from '../kernel/json.ts'
import type { BrokenRule, Problem } from '../kernel/problem.ts'
import type { Reply } from '../kernel/reply.ts'
import type { Request } from '../kernel/request.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Path } from '../kernel/source.ts'
import { type Clock, monotonic } from '../world/clock.ts'
import type { Entry } from '../world/collection.ts'
import type { World } from '../world/world.ts'
import type { Lifecycle } from './deprecation/lifecycle.ts'
import type { Expressions, Span } from './expressions.ts'
import type { Resource } from './respond/resource.ts'

/** Answers a request. A refusal is an answer; a rejection is a bug or an outage. */
export type Handler = (exchange: Exchange) => Promise<Reply>
export type Wrap = (next: Handler) => Handler

/** One capability that an operation may have. Its closure holds nothing that changes: that is the world's. */
export interface Behaviour<Config> {
  /** Its key in gateway.yaml, and its name in the printed plan. */
  readonly name: string
  /** The shape of that key; it becomes part of gateway.schema.json and of the documentation. Unset: it has no key. */
  readonly schema?: Schema
  /** The behaviour whose key configures this one too, where it has no key. */
  readonly keyOf?: string
  /** The refusals it may answer with, for the documentation. */
  readonly problems?: readonly Problem[]
  /** Whether it dresses every reply of an operation, failures of our own included. It must then touch no state. */
  readonly dresses?: boolean
  /** Whether what one request did, another request meets. */
  readonly remembers?: boolean
  /** @returns `undefined` where the operation has no use for it: it is then not in the chain, and costs nothing */
  compile(config: Config | undefined, site: Site): Wrap | undefined
  /** Whether the weather may overlay it: see `Plan.weather`. */
  readonly weather?: boolean
  /** What the printed plan says of it, where that is more than its name. */
  describe?(config: Config | undefined, site: Site): string | undefined
  /** The dates it gives the operation. */
  lifecycle?(config: Config | undefined): Lifecycle | undefined
}

/** What a behaviour may know at load. */
export interface Site {
  readonly contract: Contract
  readonly operation: Operation
  readonly consumers: readonly Consumer[]
  /** Knows the operation's callers by their credentials. */
  readonly judge: Judge
  readonly resources: ReadonlyMap<string, Resource>
  /** The path templates of the operations that answer with one record of a resource. */
  readonly readers: ReadonlyMap<string, readonly string[]>
  /** Whether the operation reads or changes one record of a resource. */
  readonly onRecord: boolean
  /** What the contract alone has the operation answer. */
  readonly answers: Answers
  /** Refuses an invalid request with the status that the operation documents for one, else with `validate.status`. */
  readonly invalid: Invalid
  /** The largest body in bytes, after decompression. */
  readonly maxBody: number
  /** Where its configuration stands: `defaults`, `tags/books`, `operations/listBooks`. State that it keeps is kept there. */
  readonly scope: string
  /**
   * The same way further in with another end: what stands between is passed, and what the operation usually answers
   * with is not asked. To be called once the chain is known: while it is wrapped.
   */
  detour(end: Handler): Handler
  /** Gives a refusal the body that the client will see. To be called for a request, not at load. */
  dress(exchange: Exchange, reply: Reply): Promise<Reply>
  /** The content of a file below the folder of the configuration; or why it cannot be had, as a sentence. */
  readFile(name: string): Uint8Array | string
  /** Asks for an index on a field of a resource. */
  index(resource: string, field: string): void
  /**
   * Set for the block of a rule, which may answer with a status that the contract does not document: a rule of this
   * operation's own, or of many.
   */
  readonly rule: 'own' | 'shared' | undefined
  /** Whether a fixed reply may have any status, documented or not. */
  readonly anyStatus: boolean
  /** Whether a request may steer the gateway. */
  readonly clientControls: boolean
  /** Compiles conditions and templates. */
  readonly expressions: Expressions
  /** Reports something doubtful; see `error`. */
  warn(code: string, message: string, path?: Path, hint?: string): void
  /** Reports a mistake at a path within the behaviour's own configuration. */
  error(code: string, message: string, path?: Path, hint?: string, part?: 'key' | 'value' | Span): void
}

/** A named caller. */
export interface Consumer {
  readonly name: string
  /** By the name of a security scheme of the contract. */
  readonly credentials: ReadonlyMap<string, string>
  /** Milliseconds since the epoch, by the world's clock. */
  readonly expires: number | undefined
  /** What it may do where a scheme of OAuth asks for scopes. */
  readonly scopes: ReadonlySet<string>
}

/** Why a request's credential is nobody's. */
export type Refused = 'missing' | 'unknown' | 'expired' | 'unscoped'
export type Verdict = Consumer | Refused
/** Who a request comes from, or why nobody can say. */
export type Judge = (request: Request, now: number) => Verdict

/** Refuses a request that breaks these rules, of which there is at least one. */
export type Invalid = (rules: readonly BrokenRule[]) => Reply

/** What a client may choose for itself. */
export interface Choice {
  readonly status?: number
  readonly example?: string
  readonly dynamic?: boolean
  readonly seed?: string
}

/** One request on its way through the chain: what arrived, the world it meets, and what was learnt so far. */
export class Exchange {
  /** What arrived; without what spoke to the stand-in and not to the API, once that is taken out. */
  request: Request
  readonly world: World
  /** The time of this request: the world's clock, unless the client asked for another time. */
  readonly clock: Clock
  readonly operation: Operation
  /** The path under which the API was addressed: `/v1`, or `/v1/~alice` where the world is named there. */
  readonly basePath: string
  /** What stands for the expressions of the path template, in its order. */
  readonly segments: readonly string[]
  /** Whether the path could not be decoded. */
  readonly broken: boolean
  /** How many requests of this operation the world has seen, this one included; or what the client asked for instead. */
  readonly ordinal: number
  /** The consumer's name, once known. */
  consumer: string | undefined = undefined
  /** The parameters' values, in the order of `operation.parameters`, once checked. */
  values: readonly unknown[] = NO_VALUES
  /** The body, once checked. */
  body: Json | undefined = undefined
  /** The deprecated parameters and fields that it made use of, once known. */
  deprecatedInputs: readonly string[] | undefined = undefined
  /** The record that the reply is about, once found. */
  entry: Entry | undefined = undefined
  /** Judges that record before it is given or written; its answer, if any, is the reply. */
  precondition: ((entry: Entry) => Reply | undefined) | undefined = undefined
  /** Called once the request has passed authentication, where its world is not there yet. */
  admit: (() => void) | undefined = undefined
  /** Called when the reply leaves, or there is to be none. */
  release: (() => void) | undefined = undefined
  /** Milliseconds that it was made to wait, by the real clock: no work of the gateway's. */
  injected = 0
  /** Whether it had to stand in line. */
  queued = false
  /** What the client chose to be answered, where it chose. */
  choice: Choice | undefined = undefined
  /** The weather that it came in, if any. */
  weather: string | undefined = undefined
  /** The kind of the fault that struck it. */
  fault: string | undefined = undefined
  /** What else was done to it on purpose, in words: the journal tells. */
  notes: readonly string[] = NO_NOTES
  /** What the reply tells the client in `Understudy-Warning`: the request was answered, and is probably not what was meant. */
  warnings: readonly string[] = NO_NOTES
  /** Which request of its method and path it is in its world, 1 for the first; once an expression has asked. */
  nth: number | undefined = undefined
  /** Every draw by its purpose, where the client asks why. */
  drawn: Record<string, number> | undefined = undefined

  constructor(
    request: Request,
    world: World,
    operation: Operation,
    basePath: string,
    segments: readonly string[],
    broken: boolean,
    clock: Clock = world.clock,
    ordinal = world.nextOrdinal(operation.id),
  ) {
    this.request = request
    this.world = world
    this.clock = clock
    this.operation = operation
    this.basePath = basePath
    this.segments = segments
    this.broken = broken
    this.ordinal = ordinal
  }

  /** A number in [0, 1) that this request always draws for this purpose. */
  draw(purpose: string): number {
    const drawn = this.world.draw(this.operation.id, this.ordinal, purpose)
    if (this.drawn !== undefined) this.drawn[purpose] = drawn
    return drawn
  }

  /** A UUID that this request always draws for this purpose. */
  uuid(purpose: string): string {
    return this.world.drawUuid(this.operation.id, this.ordinal, purpose)
  }

  /** Writes down, for the journal, what is done to the request or its reply on purpose. */
  note(text: string): void {
    this.notes = [...this.notes, text]
  }

  /** Tells the client, whatever the reply will be. */
  warn(text: string): void {
    this.warnings = [...this.warnings, text]
  }

  /** This request, as a question to the contract alone: equal requests are equal questions. */
  question({ status, example, dynamic = false, seed }: Choice = {}): Question {
    const { request, operation, values, segments } = this
    const { accept, host } = request.headers
    // Whoever asks for something made up, and names no seed, gets something else each time.
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

  /** Waits by the world's clock, until the client goes away at most, and keeps account of it. */
  async wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await this.pause(this.clock.sleep(milliseconds, this.request.signal))
  }

  /** Waits for what is none of the gateway's work, and keeps account of the time. */
  async pause<Result>(until: Promise<Result>): Promise<Result> {
    const started = monotonic()
    const result = await until
    this.injected += monotonic() - started
    return result
  }
}

const NO_VALUES: readonly unknown[] = []
const NO_NOTES: readonly string[] = []
