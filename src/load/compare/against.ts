// Sends the probes of `check --deep` to a real server, and compares its replies with the contract. Ids come from its lists.
// Without permission to write it only reads; with it, it changes and deletes only records that it made.

import { withinsOf } from '../../behaviours/respond/config.ts'
import { type Operation, responseFor } from '../../contract/contract.ts'
import { childOf, placeOf } from '../../contract/documents.ts'
import { expressionsOf } from '../../contract/paths.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { decodeUtf8, type Headers } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject, parseJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { Progress } from '../../kernel/terminal.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { roleOf } from '../infer/list.ts'
import { isIdOf } from '../infer/records.ts'
import {
  asksForCredential,
  type Credential,
  createRunner,
  credentialOf,
  documentsSuccess,
  NO_CREDENTIAL,
  type Probe,
  probesOf,
} from '../probe/probe.ts'
import { respondBlock } from '../seed/seed.ts'
import { differencesOf, type ObservedReply, type ReplyDifference } from './differences.ts'
import { DriftBook } from './drift-book.ts'
import { type AskedRequest, listIn } from './page-differences.ts'

export interface SentRequest extends AskedRequest {
  readonly headers: Headers
  /** Empty for none. */
  readonly text: string
}

/** Sends a request to the real API; a fault is why there is no reply. */
export type AskUpstream = (request: SentRequest) => Promise<ObservedReply | { readonly fault: string }>

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

/** Sends the probes of every operation. Operations that could not be called, and records that could not be deleted, are reported. */
export async function checkAgainst(plan: Plan, report: Diagnostics, options: AgainstOptions): Promise<Against> {
  const run = new AgainstRun(plan, report, options)
  const order = plan.operations.toSorted((a, b) => callingOrder(a.operation) - callingOrder(b.operation))
  for (const [i, planned] of order.entries()) {
    options.progress?.('calling every operation:', i, order.length)
    if (run.isLost) break
    await run.check(planned)
  }
  if (options.writes && !run.isLost) await run.cleanUp()
  run.tellLeft()
  return run
}

/** Returns the place in the order of calls: lists, records, records of owners; then writes, of which deletions are last. */
const callingOrder = ({ method, path }: Operation): number => {
  const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method)
  return (READS.has(method) ? 0 : 100 * (order === -1 ? 4 : order)) + expressionsOf(path).length
}

/** The path template that a path parameter's values are listed at: `/shelves/{shelf}/books` for `{book}` after it. */
const listOfParameter = (path: string, name: string): string => path.slice(0, path.indexOf(`/{${name}}`))

/** A record that was made. */
interface MadeRecord {
  readonly operation: Operation
  readonly id: Json | undefined
  readonly given: ReadonlyMap<string, Json>
}

class AgainstRun implements Against {
  readonly book = new DriftBook()
  requests = 0
  isLost = false
  readonly #plan: Plan
  readonly #report: Diagnostics
  readonly #options: AgainstOptions
  readonly #runner: ReturnType<typeof createRunner>
  /** The items of each list, by its path template. */
  readonly #listed = new Map<string, readonly Json[]>()
  readonly #made: MadeRecord[] = []
  #silences = 0

  constructor(plan: Plan, report: Diagnostics, options: AgainstOptions) {
    this.#plan = plan
    this.#report = report
    this.#options = options
    this.#runner = createRunner(plan)
  }

  async check(planned: PlannedOperation): Promise<void> {
    const { operation } = planned
    const isRead = READS.has(operation.method)
    if (!isRead && !this.#options.writes) return
    const { given, lacking } = isRead ? this.#givenFor(operation) : this.#madeFor(operation)
    const skip = (why: string) => this.#skip(operation, why)
    if (!isRead && lacking !== undefined) {
      skip(lacking)
      return
    }
    const probes = probesOf(planned, this.#plan, given, this.#credential(operation))
    if (typeof probes === 'string') {
      skip(probes)
      return
    }
    const own = probesOf(planned, this.#plan)
    const world = this.#runner.newWorld()
    const ask = async (probe: Probe, twin: Probe | undefined) => {
      const standIn = twin && (await this.#runner.send(twin.request, world)).reply
      const reply = await this.#ask(operation, probe.request, standIn)
      if (reply !== undefined) this.#judge(planned, probe, reply, standIn, lacking)
      return reply
    }
    const [valid, ...invalid] = probes
    const twinOf = (probe: Probe) => (typeof own === 'string' ? undefined : own.find(({ what }) => what === probe.what))
    if (valid === undefined) return
    // Mistakes are tried first: a deletion leaves nothing to try them with.
    for (const probe of isRead ? [] : invalid) this.#note(operation, given, await ask(probe, twinOf(probe)))
    const reply = await ask(valid, twinOf(valid))
    if (reply === undefined || reply.status >= 400) return
    if (!isRead) {
      this.#note(operation, given, reply)
      return
    }
    for (const probe of invalid) await ask(probe, twinOf(probe))
    const value = valueIn(reply)
    const list = value === undefined ? undefined : listIn(value)
    if (list !== undefined && !operation.path.endsWith('}')) {
      this.#listed.set(operation.path, list.items)
      for (const query of pageQueries(operation, list.items)) await this.#page(query, valid, ask)
    }
    if (!operation.path.endsWith('}')) return
    const name = expressionsOf(operation.path).at(-1) as string
    const missing = probesOf(
      planned,
      this.#plan,
      new Map([...given, [name, unlikely(given.get(name))]]),
      this.#credential(operation),
    )
    if (typeof missing === 'string' || missing[0] === undefined || lacking !== undefined) return
    const probe = { ...missing[0], what: 'for a record that does not exist', valid: false }
    await ask(probe, probe)
  }

  /** Asks for a page, and for those that follow it. */
  async #page(
    added: readonly (readonly [string, string])[],
    valid: Probe,
    ask: (probe: Probe, twin: Probe) => Promise<ObservedReply | undefined>,
  ): Promise<void> {
    const names = new Set(added.map(([name]) => name))
    const kept = valid.request.query
      .split('&')
      .filter(pair => pair !== '' && !names.has(pair.split('=', 1)[0] as string))
    let query = [...kept, ...added.map(pair => pair.map(encodeURIComponent).join('='))].join('&')
    for (let page = 0; page < MOST_PAGES; page++) {
      const probe = { ...valid, what: `with ${query}`, request: { ...valid.request, query } }
      const reply = await ask(probe, probe)
      const link = /<([^>]*)>\s*;[^,]*\brel="?next\b/i.exec(reply?.headers.link ?? '')?.[1]
      const next = link === undefined ? -1 : link.indexOf('?')
      if (link === undefined || next === -1 || link.slice(next + 1) === query) return
      query = link.slice(next + 1)
    }
  }

  #credential(operation: Operation): Credential {
    const { consumer } = this.#options
    return consumer === undefined ? NO_CREDENTIAL : credentialOf(consumer, operation, this.#plan)
  }

  async #ask(operation: Operation, request: SentRequest, standIn: unknown): Promise<ObservedReply | undefined> {
    if (this.isLost) return undefined
    this.requests += 1
    const reply = await this.#options.ask(request)
    if (!('fault' in reply)) {
      this.#silences = 0
      return reply
    }
    const about = { kind: 'no-reply', node: operation.node, where: 'status' }
    const context = { operation, request: slim(request), reply: { status: 0, headers: {}, body: undefined } }
    this.book.add({ ...context, standIn: standIn as undefined, at: this.#options.now() }, [
      { ...about, contract: 'a reply', upstream: reply.fault },
    ])
    this.#silences += 1
    if (this.#silences >= MOST_SILENCES) {
      this.isLost = true
      const message = `the server did not reply to ${MOST_SILENCES} requests in a row; nothing more is sent: ${reply.fault}`
      this.#report.warning(
        'not-checked',
        message,
        placeOf(operation.node, 'key'),
        'look whether it runs, and at this address',
      )
    }
    return undefined
  }

  #judge(
    { operation }: PlannedOperation,
    { what, valid, request }: Probe,
    reply: ObservedReply,
    standIn: DriftBookReply,
    lacking: string | undefined,
  ): void {
    const { contract } = this.#plan
    const { status } = reply
    const known = [...operation.responses.keys()]
    const asksForMore = asksForCredential(operation, this.#plan) && (status === 401 || status === 403)
    const why =
      valid && asksForMore
        ? `it was answered ${status}; name a consumer with --as`
        : valid && status === 404
          ? lacking
          : status === 429 && !operation.responses.has('429')
            ? 'it was answered 429; lower --rate'
            : undefined
    if (why !== undefined) {
      this.#skip(operation, why)
      return
    }
    if (reply.isPartial) this.#skip(operation, 'its body is too large, or has an unknown encoding')
    const node = childOf(operation.node, 'responses')
    const about = { kind: 'wrong-status', node, where: 'status', upstream: String(status) }
    const differences = (): ReplyDifference[] => {
      if (!valid && status < 400) return [{ ...about, contract: `refuses a request ${what}` }]
      if (valid && status >= 400 && documentsSuccess(operation) && responseFor(operation, status) !== undefined) {
        return [{ ...about, contract: known.filter(one => one.startsWith('2')).join(', ') }]
      }
      // A contract without refusals leaves them to the server.
      if (!valid && responseFor(operation, status) === undefined && !known.some(one => one.startsWith('4'))) return []
      return differencesOf(operation, request, reply, contract)
    }
    const { consumer } = this.#options
    this.book.add(
      { operation, request: slim(request), reply, standIn, consumer, at: this.#options.now() },
      differences(),
    )
  }

  #skip({ id, node }: Operation, why: string): void {
    this.#report.warning('not-checked', `${id} was not compared: ${why}`, placeOf(node, 'key'))
  }

  /** Returns values for the path parameters, from lists, and why one is missing. */
  #givenFor(operation: Operation) {
    const given = new Map<string, Json>()
    let lacking: string | undefined
    for (const name of expressionsOf(operation.path)) {
      const at = listOfParameter(operation.path, name)
      const [item] = this.#listed.get(at) ?? []
      const id = item === undefined ? undefined : this.#idOf(item, name, operation)
      if (id === undefined) lacking ??= `no list has a value for {${name}}`
      else given.set(name, id)
    }
    return { given, lacking }
  }

  /** The same for a write: the record must have been made by this run; its owners may be listed. */
  #madeFor(operation: Operation) {
    const { path, method } = operation
    const { given, lacking } = this.#givenFor({ ...operation, path: path.slice(0, path.lastIndexOf('/{')) })
    const names = expressionsOf(path)
    const isCreate = method === 'POST' && !path.endsWith('}')
    if (isCreate && names.length === 0) return { given, lacking: undefined }
    if (!isCreate && names.length === 0) return { given, lacking: 'it changes something that was there before' }
    const last = names.at(-1) as string
    const made = this.#made.findLast(one => one.operation.path === listOfParameter(path, last))
    if (made?.id !== undefined) {
      return { given: new Map([...made.given, [last, made.id]]), lacking: undefined }
    }
    return { given, lacking: lacking ?? 'no record was made that it could change' }
  }

  #idOf(item: Json, parameter: string, operation: Operation): Json | undefined {
    if (!isObject(item)) return typeof item === 'string' || typeof item === 'number' ? item : undefined
    const record = item as JsonObject
    const respond = respondBlock(operation, this.#plan.simulation.file)
    const names = [...Object.values(respond ?? {}), ...withinsOf(respond?.within).map(({ resource }) => resource)]
    const known = names.flatMap(name => this.#plan.simulation.resources.get(String(name))?.idField ?? [])
    const field =
      Object.keys(record).find(name => name === parameter) ??
      [...known, ...Object.keys(record)].find(name => isIdOf(name, parameter) || known.includes(name))
    return field === undefined ? undefined : record[field]
  }

  /** Notes a record that a reply shows to be made, or deleted. */
  #note(operation: Operation, given: ReadonlyMap<string, Json>, reply: ObservedReply | undefined): void {
    if (reply === undefined || reply.status >= 300) return
    const { method, path } = operation
    if (method === 'DELETE') this.#forget(path)
    if (method !== 'POST' || path.endsWith('}')) return
    const value = valueIn(reply)
    const item = this.#plan.operations.find(({ operation: { path: one } }) => isItemOf(one, path))?.operation
    const name = item && (expressionsOf(item.path).at(-1) as string)
    const located = reply.headers.location?.split('?')[0]?.split('/').filter(Boolean).at(-1)
    const id = value === undefined || item === undefined ? undefined : this.#idOf(value, name as string, item)
    if (id === undefined && item === undefined && reply.status !== 201) return
    this.#made.push({ operation, id: id ?? located, given })
  }

  #forget(path: string): void {
    const at = this.#made.findLastIndex(({ operation }) => isItemOf(path, operation.path))
    if (at !== -1) this.#made.splice(at, 1)
  }

  /** Deletes the records that were made, the last one first. */
  async cleanUp(): Promise<void> {
    for (const made of [...this.#made].reverse()) {
      const { operation, id, given } = made
      const planned = this.#plan.operations.find(
        ({ operation: one }) => one.method === 'DELETE' && isItemOf(one.path, operation.path),
      )
      if (planned === undefined || id === undefined) continue
      const name = expressionsOf(planned.operation.path).at(-1) as string
      const all = new Map([...given, [name, id]])
      const probes = probesOf(planned, this.#plan, all, this.#credential(planned.operation))
      const request = typeof probes === 'string' ? undefined : probes[0]?.request
      const reply = request && (await this.#ask(planned.operation, request, undefined))
      const isGone = reply !== undefined && (reply.status < 300 || reply.status === 404 || reply.status === 410)
      if (isGone) this.#made.splice(this.#made.indexOf(made), 1)
    }
  }

  /** Reports the records that are still there. */
  tellLeft(): void {
    for (const { operation, id } of this.#made) {
      const what = id === undefined ? 'a record whose id is unknown' : `the record ${String(id)}`
      const message = `${operation.id} made ${what}, which could not be deleted`
      this.#report.warning('left-behind', message, placeOf(operation.node, 'key'), 'delete it yourself')
    }
  }
}

type DriftBookReply = Parameters<DriftBook['add']>[0]['standIn']

/** The parts that are kept with a finding. */
const slim = ({ method, path, query }: AskedRequest): AskedRequest => ({ method, path, query })

const isItemOf = (path: string, list: string): boolean =>
  path.startsWith(`${list}/{`) && path.indexOf('/', list.length + 1) === -1

function valueIn({ body }: ObservedReply): Json | undefined {
  const text = typeof body === 'string' ? body : body && decodeUtf8(body)
  const parsed = text === undefined || text === '' ? undefined : parseJson(text)
  return parsed === undefined || 'fault' in parsed ? undefined : parsed.value
}

/** Returns an id of the same form that surely no record has. */
function unlikely(id: Json | undefined): Json {
  if (typeof id === 'number' || typeof id === 'bigint') return 2_000_000_011
  const isUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(String(id))
  return isUuid ? '00000000-0000-4000-8000-00000000dead' : /^\d+$/.test(String(id)) ? '2000000011' : 'no-such-record'
}

/** Returns queries that ask for a small page, and for an order, where a list has parameters for them. */
function pageQueries({ parameters }: Operation, items: readonly Json[]): (readonly (readonly [string, string])[])[] {
  const byRole = new Map<string, Operation['parameters'][number]>()
  for (const one of parameters) {
    const role = one.in === 'query' ? roleOf(one.name) : undefined
    if (role !== undefined) getOrMake(byRole, role, () => one)
  }
  const queries: (readonly [string, string])[][] = []
  const limit = byRole.get('limit')
  const size = [2, 1, 5, 10, 20].find(one => limit?.schema.check(one) === undefined)
  if (limit !== undefined && size !== undefined) queries.push([[limit.name, String(size)]])
  const sort = byRole.get('sort')
  const [first] = items
  const fields = isObject(first) ? Object.keys(first) : []
  const field = fields.find(one => sort?.schema.check(one) === undefined)
  if (sort !== undefined && field !== undefined) queries.push([[sort.name, field]])
  return queries
}
