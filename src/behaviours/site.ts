// The place in the configuration that a behaviour is compiled for, and what is known there at load.

import type { Answers } from '../contract/answer/answers.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { TextSpan } from '../expression/template.ts'
import type { Path } from '../kernel/file/source.ts'
import type { BrokenRule, Reply } from '../kernel/http.ts'
import type { Consumer, Exchange, Handler, Identify } from './exchange.ts'
import type { Expressions } from './expressions.ts'
import type { Resource } from './resource.ts'

/** Refuses a request that breaks these rules, of which there is at least one. */
export type Invalid = (rules: readonly BrokenRule[]) => Reply

/** The context in which a behaviour is compiled. */
export interface Site {
  readonly contract: Contract
  readonly operation: Operation
  readonly consumers: readonly Consumer[]
  /** Identifies the operation's callers by their credentials. */
  readonly identify: Identify
  readonly resources: ReadonlyMap<string, Resource>
  /** The path templates of the operations that answer with one record of a resource. */
  readonly readers: ReadonlyMap<string, readonly string[]>
  /** Whether the operation reads or changes one record of a resource. */
  readonly onRecord: boolean
  /** Answers from the contract only. */
  readonly answers: Answers
  /** Refuses an invalid request with the status that the operation documents for one, else with `validate.status`. */
  readonly invalid: Invalid
  /** The largest body in bytes, after decompression. */
  readonly maxBody: number
  /** The path of its configuration: `defaults`, `tags/books`, `operations/listBooks`. Its state is kept under this name. */
  readonly scope: string
  /**
   * Returns the rest of the chain with another responder: the behaviours in between run, the usual responder does not. Call
   * it in `wrap`, when the chain is known.
   */
  bypass(end: Handler): Handler
  /** Gives a refusal its body. Call it for a request, not at load. */
  decorate(exchange: Exchange, reply: Reply): Promise<Reply>
  /** Returns the content of a file below the folder of the configuration, or a sentence that says why it cannot be read. */
  readFile(name: string): Uint8Array | string
  /** Requests an index on a field of a resource. */
  index(resource: string, field: string): void
  /**
   * Set for the block of a rule of this operation or of many. A rule may answer with a status that the contract does not
   * document.
   */
  readonly rule: 'own' | 'shared' | undefined
  /** Whether a fixed reply may have any status, documented or not. */
  readonly anyStatus: boolean
  /** Whether changes of worlds are recorded: see `World.turns`. */
  readonly recorded: boolean
  /** Whether a request may steer the gateway. */
  readonly clientControls: boolean
  /** Compiles conditions and templates. */
  readonly expressions: Expressions
  /** Reports something doubtful; see `error`. */
  warn(code: string, message: string, path?: Path, hint?: string): void
  /** Reports a mistake at a path within the behaviour's own configuration. */
  error(code: string, message: string, path?: Path, hint?: string, part?: 'key' | 'value' | TextSpan): void
}
