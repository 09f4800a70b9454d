// The gateway: holds the plan and the worlds, and answers requests. Independent of sockets.

import { Exchange } from '../behaviours/exchange.ts'
import type { Environment } from '../kernel/file/source.ts'
import {
  type BodyRead,
  ForwardedRequest,
  type Headers,
  NO_HEADERS,
  type Problem,
  problems,
  type Reply,
  type Request,
  refuse,
  retryAfter,
  unreadRequest,
  withHeaders,
  withWarning,
} from '../kernel/http.ts'
import { TRACEPARENT_IGNORED } from '../kernel/trace.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import { Unavailable } from '../state/errors.ts'
import type { State } from '../state/state.ts'
import { Full } from '../world/budget.ts'
import type { Clock } from '../world/clock.ts'
import { httpDate } from '../world/dates.ts'
import { monotonic } from '../world/real-time.ts'
import { Outage } from '../world/records/types.ts'
import { StandingAnswers } from './answers.ts'
import { delayed, type Explanation, explainReply, explanationHeaders, readControls } from './client-controls.ts'
import type { Finished } from './finished.ts'
import { AllRequests } from './journal/all-requests.ts'
import { Journal } from './journal/journal.ts'
import { journalObserver } from './journal/observe.ts'
import type { Log } from './log.ts'
import { logObserver } from './log-requests.ts'
import type { Mask } from './mask.ts'
import { Metrics } from './metrics/metrics.ts'
import { metricsObserver } from './metrics/observe.ts'
import { type Host, NO_PEERS, type Observer, type ObservingWing, type Peers } from './observer.ts'
import { type ServedPlan, serveOthers, servePlan } from './served-plan.ts'
import { replyToUnmatched } from './unmatched.ts'
import { underWeather, WeatherStation } from './weather.ts'
import { admitWhenLetIn, findAddressed, worldIn } from './worlds/visit.ts'
import { type WorldFault, Worlds } from './worlds/worlds.ts'

/** The optional parts of a gateway. */
export interface GatewayParts {
  /** Their observers follow those of the house. */
  readonly wings?: readonly ObservingWing[] | undefined
  /** The environment of the process. Unset: nothing may leave the process. */
  readonly environment?: Environment | undefined
}

export class Gateway {
  /** The gateway's real time. */
  readonly clock: Clock
  readonly #log: Log
  readonly metrics: Metrics
  readonly worlds: Worlds
  readonly weather: WeatherStation
  readonly answers: StandingAnswers
  /** The requests that this process answered. */
  readonly journal: Journal
  readonly requests: AllRequests
  /** Set where changes of worlds are recorded. */
  state: State | undefined = undefined
  /** Serves a configuration that another process was given; set by `Reloader`. */
  configure: (text: string) => Promise<void> = async () => {}
  /** Finds the other processes of an observer; set by the program that has them. */
  peers: (observer: string) => Peers = () => NO_PEERS
  /** The observers with their states, in the order in which they see a request. */
  readonly #observers: ReadonlyMap<Observer, unknown>
  #served: ServedPlan
  /** The plans of the worlds on another contract. */
  #others: ReadonlyMap<Plan, ServedPlan>
  #incidents = 0
  readonly #adopters: ((plan: Plan) => void)[] = []

  constructor(plan: Plan, clock: Clock, log: Log, version: string, { wings = [], environment }: GatewayParts = {}) {
    this.clock = clock
    this.#log = log
    this.worlds = new Worlds(plan, clock, log)
    this.weather = new WeatherStation(clock, log)
    this.answers = new StandingAnswers(clock, log, this.worlds)
    this.journal = new Journal(plan.simulation.journal)
    this.requests = new AllRequests(this.journal)
    this.metrics = new Metrics(version, this.worlds, this.weather, log)
    const host: Host = {
      clock,
      log,
      worlds: this.worlds,
      weather: this.weather,
      metrics: this.metrics,
      journal: this.journal,
      environment,
      fail: this.reportFailure,
      // Looked up at each call: the other processes start later.
      peers: observer => ({
        read: about => this.peers(observer).read(about),
        reset: () => this.peers(observer).reset(),
      }),
    }
    const observers = [metricsObserver, journalObserver, logObserver, ...wings.flatMap(wing => wing.observers ?? [])]
    this.#observers = new Map((observers as readonly Observer[]).map(observer => [observer, observer.open(host)]))
    this.#served = servePlan(plan, this.#observers)
    this.#others = serveOthers(plan, this.#observers)
  }

  /** Returns the state of an observer; throws where the gateway has no such observer. */
  observed<State>(observer: Observer<State>): State {
    const key = observer as Observer
    if (!this.#observers.has(key)) throw new Error(`the gateway has no observer "${observer.name}"`)
    return this.#observers.get(key) as State
  }

  get plan(): Plan {
    return this.#served.plan
  }

  /** Returns the shared state of the observer with this name as JSON, for another process. @param about see `Shared.read` */
  readShared(name: string, about: unknown): unknown {
    for (const [observer, state] of this.#observers) {
      if (observer.name === name) return observer.shared?.read(state, about)
    }
    return undefined
  }

  /** Lets the observers end replies that last. */
  stop(): void {
    for (const [observer, state] of this.#observers) observer.stop?.(state)
  }

  /** Ends what the observers hold open. */
  async close(): Promise<void> {
    for (const [observer, state] of this.#observers) await observer.close?.(state)
  }

  /** Resolves when the observers have done everything that is due by the clock of a world, which was set. */
  async settle(name: string): Promise<void> {
    const world = this.worlds.get(name)
    if (world === undefined) return
    for (const [observer, state] of this.#observers) await observer.settle?.(state, world)
  }

  /** Resets the shared state of an observer, because another process has reset its own. */
  resetShared(name: string): void {
    for (const [observer, state] of this.#observers) if (observer.name === name) observer.shared?.reset?.(state)
  }

  /** Serves another plan from the next request on. Records stay. */
  adopt(plan: Plan): void {
    this.worlds.adopt(plan)
    this.weather.adopt(plan)
    this.#served = servePlan(plan, this.#observers)
    this.#others = serveOthers(plan, this.#observers)
    for (const adopter of this.#adopters) adopter(plan)
  }

  /** Calls back with every plan that is adopted from now on. */
  onAdopt(adopter: (plan: Plan) => void): void {
    this.#adopters.push(adopter)
  }

  /** Resets a world (see `Worlds.reset`) and removes its requests from the journal. */
  reset(name = this.worlds.default.name): void {
    this.worlds.reset(name)
    this.requests.forgetWorld(name).catch(this.reportFailure)
  }

  /** Removes a sandbox and its requests from the journal. */
  deleteWorld(name: string): WorldFault | undefined {
    const fault = this.worlds.delete(name)
    if (fault === undefined) this.requests.forgetWorld(name).catch(this.reportFailure)
    return fault
  }

  /** Answers a request, internal errors included. */
  handle(sent: Request): Promise<Reply> {
    const started = monotonic()
    return this.state === undefined ? this.#examine(sent, started) : this.#answerShared(this.state, sent, started)
  }

  /** Answers once an observer has examined the request, if one needs to. */
  #examine(sent: Request, started: number): Promise<Reply> {
    const { prepare } = this.#served
    return prepare === undefined
      ? this.#answer(sent, started)
      : prepare(sent).then(examined => this.#answer(examined, started))
  }

  /**
   * Answers once this process has all acknowledged changes of other processes, or refuses if the engine is unavailable.
   * Resolves when other processes would know of the request even if this one were killed.
   */
  async #answerShared(state: State, sent: Request, started: number): Promise<Reply> {
    let isAvailable = true
    if (state.asks) {
      await state.catchUp().catch(() => {
        isAvailable = false
      })
    }
    const reply = isAvailable
      ? await this.#examine(sent, started)
      : await this.#refuseBadControls(sent, this.#served, UNAVAILABLE, started)
    await this.requests.left
    return reply
  }

  /** Runs work that changes worlds: in its turn with all others, where they are recorded. */
  async change<Result>(work: () => Promise<Result> | Result, text: string): Promise<Result> {
    const { state } = this
    if (state === undefined) return work()
    await state.catchUp()
    return state.run(async () => work(), { text })
  }

  #answer(sent: Request, started: number): Promise<Reply> {
    const heard = isHeard(this.#served) ? new Overheard(sent) : undefined
    const request = heard ?? sent
    // Read once, so that a concurrent reload or reset cannot mix two plans or two worlds.
    const visit = this.worlds.visit(request)
    if ('status' in visit) return this.#refuseBadControls(request, this.#served, visit, started)
    const served = (visit.plan && this.#others.get(visit.plan)) ?? this.#served
    const { plan, mask } = served
    const { world, clock, path = request.path } = visit
    this.state?.visited(world)
    const found = plan.find(request.method, path)
    const operation = found?.target.planned.operation
    const controls = plan.simulation.listen.clientControls
      ? readControls(request, operation, plan.simulation.house.controls)
      : { request }
    if ('status' in controls) return this.#refuseBadControls(request, served, controls, started)
    const why = controls.why === true
    const passed: string[] | undefined = why || this.journal.watched ? [] : undefined
    if (found === undefined) {
      const exchange = new Exchange({ request, path, world, clock, operation: plan.unmatched.operation })
      const dispatch = new Dispatch(served, plan.unmatched, exchange, started, tracingOf(passed, why, heard))
      return this.#decorate(dispatch, replyToUnmatched(request, path, plan, mask))
    }
    const { planned: usual, basePath } = found.target
    const weather = this.weather.over(controls.weather, plan, mask, world)
    if (weather !== undefined && 'status' in weather) return this.#refuseBadControls(request, served, weather, started)
    const { segments, broken } = found
    const { delay } = controls
    const exchange = new Exchange({
      request: controls.request,
      path,
      states: this.#observers,
      world,
      operation: usual.operation,
      basePath: (request.prefix ?? '') + (visit.address?.(basePath) ?? basePath),
      segments,
      broken,
      clock,
      ordinal: controls.ordinal,
    })
    const met = weather === undefined ? usual : underWeather(weather, usual, exchange)
    const answered = this.answers.mayAnswer ? this.answers.over(plan, met, exchange) : met
    const planned = delay === undefined ? answered : delayed(answered, delay)
    if (passed !== undefined) exchange.drawn = {}
    if (visit.admit !== undefined) admitWhenLetIn(visit.admit, planned, exchange)
    return this.#run(new Dispatch(served, planned, exchange, started, tracingOf(passed, why, heard)))
  }

  async #run(dispatch: Dispatch): Promise<Reply> {
    const { planned, exchange, passed } = dispatch
    let reply: Reply
    try {
      reply = await (passed === undefined ? planned.handle(exchange) : planned.trace(exchange, passed))
    } catch (error) {
      reply = await this.#fail(error, planned, exchange)
    }
    exchange.release?.()
    return this.#finish(dispatch, reply)
  }

  /** Converts an exception to a reply. The reason goes to the log; the client gets its number. */
  async #fail(error: unknown, planned: PlannedOperation, exchange: Exchange): Promise<Reply> {
    const reply = this.#refuseFailure(error, planned)
    try {
      return await planned.decorate(exchange, reply)
    } catch {
      return this.plan.unmatched.decorate(exchange, reply)
    }
  }

  #refuseFailure(error: unknown, planned: PlannedOperation): Reply {
    if (error instanceof Full) return refuse(problems.insufficient_storage, error.message)
    this.#incidents += 1
    const incident = `${this.clock.now().toString(36)}-${this.#incidents.toString(36)}`
    const outage = error instanceof Outage || error instanceof Unavailable
    this.#log.error({ incident, operation: planned.operation.id, err: error }, outage ? 'outage' : 'internal error')
    return outage
      ? refuse(problems.unavailable, `the state is unavailable; incident ${incident}`, retryAfter(1000))
      : refuse(problems.internal_error, `internal error; incident ${incident}`)
  }

  /** Returns the refusal of a malformed request, in the shape of every refusal. */
  async refuse(problem: Problem, detail: string, headers: Headers = NO_HEADERS): Promise<Reply> {
    const served = this.#served
    const { plan, mask } = served
    const { unmatched } = plan
    const { operation } = unmatched
    const exchange = new Exchange({ request: unreadRequest, world: this.worlds.default, operation })
    this.metrics.bind(unmatched).refused(problem.code)
    const reply = await unmatched.decorate(exchange, refuse(problem, detail, headers))
    const none = { path: '', milliseconds: 0, explanation: undefined, requestBody: undefined }
    this.journal.record({ exchange, mask, at: this.clock.now(), reply, ...none })
    await this.requests.left
    return reply
  }

  /** Logs an error outside of API requests. */
  readonly reportFailure = (error: unknown): void => this.#log.error({ err: error }, 'internal error')

  /** Answers a request whose `Understudy-*` controls are invalid, with the decorations of the operation at its path. */
  #refuseBadControls(request: Request, served: ServedPlan, refusal: Reply, started: number): Promise<Reply> {
    const { planned, place } = findAddressed(request, served.plan) ?? {}
    const { unmatched } = served.plan
    const exchange = new Exchange({ request, world: this.worlds.default, operation: unmatched.operation, ...place })
    const dispatch = new Dispatch(served, unmatched, exchange, started, UNTRACED)
    return this.#decorate(dispatch, refusal, planned)
  }

  async #decorate(dispatch: Dispatch, bare: Reply, shaping = dispatch.planned): Promise<Reply> {
    return this.#finish(dispatch, await shaping.decorate(dispatch.exchange, bare))
  }

  /** Adds `Date`, `Understudy-Warning` and `Understudy-Explanation`, then tells the observers. */
  #finish(dispatch: Dispatch, bare: Reply): Reply {
    const { served, planned, exchange, passed } = dispatch
    if (exchange.request.headers.traceparent !== undefined && exchange.trace === undefined)
      exchange.warn(TRACEPARENT_IGNORED)
    const { clock, warnings } = exchange
    let reply = clock.adjusted ? withHeaders(bare, { date: httpDate(clock.now()) }) : bare
    if (warnings.length > 0) reply = withWarning(reply, warnings.join('; '))
    if (passed !== undefined) {
      dispatch.explanation = explainReply(planned, exchange, reply, passed, served.mask)
      if (dispatch.why) reply = withHeaders(reply, explanationHeaders(dispatch.explanation))
    }
    dispatch.reply = reply
    dispatch.milliseconds = monotonic() - dispatch.started
    dispatch.at = this.clock.now()
    for (const observe of served.observers) observe(dispatch)
    return reply
  }
}

/** Whether an observer listens to the bodies of requests now. */
function isHeard({ listeners }: ServedPlan): boolean {
  for (const listens of listeners) if (listens()) return true
  return false
}

const UNTRACED: Tracing = { passed: undefined, why: false, heard: undefined }

/** Most requests are not traced: they share one object. */
const tracingOf = (passed: string[] | undefined, why: boolean, heard: Overheard | undefined): Tracing =>
  passed === undefined && heard === undefined ? UNTRACED : { passed, why, heard }
const UNAVAILABLE = refuse(problems.unavailable, 'the state is unavailable', retryAfter(1000))

/** Whether the contract has a path, with or without the name of a world: `/v1/books`, `/v1/~alice/books`. */
export function servesPath(plan: Plan, path: string): boolean {
  return plan.methodsOf(worldIn(path, plan)?.path ?? path).length > 0
}

// --- a running request -------------------------------------------------------------------------------------------------

interface Tracing {
  /** The behaviours that it has reached, if anybody wants to know. */
  readonly passed: string[] | undefined
  /** Whether the client wants the trace. */
  readonly why: boolean
  /** Set where the body is kept. */
  readonly heard: Overheard | undefined
}

/** A running request: its destination and its trace; once it is finished, what observers see. */
class Dispatch implements Finished {
  readonly served: ServedPlan
  readonly planned: PlannedOperation
  readonly exchange: Exchange
  readonly started: number
  readonly passed: string[] | undefined
  readonly why: boolean
  readonly #heard: Overheard | undefined
  reply: Reply = UNANSWERED
  at = 0.5
  milliseconds = 0.5
  explanation: Explanation | undefined = undefined

  constructor(
    served: ServedPlan,
    planned: PlannedOperation,
    exchange: Exchange,
    /** See `monotonic`. */
    started: number,
    { passed, why, heard }: Tracing,
  ) {
    this.served = served
    this.planned = planned
    this.exchange = exchange
    this.started = started
    this.passed = passed
    this.why = why
    this.#heard = heard
  }

  get plan(): Plan {
    return this.served.plan
  }

  get mask(): Mask {
    return this.served.mask
  }

  get path(): string {
    return this.exchange.path
  }

  get requestBody(): Uint8Array | undefined {
    return this.#heard?.bytes
  }
}

const UNANSWERED: Reply = { status: 0, headers: NO_HEADERS, body: undefined }

/** A request whose body is also kept, for the journal and the next contract. */
class Overheard extends ForwardedRequest {
  /** The body, once read. */
  bytes: Uint8Array | undefined = undefined

  override async readBody(maxBytes: number): Promise<BodyRead> {
    const read = await super.readBody(maxBytes)
    if ('bytes' in read) this.bytes = read.bytes
    return read
  }
}
