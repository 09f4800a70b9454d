// Watches the worlds and their requests for events of webhooks, and has them delivered.

import { decodeQuery } from '../../contract/document/parameters.ts'
import type { Finished } from '../../gateway/finished.ts'
import type { Host, Observer } from '../../gateway/observer.ts'
import { firstOf } from '../../kernel/http.ts'
import { isObject, type Json, parseJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { Plan } from '../../plan/plan.ts'
import type { RecordChange } from '../../world/changes.ts'
import type { World, WorldWatcher } from '../../world/world.ts'
import { changeWorld, type Depot, openDepot, Rounds } from './courier.ts'
import type { Called } from './documented.ts'
import { deliveriesOf, type Happening, isTold, shownRecord } from './events.ts'
import { fateOf, underFate } from './fates.ts'
import { Queue } from './queue.ts'
import { type Trigger, type Webhook, webhooksBlock } from './settings.ts'

/** Deliveries whose change was made by a request that is not finished yet. */
interface Fresh {
  readonly change: RecordChange
  readonly ids: readonly string[]
}

/** The most of these, and of the requests that are known. */
const [MOST_FRESH, MOST_KNOWN] = [1000, 20_000]

export class Webhooks implements WorldWatcher {
  readonly depot: Depot
  readonly #host: Host
  readonly #closed = new AbortController()
  readonly #rounds = new WeakMap<World, Rounds>()
  #fresh: Fresh[] = []
  /** The entries of the journal by the deliveries that they caused. */
  readonly requests = new Map<string, number>()
  #wasFull = false

  constructor(host: Host) {
    this.#host = host
    this.depot = openDepot(host, this.#closed.signal)
  }

  close(): void {
    this.#closed.abort()
  }

  /** Watches all worlds, or none. */
  watch(isWatched: boolean): void {
    this.#host.worlds.watchBy('webhooks', isWatched ? this : undefined)
  }

  /** Resolves when what is due in a world now has been attempted. */
  async settle(world: World): Promise<void> {
    await this.#roundsOf(world)?.settle()
  }

  #roundsOf(world: World): Rounds | undefined {
    if (this.#webhooksOf(world) === undefined) return undefined
    return getOrMake(this.#rounds, world, () => new Rounds(world, this.depot))
  }

  #runAside(world: World): void {
    this.#roundsOf(world)?.run().catch(this.#host.fail)
  }

  /** The webhooks of a world; `undefined` if it has none. */
  #webhooksOf(world: World): ReadonlyMap<string, Webhook> | undefined {
    const webhooks = this.#host.worlds.planOf(world.name).settings(webhooksBlock)
    return webhooks?.size === 0 ? undefined : webhooks
  }

  placed = (world: World): void => this.#runAside(world)
  moved = (world: World): void => this.#runAside(world)

  changed(world: World, resource: string, change: RecordChange): void {
    try {
      const { before, after, moment } = change
      const kind = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
      const entry = after ?? before
      const plan = this.#host.worlds.planOf(world.name)
      const happening: Happening = {
        at: moment ?? world.clock.now(),
        cause: `${kind} ${resource} ${entry?.id}`,
        before: shownRecord(before?.value, plan, resource),
        after: shownRecord(after?.value, plan, resource),
        record: shownRecord(entry?.value, plan, resource),
      }
      const ids = this.#tell(world, happening, ({ kind: on, name }) => on === kind && name === resource)
      if (ids.length === 0) return
      this.#fresh.push({ change, ids })
      if (this.#fresh.length > MOST_FRESH) this.#fresh.shift()
      this.#runAside(world)
    } catch (error) {
      this.#host.fail(error)
    }
  }

  /** Adds the deliveries of the webhooks that tell of this; returns their ids. */
  #tell(world: World, happening: Happening, concerns: (trigger: Trigger) => boolean): readonly string[] {
    const ids: string[] = []
    for (const webhook of this.#webhooksOf(world)?.values() ?? []) {
      if (!webhook.triggers.some(trigger => concerns(trigger) && isTold(trigger, world, happening))) continue
      ids.push(...this.deliver(webhook, world, happening))
    }
    return ids
  }

  /** Adds the deliveries of an event of a webhook; returns their ids. To be called in a turn. */
  deliver(webhook: Webhook, world: World, happening: Happening): readonly string[] {
    const queue = new Queue(world)
    const event = queue.nextEvent()
    const plan = this.#host.worlds.planOf(world.name)
    const fate = fateOf(this.#host.weather.in(world, plan), webhook.name)
    const deliveries = deliveriesOf(webhook, world, plan, happening, event).flatMap((delivery, i) =>
      fate === undefined
        ? [delivery]
        : underFate(fate, delivery, purpose => world.draw('webhooks', event, `${purpose} ${i}`)),
    )
    const { ids, dropped } = queue.add(event, deliveries)
    if (dropped > 0) {
      const series = this.depot.attempts.series({ webhook: webhook.name, outcome: 'dropped' })
      for (let i = 0; i < dropped; i++) series.add()
      if (!this.#wasFull)
        this.#host.log.warn(
          { world: world.name, webhook: webhook.name },
          'too many deliveries wait; later ones are dropped',
        )
    }
    this.#wasFull = dropped > 0
    return ids
  }

  /** Links the deliveries that a request has caused to its entry of the journal, and tells of the call. */
  observe(done: Finished, triggers: ReadonlySet<string>): void {
    const { exchange, reply, planned } = done
    const entry = this.#host.journal.latest
    this.#link(done, entry)
    const { world, notes } = exchange
    const isAnswered = triggers.has(planned.operation.id) && reply.status >= 200 && reply.status < 300
    const rules = [...triggers].filter(name => notes.some(note => note === name || note.startsWith(`${name}:`)))
    if (!isAnswered && rules.length === 0) return
    const called = calledIn(done)
    const record = isObject(called.response.body) ? called.response.body : exchange.body
    const after = isObject(record) ? record : undefined
    const at = exchange.clock.now()
    const happening: Happening = {
      at,
      cause: exchange.text,
      before: undefined,
      after: after as never,
      record,
      exchange,
      called,
    }
    const concerns = ({ kind, name }: Trigger) =>
      kind === 'operation'
        ? isAnswered && name === planned.operation.id
        : kind === 'rule' && rules.includes(`rule ${name}`)
    changeWorld(world, exchange.text, () => this.#tell(world, happening, concerns))
      .then(ids => {
        for (const id of ids) this.#know(id, entry)
        this.#runAside(world)
      })
      .catch(this.#host.fail)
  }

  #link({ exchange }: Finished, entry: number): void {
    if (this.#fresh.length === 0) return
    const isCause = ({ change: { before, after } }: Fresh) =>
      after === undefined ? exchange.segments.includes(String(before?.id)) : after === exchange.entry
    for (const { ids } of this.#fresh.filter(isCause)) for (const id of ids) this.#know(id, entry)
    this.#fresh = this.#fresh.filter(fresh => !isCause(fresh))
  }

  #know(id: string, entry: number): void {
    // Nothing is kept.
    if (entry === 0) return
    this.requests.set(id, entry)
    this.#host.journal.note(entry, `webhook: ${id}`)
    if (this.requests.size <= MOST_KNOWN) return
    const [first = ''] = this.requests.keys()
    this.requests.delete(first)
  }
}

/** Returns a call as the expressions of callbacks see it. */
function calledIn({ exchange, reply, path }: Finished): Called {
  const { request, operation, segments } = exchange
  const { headers, query } = request
  const names = [...operation.path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  const inQuery = (name: string) => {
    const pair = query.split('&').find(one => (decodeQuery(one.split('=', 1)[0] as string) ?? '') === name)
    return pair && decodeQuery(pair.slice(pair.indexOf('=') + 1))
  }
  const text = typeof reply.body === 'string' ? reply.body : reply.body && Buffer.from(reply.body).toString()
  const parsed = text === undefined ? undefined : parseJson(text)
  return {
    url: `http://${firstOf(headers.host) ?? 'localhost'}${path}${query === '' ? '' : `?${query}`}`,
    method: request.method,
    status: reply.status,
    request: {
      part: (place, name) =>
        place === 'header' ? firstOf(headers[name]) : place === 'query' ? inQuery(name) : segments[names.indexOf(name)],
      body: exchange.body,
    },
    response: {
      part: (place, name) => (place === 'header' ? reply.headers[name] : undefined),
      body: parsed !== undefined && 'value' in parsed ? (parsed.value as Json) : undefined,
    },
  }
}

/** The operations and rules that webhooks of a plan tell of. */
const triggersIn = (plan: Plan): ReadonlySet<string> =>
  new Set(
    [...(plan.settings(webhooksBlock)?.values() ?? [])].flatMap(({ triggers }) =>
      triggers.flatMap(({ kind, name }) => (kind === 'operation' ? [name] : kind === 'rule' ? [`rule ${name}`] : [])),
    ),
  )

export const webhooksObserver: Observer<Webhooks> = {
  name: 'webhooks',
  open: host => new Webhooks(host),
  compile(plan, webhooks) {
    const hasWebhooks = (one: Plan) => (one.settings(webhooksBlock)?.size ?? 0) > 0
    if (plan.world === undefined) webhooks.watch([plan, ...(plan.others?.values() ?? [])].some(hasWebhooks))
    if (!hasWebhooks(plan)) return undefined
    const triggers = triggersIn(plan)
    return done => webhooks.observe(done, triggers)
  },
  settle: (webhooks, world) => webhooks.settle(world),
  close: webhooks => webhooks.close(),
}
