// The gateway: holds the plan and the worlds, and answers requests. Knows no socket.

import { draftOf, Exchange } from '../behaviours/exchange.ts'
import { type Problem, problems } from '../kernel/problem.ts'
import { type Headers, NO_HEADERS, type Reply, refuse, withHeaders, withWarning } from '../kernel/reply.ts'
import type { Request } from '../kernel/request.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import { Unavailable } from '../state/engine.ts'
import { Full } from '../world/budget.ts'
import { type Clock, httpDate, monotonic } from '../world/clock.ts'
import { Outage } from '../world/collection.ts'
import { StandingAnswers } from './answers.ts'
import { readControls } from './client-controls.ts'
import { delayed } from './delayed.ts'
import { type Explanation, explain, explanationHeaders } from './explain.ts'
import { Journal, type RequestOutcome } from './journal/journal.ts'
import { type JournalView, joinJournals, writeJournal } from './journal/portable.ts'
import type { Log } from './log.ts'
import { Mask } from './mask.ts'
import type { Meter } from './metrics/meter.ts'
import type { Metrics } from './metrics/metrics.ts'
import { Overheard, overheardBody } from './overheard.ts'
import type { KeptState } from './state/kept-state.ts'
import { Traffic } from './traffic.ts'
import { replyToUnmatched } from './unmatched.ts'
import type { Visit } from './visit.ts'
import { underWeather, WeatherStation } from './weather.ts'
import { findMark } from './world-mark.ts'
import { type WorldFault, Worlds } from './worlds.ts'

export class Gateway {
  /** The gateway's real time. */
  readonly clock: Clock
  readonly #log: Log
  readonly #metrics: Metrics
  readonly worlds: Worlds
  readonly weather: WeatherStation
  readonly answers: StandingAnswers
  readonly journal: Journal
  readonly traffic: Traffic
  /** Set where changes of worlds are recorded. */
  state: KeptState | undefined = undefined
  /** Serves a configuration that another process was given; set by `Reloader`. */
  configure: (text: string) => Promise<void> = async () => {}
  #served: ServedPlan
  #incidents = 0
  readonly #adopters: ((plan: Plan) => void)[] = []

  constructor(plan: Plan, clock: Clock, log: Log, metrics: (worlds: Worlds) => Metrics) {
    this.clock = clock
    this.#log = log
    this.worlds = new Worlds(plan, clock, log)
    this.weather = new WeatherStation(clock, log)
    this.answers = new StandingAnswers(clock, log, this.worlds)
    this.journal = new Journal(plan.simulation.journal)
    this.traffic = new Traffic(this.journal)
    this.#metrics = metrics(this.worlds)
    this.#metrics.follow(this.weather)
    this.#metrics.followLog(log)
    this.#served = this.#serve(plan)
  }

  get plan(): Plan {
    return this.#served.plan
  }

  get metrics(): Metrics {
    return this.#metrics
  }

  /** Serves another plan from the next request on. Records stay. */
  adopt(plan: Plan): void {
    this.worlds.adopt(plan)
    this.weather.adopt(plan)
    this.journal.adapt(plan.simulation.journal)
    this.#served = this.#serve(plan)
    for (const adopter of this.#adopters) adopter(plan)
  }

  /** Calls back with every plan that is adopted from now on. */
  onAdopt(adopter: (plan: Plan) => void): void {
    this.#adopters.push(adopter)
  }

  /** Resets a world (see `Worlds.reset`) and removes its requests from the journal. */
  reset(name = this.worlds.default.name): void {
    this.worlds.reset(name)
    this.journal.clear(name)
  }

  /** Removes a sandbox and its requests from the journal. */
  deleteWorld(name: string): WorldFault | undefined {
    const fault = this.worlds.delete(name)
    if (fault === undefined) this.journal.clear(name)
    return fault
  }

  /** The requests that this process, and all that share its state, have answered. */
  async requestsOfAll(): Promise<JournalView> {
    const others = await this.state?.ask(JSON.stringify({ ask: 'requests' } satisfies ProcessQuestion))
    return joinJournals(this.journal, others ?? [])
  }

  /** Forgets all requests, or those of one world, in every process that shares the state. */
  async forgetRequests(world?: string): Promise<void> {
    this.journal.clear(world)
    await this.state?.ask(JSON.stringify({ ask: 'forget', world } satisfies ProcessQuestion))
  }

  /** Answers a question of another process that shares the state. */
  async answerOther(text: string): Promise<string> {
    const question = JSON.parse(text) as ProcessQuestion
    if (question.ask === 'requests') return writeJournal(this.journal)
    this.journal.clear(question.world)
    return 'done'
  }

  /** Whether the contract has a path, in whatever world it is addressed: `/v1/books`, `/v1/~alice/books`. */
  serves(path: string): boolean {
    const { contract, simulation, methodsOf } = this.plan
    const marked = simulation.listen.clientControls ? findMark(path, contract.basePaths) : undefined
    return methodsOf(marked?.path ?? path).length > 0
  }

  /** Answers a request, internal errors included. */
  handle(sent: Request): Promise<Reply> {
    const started = monotonic()
    const { state } = this
    if (state === undefined || !state.asks) return this.#answer(sent, started)
    // The memory of this process may lack what others have acknowledged.
    return state.catchUp().then(
      () => this.#answer(sent, started),
      () => this.#refuseBadControls(sent, this.#served, UNAVAILABLE, started),
    )
  }

  /** Runs work that changes worlds: in its turn with all others, where they are recorded. */
  async change<Result>(work: () => Promise<Result> | Result, text: string): Promise<Result> {
    const { state } = this
    if (state === undefined) return work()
    await state.catchUp()
    return state.run(async () => work(), { text })
  }

  #answer(sent: Request, started: number): Promise<Reply> {
    const request = this.journal.bodies === 0 ? sent : new Overheard(sent)
    // Read once, so that a concurrent reload or reset cannot mix two plans or two worlds.
    const served = this.#served
    const { plan } = served
    const visit = this.worlds.visit(request)
    if ('status' in visit) return this.#refuseBadControls(request, served, visit, started)
    const { world, clock, path = request.path } = visit
    this.state?.visited(world)
    const { method } = request
    const found = plan.find(method, path) ?? (method === 'HEAD' ? plan.find('GET', path) : undefined)
    if (found === undefined) return this.#handleUnmatched(request, served, visit, path, started)
    const { planned: usual, basePath } = found.target
    const controls = plan.simulation.listen.clientControls ? readControls(request, usual.operation) : { request }
    if ('status' in controls) return this.#refuseBadControls(request, served, controls, started)
    const weather = this.weather.over(controls.weather, plan, world)
    if (weather !== undefined && 'status' in weather) return this.#refuseBadControls(request, served, weather, started)
    const { segments, broken } = found
    const { delay } = controls
    const exchange = new Exchange({
      request: controls.request,
      world,
      operation: usual.operation,
      basePath: (request.prefix ?? '') + visit.address(basePath),
      segments,
      broken,
      clock,
      ordinal: controls.ordinal,
    })
    const met = weather === undefined ? usual : underWeather(weather, usual, exchange)
    const answered = this.answers.over(plan, met, exchange)
    const planned = delay === undefined ? answered : delayed(answered, delay)
    const why = controls.why === true
    const passed = why || this.journal.watched ? [] : undefined
    if (passed !== undefined) draftOf(exchange, 'gateway').drawn = {}
    if (visit.admit !== undefined) admitWhenLetIn(visit.admit, planned, exchange)
    return this.#run({ served, planned, exchange, path, started, passed, why })
  }

  async #run(turn: Turn): Promise<Reply> {
    const { planned, exchange, passed } = turn
    let reply: Reply
    try {
      reply = await (passed === undefined ? planned.handle(exchange) : planned.trace(exchange, passed))
    } catch (error) {
      reply = await this.#fail(error, planned, exchange)
    }
    exchange.release?.()
    return this.#finish(turn, reply)
  }

  /** Returns the refusal of a malformed request, in the shape of every refusal. */
  async refuse(problem: Problem, detail: string, headers: Headers = NO_HEADERS): Promise<Reply> {
    const { plan, mask, meterOf } = this.#served
    const { unmatched } = plan
    const exchange = new Exchange({ request: NO_REQUEST, world: this.worlds.default, operation: unmatched.operation })
    meterOf(unmatched).refused(problem.code)
    const reply = await unmatched.decorate(exchange, refuse(problem, detail, headers))
    this.journal.record(exchange, mask, outcomeOf(reply, this.clock.now(), '', 0))
    return reply
  }

  /** Logs an error outside of API requests. */
  reportFailure(error: unknown): void {
    this.#log.error({ err: error }, 'internal error')
  }

  #handleUnmatched(
    request: Request,
    served: ServedPlan,
    { world, clock }: Visit,
    path: string,
    started: number,
  ): Promise<Reply> {
    const { plan } = served
    const { unmatched } = plan
    const exchange = new Exchange({ request, world, operation: unmatched.operation, clock })
    const controls = plan.simulation.listen.clientControls ? readControls(request, undefined) : { request }
    if ('status' in controls) return this.#refuseBadControls(request, served, controls, started)
    const why = controls.why === true
    const passed = why || this.journal.watched ? [] : undefined
    const bare = replyToUnmatched(request.method, path, plan)
    return this.#decorate({ served, planned: unmatched, exchange, path, started, passed, why }, bare)
  }

  /** Answers a request whose `Understudy-*` controls are invalid. */
  #refuseBadControls(request: Request, served: ServedPlan, refusal: Reply, started: number): Promise<Reply> {
    const { unmatched } = served.plan
    const exchange = new Exchange({ request, world: this.worlds.default, operation: unmatched.operation })
    const { path } = request
    return this.#decorate(
      { served, planned: unmatched, exchange, path, started, passed: undefined, why: false },
      refusal,
    )
  }

  async #decorate(turn: Turn, bare: Reply): Promise<Reply> {
    return this.#finish(turn, await turn.planned.decorate(turn.exchange, bare))
  }

  /** Converts an exception to a reply. The reason goes to the log; the client gets its number. */
  async #fail(error: unknown, planned: PlannedOperation, exchange: Exchange): Promise<Reply> {
    if (error instanceof Full) {
      return this.#decorateFailure(planned, exchange, refuse(problems.insufficient_storage, error.message))
    }
    this.#incidents += 1
    const incident = `${this.clock.now().toString(36)}-${this.#incidents.toString(36)}`
    const outage = error instanceof Outage || error instanceof Unavailable
    this.#log.error({ incident, operation: planned.operation.id, err: error }, outage ? 'outage' : 'internal error')
    const reply = outage
      ? refuse(problems.unavailable, `the state is unavailable; incident ${incident}`, { 'retry-after': '1' })
      : refuse(problems.internal_error, `internal error; incident ${incident}`)
    return this.#decorateFailure(planned, exchange, reply)
  }

  async #decorateFailure(planned: PlannedOperation, exchange: Exchange, reply: Reply): Promise<Reply> {
    try {
      return await planned.decorate(exchange, reply)
    } catch {
      return this.plan.unmatched.decorate(exchange, reply)
    }
  }

  /** Adds `Date` and `Understudy-Explanation`, then records the exchange in metrics, journal and log. */
  #finish(turn: Turn, bare: Reply): Reply {
    const { served, planned, exchange, passed, why } = turn
    const { clock } = exchange
    let reply = clock.adjusted ? withHeaders(bare, { date: httpDate(clock.now()) }) : bare
    const { warnings } = exchange
    if (warnings.length > 0) reply = withWarning(reply, warnings.join('; '))
    let explanation: Explanation | undefined
    if (passed !== undefined) {
      explanation = explain(planned, exchange, reply, passed, served.mask)
      if (why) reply = withHeaders(reply, explanationHeaders(explanation))
    }
    this.#observe(turn, reply, explanation)
    return reply
  }

  #observe({ served, planned, exchange, path, started }: Turn, reply: Reply, explanation?: Explanation): void {
    const { request, clock } = exchange
    const { method } = request
    const milliseconds = monotonic() - started
    const meter = served.meterOf(planned)
    const at = this.clock.now()
    const time = clock.adjusted ? clock.now() : at
    meter.observe(method, reply.status, milliseconds / 1000, exchange.injected / 1000)
    if (exchange.queued) meter.queued()
    const { refusal } = reply
    if (refusal !== undefined) meter.refused(refusal.problem.code)
    if (exchange.fault !== undefined) meter.struck(exchange.fault)
    const inputs = exchange.deprecatedInputs
    if (inputs !== undefined || planned.deprecated) {
      const traffic = clock.adjusted || !this.worlds.isPermanent(exchange.world.name) ? 'rehearsed' : 'live'
      if (planned.deprecated) meter.deprecated(exchange.consumer, time, traffic)
      if (inputs !== undefined) meter.deprecatedInputs(inputs, exchange.consumer, time, traffic)
    }
    this.journal.record(exchange, served.mask, outcomeOf(reply, at, path, milliseconds, request, explanation))
    if (!this.#log.requests) return
    this.#log.info(
      {
        operation: planned.operation.id || undefined,
        consumer: exchange.consumer,
        world: exchange.world.name,
        status: reply.status,
        ms: Math.round(milliseconds * 1000) / 1000,
        refused: refusal?.problem.code,
        reason: refusal === undefined ? undefined : served.mask.text(refusal.detail),
        weather: exchange.weather,
        fault: exchange.fault,
        waited: exchange.injected === 0 ? undefined : Math.round(exchange.injected * 1000) / 1000,
      },
      `${method} ${served.mask.path(request.path)}`,
    )
  }

  #serve(plan: Plan): ServedPlan {
    // Bound on first use: an operation that is never called costs nothing and has no series.
    const meters: (Meter | undefined)[] = new Array(plan.operations.length)
    const unmatched = this.#metrics.bind(plan.unmatched)
    const meterOf = (planned: PlannedOperation): Meter => {
      const { index } = planned
      if (index === plan.unmatched.index) return unmatched
      let meter = meters[index]
      if (meter === undefined) {
        meter = this.#metrics.bind(planned)
        meters[index] = meter
      }
      return meter
    }
    this.#metrics.adopted(plan, this.clock.now())
    return { plan, mask: new Mask(plan), meterOf }
  }
}

/** A question of one process to the others. */
type ProcessQuestion = { readonly ask: 'requests' } | { readonly ask: 'forget'; readonly world?: string | undefined }

/** A plan with the data of its service. Running requests are recorded where they began. */
interface ServedPlan {
  readonly plan: Plan
  readonly mask: Mask
  readonly meterOf: (planned: PlannedOperation) => Meter
}

/** A running request: its destination, its start (see `monotonic`), and its trace if it asked for one. */
interface Turn {
  readonly served: ServedPlan
  readonly planned: PlannedOperation
  readonly exchange: Exchange
  readonly path: string
  readonly started: number
  readonly passed: string[] | undefined
  /** Whether the client asks for them. */
  readonly why: boolean
}

/** Keeps the new world of a request: at once if the operation needs no authentication. */
function admitWhenLetIn(admit: () => void, { chain }: PlannedOperation, exchange: Exchange): void {
  if (chain.some(({ name }) => name === 'authenticate')) draftOf(exchange, 'gateway').admit = admit
  else admit()
}

const outcomeOf = (
  { status, headers, refusal, body }: Reply,
  at: number,
  path: string,
  milliseconds: number,
  request?: Request,
  explanation?: Explanation,
): RequestOutcome => ({
  at,
  path,
  status,
  milliseconds,
  refusal,
  explanation,
  replyHeaders: headers,
  requestBody: overheardBody(request),
  replyBody: body,
})

const UNAVAILABLE = refuse(problems.unavailable, 'the state is unavailable', { 'retry-after': '1' })

const NO_REQUEST: Request = {
  method: '',
  path: '',
  query: '',
  headers: {},
  hasBody: false,
  readBody: async () => ({ bytes: new Uint8Array() }),
  address: '',
}
