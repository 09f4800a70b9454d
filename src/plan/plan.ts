// What a configuration comes to: the operations as closures, and what they need. Types only; `compile.ts` makes them.

import type { Exchange, Handler, Site } from '../behaviours/behaviour.ts'
import type { Lifecycle } from '../behaviours/deprecation/lifecycle.ts'
import type { Resource } from '../behaviours/respond/resource.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { Found, Method } from '../contract/paths.ts'
import type { Expression } from '../expression/language.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Reply } from '../kernel/reply.ts'
import type { Source } from '../kernel/source.ts'
import type { CollectionOptions } from '../world/collection.ts'
import type { Simulation } from './settings.ts'
import type { WeatherFile } from './weather.ts'

/** One operation, ready to run. */
export interface PlannedOperation {
  /** Its place among the plan's operations: what is kept per operation is kept in an array. */
  readonly index: number
  readonly operation: Operation
  /** The path template below its first base path: a label of bounded variety. Empty where nothing matched. */
  readonly route: string
  readonly handle: Handler
  /** As `handle`, and writes down the names of the behaviours that the request reaches. */
  trace(exchange: Exchange, passed: string[]): Promise<Reply>
  /** Gives a reply that was made outside the chain what every reply of the operation has. */
  dress(exchange: Exchange, reply: Reply): Promise<Reply>
  readonly chain: readonly Link[]
  readonly lifecycle: Lifecycle | undefined
  /** By the contract or by its lifecycle. */
  readonly deprecated: boolean
  /** In the order in which they are tried; the first that holds answers instead of the chain. */
  readonly rules?: readonly PlannedRule[]
}

/** A behaviour in a chain, for people. */
export interface Link {
  readonly name: string
  readonly detail: string | undefined
}

export interface Route {
  readonly planned: PlannedOperation
  readonly basePath: string
}

export interface Plan {
  readonly simulation: Simulation
  readonly contract: Contract
  readonly operations: readonly PlannedOperation[]
  /** What answers where no operation does: its chain is the shape of refusals, and nothing else. */
  readonly unmatched: PlannedOperation
  find(method: string, path: string): Found<Route> | undefined
  /** The methods that a path has; none for an unknown path. */
  methodsOf(path: string): readonly Method[]
  /** What a request that no operation matches may have meant: `did you mean GET /v1/books?`. */
  near(method: string, path: string): string | undefined
  /** By name. */
  readonly weather: ReadonlyMap<string, Weather>
  /** Compiles weather that no file knows. Whatever is wrong with it goes to `report`. */
  compileWeather(name: string, file: WeatherFile, source: Source, report: Diagnostics): Weather
  readonly collections: ReadonlyMap<string, { readonly options: CollectionOptions; readonly resource: Resource }>
}

/** The operations as they are in some weather. */
export interface Weather {
  readonly name: string
  /** By `PlannedOperation.index`; one that the weather does not touch is the plan's own. */
  readonly operations: () => readonly PlannedOperation[]
  /** For the requests of a consumer that the weather names. */
  readonly consumers: ReadonlyMap<string, () => readonly PlannedOperation[]>
  /** Who makes a request to an operation, by its index; none where `consumers` has nobody. */
  readonly judges: readonly Site['judge'][]
}

/** A rule, ready to be chosen. */
export interface PlannedRule {
  /** Where it stands in the configuration; its number of times is counted under this name. */
  readonly name: string
  readonly when: Expression | undefined
  readonly times: number | undefined
  /** The names of the behaviours that it configures. */
  readonly blocks: readonly string[]
  readonly operation: () => PlannedOperation
}
