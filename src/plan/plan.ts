// The compiled configuration: the operations as closures, and their data. Types only; `compile.ts` makes the values.

import type { BlockKey, Exchange, Handler, Lifecycle, Site } from '../behaviours/behaviour.ts'
import type { Resource } from '../behaviours/resource.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { Method, PathMatch } from '../contract/paths.ts'
import type { Expression } from '../expression/scope.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/file/source.ts'
import type { Reply } from '../kernel/http.ts'
import type { ClockWords } from '../world/clock.ts'
import type { CollectionOptions } from '../world/records/types.ts'
import type { Near } from './routes.ts'
import type { Simulation } from './settings.ts'
import type { AnswerOrder, RuleFile, WeatherFile } from './simulation-file.ts'

/** One operation, ready to run. */
export interface PlannedOperation {
  /** Its index in the plan's operations. Data per operation is kept in arrays. */
  readonly index: number
  readonly operation: Operation
  /** The path template below its first base path, a label with few values. Empty for unmatched requests. */
  readonly route: string
  readonly handle: Handler
  /** Like `handle`, and records the names of the behaviours that the request reaches. */
  trace(exchange: Exchange, passed: string[]): Promise<Reply>
  /** Runs only the behaviours that decorate replies, on a reply that was made outside the chain. */
  decorate(exchange: Exchange, reply: Reply): Promise<Reply>
  readonly chain: readonly ChainLink[]
  readonly lifecycle: Lifecycle | undefined
  /** Whether the contract or the life-cycle deprecates it. */
  readonly deprecated: boolean
  /** The rules in the order in which they are tried. The first one that matches answers instead of the chain. */
  readonly rules?: readonly PlannedRule[]
}

/** A behaviour in a chain, for people. */
export interface ChainLink {
  readonly name: string
  readonly detail: string | undefined
  /** The value of its key in the nearest layer. */
  readonly config?: unknown
}

export interface PlannedRoute {
  readonly planned: PlannedOperation
  readonly basePath: string
}

export interface Plan {
  /** The name of the world that it is for, if that world is on another contract. */
  readonly world?: string
  /** The change of its clock with which that world begins, and the weather that it has while none is set. */
  readonly clock?: ClockWords | undefined
  readonly usualWeather?: Weather | undefined
  /** The plans of the worlds on another contract, by name. */
  readonly others?: ReadonlyMap<string, Plan>
  readonly simulation: Simulation
  readonly contract: Contract
  /** Returns the settings of a block of a wing; `undefined` where there is none. */
  settings<Settings>(block: BlockKey<Settings>): Settings | undefined
  readonly operations: readonly PlannedOperation[]
  /** Answers requests that match no operation. Its chain is the behaviour `errors` only. */
  readonly unmatched: PlannedOperation
  /** Finds the operation of a path. `HEAD` is answered like `GET` unless the contract has it (RFC 9110 §9.3.2). */
  find(method: string, path: string): PathMatch<PlannedRoute> | undefined
  /** Returns the methods of a path; none for an unknown path. */
  methodsOf(path: string): readonly Method[]
  /** Describes requests that match no operation. */
  readonly near: Near
  /** By name. */
  readonly weather: ReadonlyMap<string, Weather>
  /** Compiles weather from the control plane. Mistakes go to `report`. */
  compileWeather(name: string, file: WeatherFile, source: Source, report: Diagnostics): Weather
  /** Compiles an order for an answer, for each operation by its `index`. Mistakes go to `report`. */
  compileAnswer(order: AnswerOrder, source: Source, report: Diagnostics): ReadonlyMap<number, PlannedAnswer>
  readonly collections: ReadonlyMap<string, { readonly options: CollectionOptions; readonly resource: Resource }>
}

/** The operations under a weather. */
export interface Weather {
  readonly name: string
  /** As it is written, with the keys of wings. */
  readonly file: WeatherFile
  readonly operations: OperationsUnder
  /** The operations for the requests of a consumer that the weather names. */
  readonly consumers: ReadonlyMap<string, OperationsUnder>
  /** Identifies the consumer of a request, by the operation's index; empty without `consumers`. */
  readonly identifyByOperation: readonly Site['identify'][]
}

/** The operations of a plan under a weather; one that it does not change is the plan's own. */
export interface OperationsUnder {
  at(usual: PlannedOperation): PlannedOperation
  changes(usual: PlannedOperation): boolean
  all(): readonly PlannedOperation[]
}

/** A rule of the configuration, or an answer on demand: it answers some requests in the place of their operation. */
export interface Rule {
  /** Its name in the explanation of a request that it does not answer: `rule operations/createOrder/rules/0`. */
  readonly name: string
  /** The note on a request that it answers. */
  readonly note: string
  holds(exchange: Exchange): boolean | Promise<boolean>
  /** Says why it does not hold. */
  reason(exchange: Exchange): string
  /** Counts a request for which it holds. Returns why it does not answer the request nevertheless, if so. */
  take(exchange: Exchange): string | undefined
  /** The operation that answers, made on first use. */
  over(usual: PlannedOperation): PlannedOperation
}

/** A rule of the configuration. */
export interface PlannedRule extends Rule {
  /** Its path in the configuration, which is also the name of its counter. */
  readonly scope: string
  readonly when: Expression | undefined
  readonly times: number | undefined
  readonly enter: RuleFile['enter'] | undefined
  /** The names of the behaviours that it configures. */
  readonly blocks: readonly string[]
}

/** An answer on demand for the requests of one operation. The gateway counts them. */
export interface PlannedAnswer extends Pick<Rule, 'holds' | 'reason' | 'over'> {
  /** Its effects on a request, in a few words each: `503`, `latency fixed 2s`. */
  readonly does: readonly string[]
}
