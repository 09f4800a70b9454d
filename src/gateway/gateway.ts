// The gateway: holds the plan and the worlds, and answers requests. Independent of sockets.

import { Exchange, type Upstream } from '../behaviours/exchange.ts'
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
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import { Traffic } from '../wings/console/traffic.ts'
import { BATCH, Coverage, LARGE } from '../wings/coverage/coverage.ts'
import { createLiveDrift, type LiveDrift } from '../wings/drift/live-drift.ts'
import { LiveNext } from '../wings/next/live-next.ts'
import { Full } from '../world/budget.ts'
import { type Clock, httpDate, monotonic } from '../world/clock.ts'
import { Unavailable } from '../world/engines/engine.ts'
import { Outage } from '../world/records/types.ts'
import { StandingAnswers } from './answers.ts'
import { delayed, explainReply, explanationHeaders, readControls } from './client-controls.ts'
import { AllRequests } from './journal/all-requests.ts'
import { thousandths } from './journal/entry.ts'
import { Journal } from './journal/journal.ts'
import type { Log } from './log.ts'
import type { Meter } from './metrics/families.ts'
import { Metrics } from './metrics/metrics.ts'
import { type ServedPlan, serveOthers, servePlan } from './served-plan.ts'
import type { KeptState } from './state/kept-state.ts'
import { replyToUnmatched } from './unmatched.ts'
import { underWeather, WeatherStation } from './weather.ts'
import { admitWhenLetIn, findAddressed, worldIn } from './worlds/visit.ts'
import { type WorldFault, Worlds } from './worlds/worlds.ts'

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
  readonly traffic: Traffic
  /** The differences of the real API's replies from the contract. */
  readonly drift: LiveDrift
  /** The verdicts on requests by the next contract. */
  readonly next: LiveNext
  /** The client of the real API; set by those who start it. */
  upstream: Upstream | undefined = undefined
  /** Ends a recording and returns its counts; set by a recorder. */
  stopRecording: (() => Promise<object>) | undefined = undefined
  readonly coverage: Coverage
  /** Set where changes of worlds are recorded. */
  state: KeptState | undefined = undefined
  /** Serves a configuration that another process was given; set by `Reloader`. */
  configure: (text: string) => Promise<void> = async () => {}
  #served: ServedPlan
  /** The plans of the worlds on another contract. */
  #others: ReadonlyMap<Plan, ServedPlan>
  #incidents = 0
  #answered = 0
  readonly #adopters: ((plan: Plan) => void)[] = []

  constructor(plan: Plan, clock: Clock, log: Log, version: string) {
    this.clock = clock
    this.#log = log
    this.worlds = new Worlds(plan, clock, log)
    this.weather = new WeatherStation(clock, log)
    this.answers = new StandingAnswers(clock, log, this.worlds)
    this.journal = new Journal(plan.simulation.journal)
    this.requests = new AllRequests(this.journal)
    this.traffic = new Traffic(this.journal)
    this.coverage = new Coverage(plan)
    this.metrics = new Metrics(version, this.worlds, this.weather, log)
    const count = (operation: string, kind: string) => this.metrics.drifted(operation, kind)
    const fail = (error: unknown) => this.reportFailure(error)
    this.drift = createLiveDrift(plan, clock, count, fail, () => this.#answered)
    this.next = new LiveNext(plan, clock, one => this.metrics.judged(one.consumer, one.operation, one.verdict), fail)
    this.#served = servePlan(plan, this.metrics, this.clock.now())
    this.#others = serveOthers(plan)
  }

  get plan(): Plan {
    return this.#served.plan
  }

  /** Serves another plan from the next request on. Records stay. */
  adopt(plan: Plan): void {
    this.worlds.adopt(plan)
    this.weather.adopt(plan)
    this.drift.adopt(plan)
    this.next.adopt(plan)
    this.journal.adapt(plan.simulation.journal)
    this.coverage.adopt(plan)
    this.#served = servePlan(plan, this.metrics, this.clock.now())
    this.#others = serveOthers(plan)
    for (const adopter of this.#adopters) adopter(plan)
  }

  /** Calls back with every plan that is adopted from now on. */
  onAdopt(adopter: (plan: Plan) => void): void {
    this.#adopters.push(adopter)
  }

  /** Resets a world (see `Worlds.reset`) and removes its requests from the journal. */
  reset(name = this.worlds.default.name): void {
    this.worlds.reset(name)
    this.requests.forgetWorld(name)
  }

  /** Removes a sandbox and its requests from the journal. */
  deleteWorld(name: string): WorldFault | undefined {
    const fault = this.worlds.delete(name)
    if (fault === undefined) this.requests.forgetWorld(name)
    return fault
  }

  /** Answers a request, internal errors included. */
  handle(sent: Request): Promise<Reply> {
    const started = monotonic()
    return this.state === undefined ? this.#answer(sent, started) : this.#answerShared(this.state, sent, started)
  }

  /**
   * Answers once this process has all acknowledged changes of other processes, or refuses if the engine is unavailable.
   * Resolves when other processes would know of the request even if this one were killed.
   */
  async #answerShared(state: KeptState, sent: Request, started: number): Promise<Reply> {
    let isAvailable = true
    if (state.asks) {
      await state.catchUp().catch(() => {
        isAvailable = false
      })
    }
    const reply = isAvailable
      ? await this.#answer(sent, started)
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
    const heard = this.journal.bodies > 0 || this.#served.plan.next !== undefined ? new Overheard(sent) : undefined
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
    const controls = plan.simulation.listen.clientControls ? readControls(request, operation) : { request }
    if ('status' in controls) return this.#refuseBadControls(request, served, controls, started)
    const why = controls.why === true
    const judged = controls.judged === true && plan.next !== undefined
    const passed: string[] | undefined = why || this.journal.watched ? [] : undefined
    if (found === undefined) {
      const exchange = new Exchange({ request, world, clock, operation: plan.unmatched.operation })
      const dispatch = { served, planned: plan.unmatched, exchange, path, started, passed, why, judged: false, heard }
      return this.#decorate(dispatch, replyToUnmatched(request, path, plan, mask))
    }
    const { planned: usual, basePath } = found.target
    const weather = this.weather.over(controls.weather, plan, mask, world)
    if (weather !== undefined && 'status' in weather) return this.#refuseBadControls(request, served, weather, started)
    const { segments, broken } = found
    const { delay } = controls
    const exchange = new Exchange({
      request: controls.request,
      world,
      operation: usual.operation,
      basePath: (request.prefix ?? '') + (visit.address?.(basePath) ?? basePath),
      segments,
      broken,
      clock,
      ordinal: controls.ordinal,
      upstream: this.upstream,
    })
    const met = weather === undefined ? usual : underWeather(weather, usual, exchange)
    const answered = this.answers.mayAnswer ? this.answers.over(plan, met, exchange) : met
    const planned = delay === undefined ? answered : delayed(answered, delay)
    if (passed !== undefined) exchange.drawn = {}
    if (visit.admit !== undefined) admitWhenLetIn(visit.admit, planned, exchange)
    return this.#run({ served, planned, exchange, path, started, passed, why, judged, heard })
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
    const finished = this.#finish(dispatch, reply)
    if (!dispatch.judged) return finished
    const verdict = await this.next.judge(exchange, dispatch.path, finished, dispatch.heard?.bytes)
    return verdict === undefined ? finished : withHeaders(finished, { 'understudy-next': verdict })
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
    const meter = served.meters.get(unmatched.index) ?? this.#bindMeter(served, unmatched)
    meter.refused(problem.code)
    const reply = await unmatched.decorate(exchange, refuse(problem, detail, headers))
    const none = { path: '', milliseconds: 0, explanation: undefined, requestBody: undefined }
    this.journal.record(exchange, mask, { at: this.clock.now(), reply, ...none })
    await this.requests.left
    return reply
  }

  /** Binds the meter of an operation on first use, so that one without calls has no series. */
  #bindMeter({ meters }: ServedPlan, planned: PlannedOperation): Meter {
    const meter = this.metrics.bind(planned)
    meters.set(planned.index, meter)
    return meter
  }

  /** Logs an error outside of API requests. */
  reportFailure(error: unknown): void {
    this.#log.error({ err: error }, 'internal error')
  }

  /** Answers a request whose `Understudy-*` controls are invalid, with the decorations of the operation at its path. */
  #refuseBadControls(request: Request, served: ServedPlan, refusal: Reply, started: number): Promise<Reply> {
    const { planned, place } = findAddressed(request, served.plan) ?? {}
    const { unmatched } = served.plan
    const exchange = new Exchange({ request, world: this.worlds.default, operation: unmatched.operation, ...place })
    const dispatch = { served, planned: unmatched, exchange, path: request.path, started, ...UNTRACED }
    return this.#decorate(dispatch, refusal, planned)
  }

  /** Logs conditions that could not be evaluated: each once, for one reason. */
  #logFailures(failures: Exchange['failures'], { failed, mask }: ServedPlan): void {
    for (const [condition, reason] of failures) {
      // The rest of a reason may be a part of a request.
      const key = `${condition} ${reason.split(/[:'"\d]/, 1)}`
      if (!failed.has(key)) this.#log.warn({}, `a condition could not be evaluated: ${condition}: ${mask.text(reason)}`)
      failed.add(key)
    }
  }

  async #decorate(dispatch: Dispatch, bare: Reply, shaping = dispatch.planned): Promise<Reply> {
    return this.#finish(dispatch, await shaping.decorate(dispatch.exchange, bare))
  }

  /** Adds `Date` and `Understudy-Explanation`, then records the exchange in metrics, journal and log. */
  #finish({ served, planned, exchange, path, started, passed, why, judged, heard }: Dispatch, bare: Reply): Reply {
    const {
      request,
      clock,
      consumer,
      injected,
      awaited,
      fault,
      warnings,
      failures,
      deprecatedInputs: inputs,
    } = exchange
    const { method } = request
    const { mask } = served
    let reply = clock.adjusted ? withHeaders(bare, { date: httpDate(clock.now()) }) : bare
    if (warnings.length > 0) reply = withWarning(reply, warnings.join('; '))
    const explanation = passed && explainReply(planned, exchange, reply, passed, mask)
    if (explanation !== undefined && why) reply = withHeaders(reply, explanationHeaders(explanation))
    const { status, refusal } = reply
    const milliseconds = monotonic() - started
    this.#answered += 1
    const meter = served.meters.get(planned.index) ?? this.#bindMeter(served, planned)
    const at = this.clock.now()
    meter.observe(method, status, milliseconds / 1000, (injected + awaited) / 1000, injected / 1000)
    const replied = reply.headers['understudy-replied']
    if (replied !== undefined) meter.replied(replied, awaited / 1000)
    if (failures.length > 0) this.#logFailures(failures, served)
    if (exchange.queued) meter.queued()
    if (refusal !== undefined) meter.refused(refusal.problem.code)
    if (fault !== undefined) meter.struck(fault)
    if (inputs !== undefined || planned.deprecated) {
      const time = clock.adjusted ? clock.now() : at
      const isRehearsed = clock.adjusted || served.plan.world !== undefined
      const traffic = isRehearsed || !this.worlds.isPermanent(exchange.world.name) ? 'rehearsed' : 'live'
      if (planned.deprecated) meter.deprecated(consumer, time, traffic)
      if (inputs !== undefined) meter.deprecatedInputs(inputs, consumer, time, traffic)
    }
    const requestBody = heard?.bytes
    const id = this.journal.record(exchange, mask, { at, path, reply, milliseconds, explanation, requestBody })
    reply.stream?.judged?.then(judgement => {
      if (judgement.breaks) meter.broken()
      if (judgement.text !== undefined) this.journal.note(id, judgement.text)
      this.drift.follow(served.plan, exchange, path, reply, judgement)
    })
    if (exchange.shadow !== undefined) this.drift.shadow(served.plan, exchange, path, reply)
    if (served.plan.next !== undefined && !judged) this.next.follow(exchange, path, reply, requestBody)
    // A large body is not kept until the batch is full, nor are the connections of a reply that is passed on.
    const { 'content-length': length = request.hasBody ? LARGE : 0 } = request.headers
    const isLarge = reply.stream !== undefined || Number(length) >= LARGE || (reply.body?.length ?? 0) >= LARGE
    if (this.coverage.pending.push([exchange, reply]) >= BATCH || isLarge) this.coverage.settle()
    if (this.#log.requests) {
      const fields = {
        operation: planned.operation.id || undefined,
        consumer,
        world: exchange.world.name,
        status,
        ms: thousandths(milliseconds),
        refused: refusal?.problem.code,
        reason: refusal === undefined ? undefined : mask.text(refusal.detail),
        weather: exchange.weather,
        fault,
        waited: injected === 0 ? undefined : thousandths(injected),
      }
      this.#log.info(fields, `${method} ${mask.path(request.path)}`)
    }
    return reply
  }
}

const UNTRACED = { passed: undefined, why: false, judged: false, heard: undefined }
const UNAVAILABLE = refuse(problems.unavailable, 'the state is unavailable', retryAfter(1000))

/** Whether the contract has a path, with or without the name of a world: `/v1/books`, `/v1/~alice/books`. */
export function servesPath(plan: Plan, path: string): boolean {
  return plan.methodsOf(worldIn(path, plan)?.path ?? path).length > 0
}

// --- a running request -------------------------------------------------------------------------------------------------

/** A running request: its destination, its start (see `monotonic`), and its trace if anybody wants one. */
interface Dispatch {
  readonly served: ServedPlan
  readonly planned: PlannedOperation
  readonly exchange: Exchange
  readonly path: string
  readonly started: number
  readonly passed: string[] | undefined
  /** Whether the client wants the trace. */
  readonly why: boolean
  /** Whether the client wants the verdict by the next contract. */
  readonly judged: boolean
  /** Set where the body is kept. */
  readonly heard: Overheard | undefined
}

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
