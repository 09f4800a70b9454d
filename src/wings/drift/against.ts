// Sends the probes of `check --deep` to a real server, and compares its replies with the contract. Ids come from its lists.
// Without permission to write it only reads; with it, it changes and deletes only records that it made.

import { nextLink } from '../../behaviours/respond/pages.ts'
import { type Operation, responseFor } from '../../contract/contract.ts'
import { placeOf } from '../../contract/documents.ts'
import { expressionsOf } from '../../contract/paths.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Headers, Reply } from '../../kernel/http.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { isSecretName } from '../../kernel/secrets.ts'
import type { Progress } from '../../kernel/terminal.ts'
import { credentialOf, NO_CREDENTIAL } from '../../plan/credentials.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import type { World } from '../../world/world.ts'
import { roleOf } from '../infer/list.ts'
import { asksForCredential, documentsSuccess, type Probe, probesOf } from '../probe/probe.ts'
import { createRunner, type TrialRunner } from '../probe/runner.ts'
import {
  aboutStatus,
  differencesOf,
  type ObservedReply,
  type ReplyDifference,
  valueOfBody,
} from '../project/differences.ts'
import { type AskedRequest, listIn, nextIn } from '../project/page-differences.ts'
import { DriftBook, type DriftContext } from './drift-book.ts'
import { type PathValues, ServerRecords } from './server-records.ts'

export interface SentRequest extends AskedRequest {
  readonly headers: Headers
  /** Empty for none. */
  readonly text: string
}

/** Sends a request to the real API. */
export type AskUpstream = (request: SentRequest) => Promise<ObservedReply>

export interface AgainstOptions {
  readonly ask: AskUpstream
  /** The consumer whose credentials are sent; none are sent without one. */
  readonly consumer: string | undefined
  readonly writes: boolean
  now(): number
  readonly progress?: Progress
}

/** Its result. */
export interface Against {
  readonly book: DriftBook
  readonly requests: number
}

const READS = new Set(['GET', 'HEAD'])
/** Without a reply to this many requests in a row, no further ones are sent. */
const MOST_SILENCES = 3
/** The pages of a list that are followed. */
const MOST_PAGES = 4

/** Returns the place in the order of calls: lists, records, records of owners; then writes, of which deletions are last. */
const callingOrder = ({ method, path }: Operation): number => {
  const order = ['POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method)
  return (READS.has(method) ? 0 : 100 * (order === -1 ? 3 : order + 1)) + expressionsOf(path).length
}

/** The calls of one operation. */
interface Calls extends PathValues {
  readonly planned: PlannedOperation
  /** The world of the stand-in. */
  readonly world: World
}

/** Sends the probes of every operation. Operations that could not be called, and records that could not be deleted, are reported. */
export async function checkAgainst(plan: Plan, report: Diagnostics, options: AgainstOptions): Promise<Against> {
  const check = new ServerCheck(plan, report, options)
  const documented = plan.operations.filter(({ operation }) => operation.wing === undefined)
  const order = documented.toSorted((a, b) => callingOrder(a.operation) - callingOrder(b.operation))
  for (const [i, planned] of order.entries()) {
    options.progress?.('calling every operation:', i, order.length)
    await check.call(planned)
  }
  await check.deleteMade()
  check.tellClosed()
  return check
}

class ServerCheck implements Against {
  readonly book = new DriftBook()
  requests = 0
  readonly #plan: Plan
  readonly #report: Diagnostics
  readonly #options: AgainstOptions
  readonly #runner: TrialRunner
  readonly #records: ServerRecords
  /** The last requests in a row that got no reply. */
  #silences = 0
  /** The operations that refused a request without a credential. */
  readonly #closed = new Set<Operation>()

  constructor(plan: Plan, report: Diagnostics, options: AgainstOptions) {
    this.#plan = plan
    this.#report = report
    this.#options = options
    this.#runner = createRunner(plan)
    this.#records = new ServerRecords(plan)
  }

  get #isLost(): boolean {
    return this.#silences >= MOST_SILENCES
  }

  async call(planned: PlannedOperation): Promise<void> {
    const { operation } = planned
    const isRead = READS.has(operation.method)
    if (this.#isLost || !(isRead || this.#options.writes)) return
    const values = isRead ? this.#records.forRead(operation) : this.#records.forWrite(operation)
    const probes = (!isRead && values.lacking) || this.#probesFor(planned, values)
    if (typeof probes === 'string') return this.#skip(operation, probes)
    const calls = { ...values, planned, world: this.#runner.newWorld() }
    const own = probesOf(planned, this.#plan)
    const send = (probe: Probe) =>
      this.#ask(calls, probe, typeof own === 'string' ? undefined : own.find(({ what }) => what === probe.what))
    const [valid, ...invalid] = probes as readonly [Probe, ...Probe[]]
    const first = isRead ? await send(valid) : undefined
    if (isRead && (first === undefined || first.status >= 400)) return
    for (const probe of invalid) await send(probe)
    if (first !== undefined) await this.#askFurther(calls, valid, valueOfBody(first))
    // Mistakes are tried first with a write: a deletion leaves nothing to try them with.
    else await send(valid)
  }

  /** Asks for further pages of a list, or for a record that does not exist. */
  async #askFurther(calls: Calls, valid: Probe, body: Json | undefined): Promise<void> {
    const { planned, given, lacking } = calls
    const { path } = planned.operation
    if (!path.endsWith('}')) {
      const items = listIn(body)?.items
      if (items === undefined) return
      this.#records.addList(path, items)
      for (const query of pageQueries(planned.operation, items)) await this.#askPages(calls, valid, query)
    } else if (lacking === undefined) {
      const name = expressionsOf(path).at(-1) as string
      const probes = this.#probesFor(planned, { given: new Map([...given, [name, unlikely(given.get(name))]]) })
      if (typeof probes === 'string') return
      const probe = { ...(probes[0] as Probe), what: 'for a record that does not exist', valid: false }
      await this.#ask(calls, probe)
    }
  }

  /** Asks for a page, and for those that follow it. */
  async #askPages(calls: Calls, valid: Probe, [name, value]: readonly [string, string]): Promise<void> {
    const { operation } = calls.planned
    const cursor = operation.parameters.find(one => one.in === 'query' && roleOf(one.name) === 'cursor')
    const pages = new URLSearchParams(valid.request.query)
    pages.set(name, value)
    let query = String(pages)
    for (let page = 0; page < MOST_PAGES; page++) {
      const reply = await this.#ask(calls, { ...valid, what: `with ${query}`, request: { ...valid.request, query } })
      const to =
        reply && (nextLink(reply.headers.link) ?? nextIn(operation, reply.headers, valueOfBody(reply) ?? null)?.to)
      if (to === undefined) return
      if (cursor !== undefined) pages.set(cursor.name, to)
      const next = to.includes('?') ? to.slice(to.indexOf('?') + 1) : String(pages)
      if (next === query) return
      query = next
    }
  }

  /** Deletes the records that were made, the last one first. */
  async deleteMade(): Promise<void> {
    for (const made of this.#records.left) {
      const deletion = this.#records.deletionOf(made)
      const probes = deletion && this.#probesFor(deletion.planned, deletion)
      const request = typeof probes === 'object' ? probes[0]?.request : undefined
      const { status } = (deletion && request && (await this.#send(deletion.planned.operation, request))) ?? {
        status: 0,
      }
      if ((status > 0 && status < 300) || status === 404 || status === 410) continue
      const { operation, id } = made
      const what = id === undefined ? 'a record whose id is unknown' : `the record ${String(id)}`
      const message = `${operation.id} made ${what}, which could not be deleted`
      this.#report.warning('left-behind', message, placeOf(operation.node, 'key'), 'delete it yourself')
    }
  }

  #probesFor(planned: PlannedOperation, { given }: PathValues) {
    const { consumer } = this.#options
    const credential = consumer === undefined ? NO_CREDENTIAL : credentialOf(consumer, planned.operation, this.#plan)
    return probesOf(planned, this.#plan, given, credential)
  }

  /** Sends a probe, and compares the reply. @param twin the probe for the stand-in, which has other records */
  async #ask(calls: Calls, probe: Probe, twin: Probe | undefined = probe): Promise<ObservedReply | undefined> {
    const { operation } = calls.planned
    const standIn = twin && (await this.#runner.send(twin.request, calls.world)).reply
    const reply = await this.#send(operation, probe.request, standIn)
    if (reply === undefined) return undefined
    const why = this.#whyNotCompared(calls, probe, reply)
    if (why === DENIED) this.#noteClosed(operation, reply)
    else if (why !== undefined) this.#skip(operation, why)
    else this.#keep({ operation, request: probe.request, reply, standIn }, this.#differences(operation, probe, reply))
    if (reply.status < 300) this.#records.note(operation, calls.given, reply)
    return reply
  }

  async #send(operation: Operation, request: SentRequest, standIn?: Reply): Promise<ObservedReply | undefined> {
    if (this.#isLost) return undefined
    this.requests += 1
    const reply = await this.#options.ask(request)
    this.#silences = reply.fault === undefined ? 0 : this.#silences + 1
    if (reply.fault === undefined) return reply
    this.#keep({ operation, request, reply, standIn }, differencesOf(operation, request, reply, this.#plan.contract))
    if (this.#isLost) {
      const message = `the server did not reply to ${MOST_SILENCES} requests in a row; nothing more is sent: ${reply.fault}`
      const hint = 'look whether it runs, and at this address'
      this.#report.warning('not-checked', message, placeOf(operation.node, 'key'), hint)
    }
    return undefined
  }

  /** Returns why a reply says nothing of the contract. */
  #whyNotCompared({ planned: { operation }, lacking }: Calls, { valid, request }: Probe, { status }: ObservedReply) {
    const isDenied = valid && (status === 401 || status === 403)
    if (isDenied && asksForCredential(operation, this.#plan)) return DENIED
    const isDocumented = operation.responses.has(`${status}`)
    if (isDenied && isDocumented && carriesSecret(request.text))
      return `it was answered ${status}, as made-up credentials have to be`
    if (valid && status === 404) return lacking
    return status === 429 && !operation.responses.has('429') ? 'it was answered 429; lower --rate' : undefined
  }

  #differences(operation: Operation, { what, valid, request }: Probe, reply: ObservedReply): ReplyDifference[] {
    const { status, body } = reply
    if (typeof body === 'object' && 'why' in body && !body.corrupt) this.#skip(operation, `its body ${body.why}`)
    const statuses = [...operation.responses.keys()]
    const documented = responseFor(operation, status)
    const wrong = (contract: string) => [aboutStatus(operation, status, 'wrong-status', contract)]
    if (!valid && status < 400) return wrong(`refuses a request ${what}`)
    if (valid && status >= 400 && documented !== undefined && documentsSuccess(operation))
      return wrong(statuses.filter(text => text.startsWith('2')).join(', '))
    // A contract without refusals leaves them to the server.
    if (!valid && documented === undefined && !statuses.some(text => text.startsWith('4'))) return []
    return differencesOf(operation, request, reply, this.#plan.contract)
  }

  #keep(context: Omit<DriftContext, 'consumer' | 'at'>, differences: readonly ReplyDifference[]): void {
    const { consumer, now } = this.#options
    this.book.add({ ...context, consumer, at: now() }, differences)
  }

  #skip({ id, node }: Operation, why: string, hint?: string): void {
    this.#report.warning('not-checked', `${id} was not compared: ${why}`, placeOf(node, 'key'), hint)
  }

  #noteClosed(operation: Operation, { status }: ObservedReply): void {
    const { consumer } = this.#options
    if (consumer === undefined) this.#closed.add(operation)
    else
      this.#skip(
        operation,
        `it was answered ${status} with the credential of ${consumer}`,
        'name another consumer with --as',
      )
  }

  /** Reports the operations that need a credential, all in one. */
  tellClosed(): void {
    const [first] = this.#closed
    if (first === undefined) return
    const names = [...this.#closed].map(({ id }) => id).join(', ')
    const message = `not compared, because they refuse requests without a credential: ${names}`
    const isKnown = this.#plan.simulation.consumerNames.length > 0
    const hint = isKnown ? 'name a consumer with --as' : 'write a consumer under "consumers", and name it with --as'
    this.#report.warning('not-checked', message, placeOf(first.node, 'key'), hint)
  }
}

/** The reason of a refusal by the credential, or by its absence. */
const DENIED = 'denied'

/** Matches the names of fields in JSON, and of those in a form. */
const FIELD_NAMES = /"([^"\\]+)"\s*:|(?:^|&)([^=&]+)=/g

/** Whether a body has a field whose name means a credential, as that of a log-in. */
const carriesSecret = (body: string): boolean =>
  [...body.matchAll(FIELD_NAMES)].some(([, field, pair]) => isSecretName(field ?? (pair as string)))

/** Returns an id of the same form that surely no record has. */
function unlikely(id: Json | undefined): Json {
  if (typeof id === 'number' || typeof id === 'bigint') return 2_000_000_011
  const isUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(String(id))
  return isUuid ? '00000000-0000-4000-8000-00000000dead' : /^\d+$/.test(String(id)) ? '2000000011' : 'no-such-record'
}

/** Returns queries that ask for a small page, and for an order, where a list has parameters for them. */
function pageQueries({ parameters }: Operation, items: readonly Json[]): (readonly [string, string])[] {
  const [first] = items
  const fields = isObject(first) ? Object.keys(first) : []
  const tried = [
    ['limit', ['2', '1', '5', '10', '20']],
    ['sort', fields],
    ['sort', fields.map(name => `-${name}`)],
  ] as const
  return tried.flatMap(([role, values]) => {
    const parameter = parameters.find(one => one.in === 'query' && roleOf(one.name) === role)
    const fits = (value: string) => parameter?.schema.check(role === 'limit' ? Number(value) : value) === undefined
    const value = values.find(fits)
    // A parameter that is any text may know no sign.
    const isKnown = value?.[0] !== '-' || parameter?.schema.check('nonsense') !== undefined
    return parameter === undefined || value === undefined || !isKnown ? [] : [[parameter.name, value] as const]
  })
}
