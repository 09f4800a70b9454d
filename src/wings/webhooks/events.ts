// The events of webhooks: which change or call is one, its body, and its receivers.

import type { Exchange } from '../../behaviours/exchange.ts'
import { withoutOwners } from '../../behaviours/resource.ts'
import { exampleContent, writeBody } from '../../contract/answer/body.ts'
import { echo } from '../../contract/answer/echo.ts'
import type { Scope } from '../../expression/scope.ts'
import { fieldText, type Headers } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { Plan } from '../../plan/plan.ts'
import { timestamp } from '../../world/dates.ts'
import type { World } from '../../world/world.ts'
import { type Called, fillUrl } from './documented.ts'
import type { NewDelivery } from './queue.ts'
import { deliveriesBlock, urlFault, type Webhook } from './settings.ts'

/** Something that a webhook may tell of. */
export interface Happening {
  /** Milliseconds since the epoch, by the world's clock. */
  readonly at: number
  /** `update orders 7`. */
  readonly cause: string
  readonly before: JsonObject | undefined
  readonly after: JsonObject | undefined
  /** The fields that are laid over the body. */
  readonly record: Json | undefined
  readonly exchange?: Exchange | undefined
  /** Set for a call, whose parts callbacks name. */
  readonly called?: Called | undefined
  /** For an event by hand: the whole body, and the receiver in place of those of the webhook. */
  readonly body?: Json | undefined
  readonly url?: string | undefined
}

/** The scope of the expressions of an event. */
class EventScope implements Scope {
  spent = 0
  readonly before: Json
  readonly after: Json
  readonly world: string
  readonly now: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json | undefined
  readonly consumer: string
  readonly operation: string
  readonly params: Readonly<Record<string, Json>>
  readonly query: Readonly<Record<string, Json>>
  readonly cookies: Readonly<Record<string, Json>>
  readonly text = undefined
  readonly nth = 0
  readonly accepted = 0
  readonly ordinal: number
  readonly #world: World

  constructor(world: World, { before, after, at, exchange }: Happening, event: number) {
    this.#world = world
    this.before = before ?? null
    this.after = after ?? null
    this.world = world.name
    this.now = at
    this.ordinal = event
    const { request, body, consumer = '', operation, parameters = [] } = exchange ?? {}
    this.method = request?.method ?? ''
    this.path = request?.path ?? ''
    this.headers = (request?.headers ?? {}) as Readonly<Record<string, string>>
    this.body = body
    this.consumer = consumer
    this.operation = operation?.id ?? ''
    const inPlace = (place: string) =>
      Object.fromEntries(parameters.flatMap(one => (one.in === place ? [[one.name, one.value] as const] : [])))
    this.params = inPlace('path')
    this.query = inPlace('query')
    this.cookies = inPlace('cookie')
  }

  calls = (operation: string): number => this.#world.ordinals.get(operation) ?? 0
  scenario = (): string => ''
  size = (): number => 0
  record = (): undefined => undefined
  draw = (purpose: string): number => this.#world.draw('webhooks', this.ordinal, purpose)
  uuid = (): string => this.#world.drawUuid('webhooks', this.ordinal, 'uuid')
  sample = (): Json => null
  warn = (): void => {}
}

/** Whether a webhook tells of this. */
export const isTold = ({ when }: Webhook['triggers'][number], world: World, happening: Happening): boolean =>
  when === undefined || when.holds(new EventScope(world, happening, 0))

/** A body in the media type of a webhook. */
interface Written {
  readonly text: string
  readonly type: string
  readonly warnings: readonly string[]
}

/** The longest body of a delivery in characters. */
const LONGEST = 1_000_000

/** Returns the body of an event. */
function writeEvent(webhook: Webhook, world: World, happening: Happening, event: number): Written {
  const { media, type, body } = webhook
  const { schema } = media
  const value = happening.body ?? (body === undefined ? documentedBody(webhook, happening, event) : undefined)
  const scope = new EventScope(world, happening, event)
  const id = `evt_${world.drawUuid('webhooks', event, 'event')}`
  const filling = { scope, event: { id, type: webhook.name, time: timestamp(happening.at) } }
  const content = { value: value ?? (body?.fill(filling) as Json | undefined) ?? happening.record ?? null }
  const violations = schema?.check(content.value) ?? []
  const written = writeBody(content, media, type)
  const text = typeof written.body === 'string' ? written.body : Buffer.from(written.body).toString()
  const warnings = violations.slice(0, 5).map(({ pointer, message }) => `${pointer || 'the body'} ${message}`)
  return { text, type: written.contentType, warnings }
}

/** Returns an example or a generated value of the schema, with the fields of the record. */
function documentedBody({ media, type }: Webhook, { record }: Happening, event: number): Json | undefined {
  const { schema } = media
  const example = exampleContent(media, type)?.value
  const lay = (base: Json | undefined): Json | undefined =>
    base === undefined || !isObject(record)
      ? base
      : echo(base, { parameters: [], body: record }, schema, example !== undefined)
  if (example !== undefined) return lay(example)
  // Optional fields would say of the record what it does not have, so they are left out unless the record is within one.
  const least = schema?.sample({ seed: event, budget: 0 }).value
  const laid = lay(least)
  return laid === least ? lay(schema?.sample({ seed: event }).value) : laid
}

/** The header fields that the contract documents and requires, or has an example of. */
function documentedHeaders({ operation }: Webhook): Headers {
  const headers: Record<string, string> = {}
  for (const { name, in: place, schema, required, node } of operation?.parameters ?? []) {
    if (place !== 'header') continue
    const { example } = node.value as { readonly example?: Json }
    const value = example ?? (required ? schema.sample({ seed: 1 }).value : undefined)
    if (value !== undefined && !isObject(value)) headers[name.toLowerCase()] = fieldText(String(value))
  }
  return headers
}

/** A receiver: its URL, and its subscription if it has one; or why there is none. */
interface Receiver {
  readonly url: string
  readonly fault?: string
  readonly subscription?: NewDelivery['subscription']
}

/** Returns the receivers of an event, in the order of their subscriptions. */
function receiversOf({ to, name }: Webhook, world: World, { called }: Happening): readonly Receiver[] {
  if ('resource' in to) return [...subscriptionsIn(world, to.resource, name)]
  if (!to.filled) return [{ url: to.url }]
  if (called === undefined)
    return [{ url: to.url, fault: 'a callback needs the request that asked for it; send it with "url"' }]
  const filled = fillUrl(to.url, called)
  return 'url' in filled ? [filled] : [{ url: to.url, fault: `${filled.missing} is not in the request` }]
}

function* subscriptionsIn(world: World, resource: string, webhook: string): Iterable<Receiver> {
  for (const { id, value } of world.collections.get(resource)?.entries() ?? []) {
    const { url, events, active } = value
    const isOther = Array.isArray(events) && !events.some(event => event === webhook || event === '*')
    if (isOther || active === false) continue
    const subscription = { resource, id: String(id) }
    yield typeof url === 'string'
      ? { url, subscription }
      : { url: '', subscription, fault: 'the subscription has no "url"' }
  }
}

/** Returns the deliveries of an event. */
export function deliveriesOf(
  webhook: Webhook,
  world: World,
  plan: Plan,
  happening: Happening,
  event: number,
): readonly NewDelivery[] {
  const { url } = happening
  const receivers = url === undefined ? receiversOf(webhook, world, happening) : [{ url }]
  if (receivers.length === 0) return []
  const { text, type, warnings } = writeEvent(webhook, world, happening, event)
  const headers = { 'content-type': type, ...documentedHeaders(webhook), ...webhook.headers }
  const { at, cause } = happening
  const hosts = plan.settings(deliveriesBlock)?.hosts
  return receivers.map(({ url: receiver, fault, subscription }: Receiver) => {
    const isLong = text.length > LONGEST ? `the body has more than ${LONGEST} characters` : undefined
    const urlWrong = hosts && urlFault(receiver, hosts)?.[0]
    const why = fault ?? isLong ?? (urlWrong && `the URL ${urlWrong}`)
    return {
      webhook: webhook.name,
      cause,
      at,
      due: why === undefined ? at : undefined,
      state: why === undefined ? 'pending' : 'failed',
      why,
      subscription,
      url: receiver,
      method: webhook.operation?.method ?? 'POST',
      headers,
      body: isLong === undefined ? text : '',
      warnings,
      attempts: [],
    }
  })
}

/** Returns a record as replies show it. */
export function shownRecord(value: JsonObject | undefined, plan: Plan, resource: string): JsonObject | undefined {
  const known = plan.collections.get(resource)?.resource
  if (value === undefined || known === undefined) return value
  const hidden = [...known.unshown, ...(known.source?.marks ?? [])]
  return withoutOwners(hidden, value)
}
