// Delivers what is due in the worlds of a gateway, by their clocks. Receivers are served side by side, and each gets one attempt after
// the other.

import { asId } from '../../behaviours/resource.ts'
import { nonconformanceOf } from '../../contract/judge.ts'
import { Instrument } from '../../gateway/metrics/families.ts'
import type { Host } from '../../gateway/observer.ts'
import { fieldText, type Headers, UTF8 } from '../../kernel/http.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { Plan } from '../../plan/plan.ts'
import { timestamp } from '../../world/dates.ts'
import { breathe, monotonic } from '../../world/real-time.ts'
import type { Entry } from '../../world/records/types.ts'
import type { World } from '../../world/world.ts'
import { fateOf } from './fates.ts'
import { inOrder, type Kept, Queue, receiverOf } from './queue.ts'
import { type Network, openNetwork, type Received, send } from './send.ts'
import { deliveriesBlock, isStandard, type Webhook, webhooksBlock } from './settings.ts'
import { sign } from './sign.ts'
import type { Attempt, SubscriptionName } from './types.ts'

/** The most receivers that are served side by side in one world. */
const MOST_AT_ONCE = 20
/** Milliseconds after which a world is looked at again in any case: another process may have changed it. */
const LOOK = 1000
/** The longest sleep, in milliseconds. */
const LONGEST_SLEEP = 3_600_000
/** The bytes of a reply that are kept. */
const KEPT_REPLY = 1000

/** The parts that rounds share. */
export interface Depot {
  readonly host: Host
  /** Unset where nothing may leave the process. */
  network: Network | undefined
  readonly attempts: Instrument
  /** Names this process among those that share a state. */
  readonly member: string
  readonly closed: AbortSignal
}

export const openDepot = (host: Host, closed: AbortSignal): Depot => ({
  host,
  network: host.environment && openNetwork,
  attempts: host.metrics.add(
    new Instrument(
      'understudy_webhook_attempts_total{webhook,outcome}',
      'Attempts to deliver webhooks, by outcome: delivered, failed, given_up (the last one failed), gone; dropped ones had no room.',
    ),
  ),
  member: `${host.clock.now()} ${monotonic()}`,
  closed,
})

/** Runs some work that changes a world: in its turn with all others, where changes are recorded. */
export const changeWorld = async <Result>(world: World, text: string, work: () => Result): Promise<Result> =>
  world.recorder === undefined ? work() : world.recorder.run(async () => work(), { text })

/** The rounds through one world. */
export class Rounds {
  readonly #world: World
  readonly #depot: Depot
  readonly #queue: Queue
  #running: Promise<void> | undefined
  #isChanged = false
  #hasFailed = false
  readonly #busy = new Set<string>()
  /** Ends the wait for a receiver or a change. */
  #nudge = (): void => {}
  /** Called after the next attempt. */
  readonly #steps: (() => void)[] = []
  /** Counts sleeps: only the last one wakes. */
  #sleeps = 0

  constructor(world: World, depot: Depot) {
    this.#world = world
    this.#depot = depot
    this.#queue = new Queue(world)
  }

  /** Resolves when what is due now has been attempted; what receivers cause meanwhile is not waited for, as it may have no end. */
  async settle(): Promise<void> {
    this.run().catch(this.#depot.host.fail)
    await breathe()
    await this.#fireTimers()
    const last = this.#queue.lastEvent
    const isOwed = () => {
      const now = this.#world.clock.now()
      for (const kept of this.#queue.pending())
        if (kept.ordinal < last + 1 && (kept.due as number) <= now && !this.#isClaimed(kept)) return true
      return false
    }
    while (this.#isReady && !this.#hasFailed && isOwed()) {
      const step = new Promise<void>(resolve => this.#steps.push(resolve))
      await Promise.race([this.run(), step])
    }
  }

  /** Resolves when nothing is due any more. */
  run(): Promise<void> {
    this.#isChanged = true
    this.#nudge()
    this.#running ??= this.#runAll()
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#running = undefined
        // Something may have changed since the last look.
        if (this.#isChanged && this.#isReady && !this.#hasFailed) this.run().catch(this.#depot.host.fail)
        else this.#sleep()
      })
    return this.#running
  }

  #fail(error: unknown): void {
    this.#hasFailed = true
    this.#depot.host.fail(error)
  }

  get #plan(): Plan {
    return this.#depot.host.worlds.planOf(this.#world.name)
  }

  /** Whether the world is still there, and its state is known. */
  get #isReady(): boolean {
    const { host, network, closed } = this.#depot
    const { name, recorder } = this.#world
    const isKnown = this.#plan.simulation.state === undefined || recorder !== undefined
    return network !== undefined && !closed.aborted && isKnown && host.worlds.peek(name) === this.#world
  }

  async #runAll(): Promise<void> {
    // The change that made something due is done first.
    await breathe()
    this.#hasFailed = false
    while (this.#isReady && !this.#hasFailed) {
      this.#isChanged = false
      await this.#fireTimers()
      const due = this.#collect()
      for (const list of due) {
        while (this.#busy.size >= MOST_AT_ONCE) await this.#change()
        if (this.#isReady) this.#serve(list)
      }
      if (!this.#isChanged && this.#busy.size === 0) break
      if (!this.#isChanged) await this.#change()
      // A receiver that causes the next event stops nothing else.
      await breathe()
    }
  }

  #change(): Promise<void> {
    return new Promise(resolve => {
      this.#nudge = resolve
    })
  }

  /** The resources that webhooks watch. */
  get #watched(): readonly string[] {
    const names = [...(this.#plan.settings(webhooksBlock)?.values() ?? [])].flatMap(({ triggers }) =>
      triggers.flatMap(({ kind, name }) => (kind === 'update' ? [name] : [])),
    )
    return [...new Set(names)]
  }

  /** Has the clock move the states of records that are due. */
  async #fireTimers(): Promise<void> {
    const living = this.#watched.filter(name => this.#world.collections.get(name)?.lives)
    if (living.length === 0) return
    await changeWorld(this.#world, 'the clock', () => {
      for (const name of living) this.#world.collections.get(name)?.upcoming(0)
    })
  }

  #isClaimed({ claim }: Kept): boolean {
    const { host, member } = this.#depot
    return claim !== undefined && claim.by !== member && claim.until > host.clock.now()
  }

  /** Returns what is due, by receiver, in the order in which it is due; without receivers that are being served. */
  #collect(): readonly (readonly Kept[])[] {
    const now = this.#world.clock.now()
    const due = [...this.#queue.pending()]
      .filter(kept => (kept.due as number) <= now && !this.#isClaimed(kept))
      .sort(inOrder)
    const lists = new Map<string, Kept[]>()
    for (const kept of due) getOrMake(lists, receiverOf(kept), () => []).push(kept)
    return [...lists].flatMap(([receiver, list]) => (this.#busy.has(receiver) ? [] : [list]))
  }

  #serve(list: readonly Kept[]): void {
    const receiver = receiverOf(list[0] as Kept)
    this.#busy.add(receiver)
    this.#serveAll([...list])
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#busy.delete(receiver)
        this.#isChanged = true
        this.#nudge()
      })
  }

  async #serveAll(list: Kept[]): Promise<void> {
    for (let next = list.shift(); next !== undefined && this.#isReady; next = list.shift()) {
      const kept = await this.#claim(next)
      if (kept === undefined) continue
      const done = await this.#attempt(kept)
      // An attempt that the end of the process broke off was none.
      if (this.#depot.closed.aborted) return
      const after = await changeWorld(this.#world, `webhook ${kept.webhook}`, () => this.#finish(done))
      for (const step of this.#steps.splice(0)) step()
      // An attempt that fails while the clock has moved on may be due again, before others.
      if (after?.due === undefined || after.due > this.#world.clock.now()) continue
      list.push(after)
      list.sort(inOrder)
    }
  }

  /** Returns a delivery if it is still to be made, and by this process. */
  async #claim({ id, due }: Kept): Promise<Kept | undefined> {
    const current = () => {
      const kept = this.#queue.get(id)
      return kept?.state === 'pending' && kept.due === due && !this.#isClaimed(kept) ? kept : undefined
    }
    if (this.#world.recorder?.repeats !== true) return current()
    const { host, member } = this.#depot
    const { timeout = 0 } = this.#plan.settings(deliveriesBlock) ?? {}
    return changeWorld(this.#world, 'webhooks', () => {
      const kept = current()
      if (kept !== undefined)
        this.#queue.put({ ...kept, claim: { by: member, until: host.clock.now() + 2 * timeout + LOOK } })
      return kept
    })
  }

  /** Makes one attempt, and returns the delivery after it. */
  async #attempt(kept: Kept): Promise<Kept> {
    const { host } = this.#depot
    const webhook = this.#plan.settings(webhooksBlock)?.get(kept.webhook)
    if (webhook === undefined)
      return { ...kept, due: undefined, state: 'failed', why: 'the configuration has no such webhook' }
    const [at, started] = [host.clock.now(), monotonic()]
    const { isLost, isSpoilt } = this.#fate(kept)
    const signed = this.#sign(webhook, isSpoilt ? { ...kept, body: `${kept.body} ` } : kept, at)
    const received = isLost
      ? new Error('lost by the weather')
      : typeof signed === 'string'
        ? new Error(signed)
        : await this.#send(kept, signed)
    const base = {
      due: timestamp(kept.due as number),
      at: timestamp(at),
      durationMs: Math.round((monotonic() - started) * 1000) / 1000,
      headers: typeof signed === 'string' ? {} : signed,
      ...(isLost ? { injected: ['lost'] } : isSpoilt && { injected: ['bad signature'] }),
    }
    const attempt: Attempt =
      received instanceof Error ? { ...base, error: received.message } : { ...base, ...judged(received, webhook) }
    return outcomeOf({ ...kept, claim: undefined, attempts: [...kept.attempts, attempt] }, attempt, webhook)
  }

  /** Returns what the weather does to the next attempt. */
  #fate({ webhook, id, ordinal, attempts: { length } }: Kept): {
    readonly isLost: boolean
    readonly isSpoilt: boolean
  } {
    const fate = fateOf(this.#depot.host.weather.in(this.#world, this.#plan), webhook)
    const isDrawn = (chance: 'drop' | 'badSignature') =>
      fate !== undefined && this.#world.draw('webhooks', ordinal, `${chance} ${id} ${length}`) < fate.chance(chance)
    return { isLost: isDrawn('drop'), isSpoilt: isDrawn('badSignature') }
  }

  /** Returns the headers of the signature, or why there is none. */
  #sign(
    { signing, secrets: own }: Webhook,
    { id, copyOf = id, webhook, body, subscription }: Kept,
    at: number,
  ): Headers | string {
    if (signing === undefined) return {}
    const entry = this.#subscription(subscription)
    const secret = entry?.value.secret
    const secrets = typeof secret === 'string' && secret !== '' ? [secret] : own
    if (secrets.length === 0) return 'the subscription has no "secret" to sign with'
    if (signing.scheme === 'standard' && !secrets.every(isStandard)) return 'the secret is none of Standard Webhooks'
    return sign(signing, secrets, { id: copyOf, webhook, body, at })
  }

  /** Returns the record of a subscription. */
  #subscription({ resource, id }: Partial<SubscriptionName> = {}): Entry | undefined {
    const known = this.#plan.collections.get(resource ?? '')?.resource
    return known && this.#world.collections.get(known.name)?.peek(asId(id ?? '', known.ids))
  }

  async #send({ method, url, headers, body }: Kept, signature: Headers): Promise<Received | Error> {
    const { host, network, closed } = this.#depot
    const settings = this.#plan.settings(deliveriesBlock)
    if (settings === undefined || network === undefined) return new Error('nothing may leave this process')
    const outgoing = { method, url, headers: { 'user-agent': 'understudy', ...signature, ...headers }, body }
    return send(outgoing, { ...settings, network, clock: host.clock, closed }).catch((error: Error) => error)
  }

  /** Keeps the outcome of an attempt. */
  #finish(done: Kept): Kept | undefined {
    if (this.#queue.get(done.id)?.state !== 'pending') return undefined
    this.#queue.put(done)
    const outcome = done.state === 'failed' ? 'given_up' : done.state === 'pending' ? 'failed' : done.state
    const { attempts, host } = this.#depot
    attempts.series({ webhook: done.webhook, outcome }).add()
    if (done.state === 'failed') {
      const fields = { world: this.#world.name, webhook: done.webhook, delivery: done.id }
      host.log.warn(fields, `a delivery was given up: ${done.why}`)
    }
    const entry = done.state === 'gone' ? this.#subscription(done.subscription) : undefined
    if (entry !== undefined)
      this.#world.collections
        .get(done.subscription?.resource ?? '')
        ?.remove(entry.id)
        .catch(host.fail)
    return done
  }

  /** Sleeps until something is due, in real time. */
  #sleep(): void {
    const { host, network, closed } = this.#depot
    const world = this.#world
    if (network === undefined || closed.aborted || host.worlds.peek(world.name) !== world) return
    const { now, rate } = world.clock.state
    let next = Number.POSITIVE_INFINITY
    for (const { due = next } of this.#queue.pending()) next = Math.min(next, due)
    for (const name of this.#watched) {
      // Looking at the timers fires none here: those that are due have just been fired.
      const records = world.collections.get(name)
      for (const { due = next } of records?.lives ? records.upcoming(1) : []) next = Math.min(next, due)
    }
    const isUnread = this.#plan.simulation.state !== undefined && world.recorder === undefined
    const isPolled = this.#hasFailed || isUnread || world.recorder?.repeats === true
    const wait = Math.min(
      isPolled ? LOOK : LONGEST_SLEEP,
      rate === 0 ? LONGEST_SLEEP : Math.max(1, (next - now) / rate),
    )
    if (!isPolled && (next === Number.POSITIVE_INFINITY || rate === 0)) return
    this.#sleeps += 1
    const mine = this.#sleeps
    const asleep = host.clock.doze?.(wait) ?? host.clock.sleep(wait)
    asleep.then(() => (mine === this.#sleeps ? this.run() : undefined)).catch(host.fail)
  }
}

/** Returns what an attempt says of a reply. */
function judged(received: Received, { operation }: Webhook): Pick<Attempt, 'status' | 'reply' | 'warning' | 'error'> {
  const { status, headers, body } = received
  const fault = operation && nonconformanceOf(operation, received)
  return {
    status,
    ...(body === undefined
      ? { reply: 'longer than is read' }
      : body.length > 0 && { reply: fieldText(UTF8.decode(body.subarray(0, KEPT_REPLY))) }),
    ...(fault && { warning: `the receiver ${fault.message}` }),
    ...(status >= 300 &&
      status < 400 && {
        error: `redirects are not followed${headers.location === undefined ? '' : `: ${headers.location}`}`,
      }),
  }
}

/** Returns a delivery after an attempt: its state, and when it is due again. */
function outcomeOf(kept: Kept, { status = 0, error }: Attempt, webhook: Webhook): Kept {
  if (status >= 200 && status < 300) return { ...kept, state: 'delivered', due: undefined, why: undefined }
  const why = error ?? `the receiver answered ${status}`
  if (status === 410 && webhook.operation?.responses.has('410')) return { ...kept, state: 'gone', due: undefined, why }
  const wait = webhook.waitAfter(kept.attempts.length)
  if (wait === undefined) return { ...kept, state: 'failed', due: undefined, why }
  return { ...kept, due: (kept.due as number) + wait, why }
}
