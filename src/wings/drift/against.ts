// Sends the probes of `check --deep` to a real server, and compares its replies with the contract. Ids come from its lists.
// Without permission to write it only reads; with it, it changes and deletes only records that it made.

import { withinsOf } from '../../behaviours/respond/config.ts'
import { nextLink } from '../../behaviours/respond/pages.ts'
import { type Operation, responseFor } from '../../contract/contract.ts'
import { placeOf } from '../../contract/documents.ts'
import { expressionsOf } from '../../contract/paths.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Headers } from '../../kernel/http.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import type { Progress } from '../../kernel/terminal.ts'
import { respondBlock } from '../../load/seed/seed.ts'
import { credentialOf, NO_CREDENTIAL } from '../../plan/credentials.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { roleOf } from '../infer/list.ts'
import { isIdOf } from '../infer/records.ts'
import { asksForCredential, documentsSuccess, type GivenParameters, type Probe, probesOf } from '../probe/probe.ts'
import { createRunner } from '../probe/runner.ts'
import {
  aboutStatus,
  differencesOf,
  type ObservedReply,
  type ReplyDifference,
  valueOfBody,
} from '../project/differences.ts'
import { type AskedRequest, listIn, nextIn } from '../project/page-differences.ts'
import { DriftBook, type DriftContext } from './drift-book.ts'

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

/** The path template that a path parameter's values are listed at: `/shelves/{shelf}/books` for `{book}` after it. */
const listOfParameter = (path: string, name: string): string => path.slice(0, path.indexOf(`/{${name}}`))

const isItemOf = (path: string, list: string): boolean =>
  path.startsWith(`${list}/{`) && path.indexOf('/', list.length + 1) === -1

/** A record that was made. */
interface MadeRecord {
  readonly operation: Operation
  readonly id: Json | undefined
  readonly given: GivenParameters
}

/** Sends the probes of every operation. Operations that could not be called, and records that could not be deleted, are reported. */
export async function checkAgainst(plan: Plan, report: Diagnostics, options: AgainstOptions): Promise<Against> {
  const book = new DriftBook()
  const runner = createRunner(plan)
  /** The items of each list, by its path template. */
  const listed = new Map<string, readonly Json[]>()
  const allMade: MadeRecord[] = []
  let requests = 0
  let silences = 0
  let isLost = false
  const order = plan.operations.toSorted((a, b) => callingOrder(a.operation) - callingOrder(b.operation))
  for (const [i, planned] of order.entries()) {
    options.progress?.('calling every operation:', i, order.length)
    if (!isLost) await check(planned)
  }
  // The records that were made are deleted, the last one first.
  for (const made of allMade.toReversed()) {
    if (await isDeleted(made)) continue
    const { operation, id } = made
    const what = id === undefined ? 'a record whose id is unknown' : `the record ${String(id)}`
    const message = `${operation.id} made ${what}, which could not be deleted`
    report.warning('left-behind', message, placeOf(operation.node, 'key'), 'delete it yourself')
  }
  return { book, requests }

  async function check(planned: PlannedOperation): Promise<void> {
    const { operation } = planned
    const { path, method } = operation
    const isRead = READS.has(method)
    if (!isRead && !options.writes) return
    const { given, lacking } = isRead ? givenFor(operation) : madeFor(operation)
    const probes = (!isRead && lacking) || probesFor(planned, given)
    if (typeof probes === 'string') return skip(operation, probes)
    const own = probesOf(planned, plan)
    const world = runner.newWorld()
    const ask = async (probe: Probe, twin: Probe | undefined) => {
      const standIn = twin && (await runner.send(twin.request, world)).reply
      const reply = await send(operation, probe.request, standIn)
      if (reply === undefined) return undefined
      judge(planned, probe, reply, standIn, lacking)
      note(operation, given, reply)
      return reply
    }
    const [valid, ...invalid] = probes as readonly [Probe, ...Probe[]]
    let body: Json | undefined
    // Mistakes are tried first with a write: a deletion leaves nothing to try them with.
    for (const probe of isRead ? probes : [...invalid, valid]) {
      const reply = await ask(probe, typeof own === 'string' ? undefined : own.find(({ what }) => what === probe.what))
      if (isRead && probe === valid) {
        if (reply === undefined || reply.status >= 400) return
        body = valueOfBody(reply)
      }
    }
    const list = isRead ? listIn(body) : undefined
    const name = expressionsOf(path).at(-1)
    if (list !== undefined && !path.endsWith('}')) {
      listed.set(path, list.items)
      for (const query of pageQueries(operation, list.items)) await askPages(query, valid, operation, ask)
    }
    if (!isRead || name === undefined || !path.endsWith('}') || lacking !== undefined) return
    const missing = probesFor(planned, new Map([...given, [name, unlikely(given.get(name))]]))
    if (typeof missing === 'string') return
    const probe = { ...(missing[0] as Probe), what: 'for a record that does not exist', valid: false }
    await ask(probe, probe)
  }

  /** Asks for a page, and for those that follow it. */
  async function askPages(
    [name, value]: readonly [string, string],
    valid: Probe,
    operation: Operation,
    ask: (probe: Probe, twin: Probe) => Promise<ObservedReply | undefined>,
  ): Promise<void> {
    const cursor = operation.parameters.find(one => one.in === 'query' && roleOf(one.name) === 'cursor')
    const pages = new URLSearchParams(valid.request.query)
    pages.set(name, value)
    let query = String(pages)
    for (let page = 0; page < MOST_PAGES; page++) {
      const probe = { ...valid, what: `with ${query}`, request: { ...valid.request, query } }
      const reply = await ask(probe, probe)
      const to =
        reply && (nextLink(reply.headers.link) ?? nextIn(operation, reply.headers, valueOfBody(reply) ?? null)?.to)
      if (to === undefined) return
      if (cursor !== undefined) pages.set(cursor.name, to)
      const next = to.includes('?') ? to.slice(to.indexOf('?') + 1) : String(pages)
      if (next === query) return
      query = next
    }
  }

  function probesFor(planned: PlannedOperation, given: GivenParameters) {
    const { consumer } = options
    const credential = consumer === undefined ? NO_CREDENTIAL : credentialOf(consumer, planned.operation, plan)
    return probesOf(planned, plan, given, credential)
  }

  function keep(
    operation: Operation,
    request: SentRequest,
    reply: ObservedReply,
    standIn: DriftContext['standIn'],
    found: readonly ReplyDifference[],
  ): void {
    const { consumer } = options
    book.add({ operation, request, reply, standIn, consumer, at: options.now() }, found)
  }

  async function send(
    operation: Operation,
    request: SentRequest,
    standIn: DriftContext['standIn'],
  ): Promise<ObservedReply | undefined> {
    if (isLost) return undefined
    requests += 1
    const reply = await options.ask(request)
    silences = reply.fault === undefined ? 0 : silences + 1
    if (reply.fault === undefined) return reply
    keep(operation, request, reply, standIn, differencesOf(operation, request, reply, plan.contract))
    isLost = silences >= MOST_SILENCES
    if (isLost) {
      const message = `the server did not reply to ${MOST_SILENCES} requests in a row; nothing more is sent: ${reply.fault}`
      const hint = 'look whether it runs, and at this address'
      report.warning('not-checked', message, placeOf(operation.node, 'key'), hint)
    }
    return undefined
  }

  function judge(
    { operation }: PlannedOperation,
    { what, valid, request }: Probe,
    reply: ObservedReply,
    standIn: DriftContext['standIn'],
    lacking: string | undefined,
  ): void {
    const { status, body } = reply
    const known = [...operation.responses.keys()]
    const documented = responseFor(operation, status)
    const asksForMore = (status === 401 || status === 403) && asksForCredential(operation, plan)
    const why =
      valid && asksForMore
        ? `it was answered ${status}; name a consumer with --as`
        : valid && status === 404
          ? lacking
          : status === 429 && !operation.responses.has('429')
            ? 'it was answered 429; lower --rate'
            : undefined
    if (why !== undefined) {
      skip(operation, why)
      return
    }
    if (typeof body === 'object' && 'why' in body && !body.corrupt) skip(operation, `its body ${body.why}`)
    const wrong = (contract: string) => [aboutStatus(operation, status, 'wrong-status', contract)]
    const differences = (): readonly ReplyDifference[] => {
      if (!valid && status < 400) return wrong(`refuses a request ${what}`)
      if (valid && status >= 400 && documented !== undefined && documentsSuccess(operation))
        return wrong(known.filter(one => one.startsWith('2')).join(', '))
      // A contract without refusals leaves them to the server.
      if (!valid && documented === undefined && !known.some(one => one.startsWith('4'))) return []
      return differencesOf(operation, request, reply, plan.contract)
    }
    keep(operation, request, reply, standIn, differences())
  }

  function skip({ id, node }: Operation, why: string): void {
    report.warning('not-checked', `${id} was not compared: ${why}`, placeOf(node, 'key'))
  }

  /** Returns values for the path parameters, from lists, and why one is missing. */
  function givenFor(operation: Operation) {
    const given = new Map<string, Json>()
    let lacking: string | undefined
    for (const name of expressionsOf(operation.path)) {
      const [item] = listed.get(listOfParameter(operation.path, name)) ?? []
      const id = idOf(item, name, operation)
      if (id === undefined) lacking ??= `no list has a value for {${name}}`
      else given.set(name, id)
    }
    return { given, lacking }
  }

  /** The same for a write: the record must have been made by this run; its owners may be listed. */
  function madeFor(operation: Operation): { readonly given: GivenParameters; readonly lacking: string | undefined } {
    const { path, method } = operation
    const { given, lacking } = givenFor({ ...operation, path: path.slice(0, path.lastIndexOf('/{')) })
    const last = expressionsOf(path).at(-1)
    if (last === undefined)
      return { given, lacking: method === 'POST' ? undefined : 'it changes something that was there before' }
    const made = allMade.findLast(one => one.operation.path === listOfParameter(path, last))
    if (made?.id !== undefined) return { given: new Map([...made.given, [last, made.id]]), lacking: undefined }
    return { given, lacking: lacking ?? 'no record was made that it could change' }
  }

  /** Returns the id of an item of a list, by the parameter that it is a value of. */
  function idOf(item: Json | undefined, parameter: string, operation: Operation): Json | undefined {
    if (!isObject(item)) return typeof item === 'string' || typeof item === 'number' ? item : undefined
    const { file, resources } = plan.simulation
    const respond = respondBlock(operation, file)
    const names = [...Object.values(respond ?? {}), ...withinsOf(respond?.within).map(({ resource }) => resource)]
    const known = names.flatMap(name => resources.get(String(name))?.idField ?? [])
    const like = Object.keys(item).filter(name => isIdOf(name, parameter))
    const field = [parameter, ...known, ...like].find(name => Object.hasOwn(item, name))
    return field === undefined ? undefined : (item[field] as Json)
  }

  /** Notes a record that a reply shows to be made, or deleted. */
  function note(operation: Operation, given: GivenParameters, reply: ObservedReply): void {
    const { method, path } = operation
    if (reply.status >= 300) return
    if (method === 'DELETE') {
      const at = allMade.findLastIndex(made => isItemOf(path, made.operation.path))
      if (at !== -1) allMade.splice(at, 1)
    }
    if (method !== 'POST' || path.endsWith('}')) return
    const item = plan.operations.find(({ operation: one }) => isItemOf(one.path, path))?.operation
    const located = reply.headers.location?.split('?')[0]?.split('/').filter(Boolean).at(-1)
    const id = item && idOf(valueOfBody(reply), expressionsOf(item.path).at(-1) as string, item)
    if (item !== undefined || reply.status === 201) allMade.push({ operation, id: id ?? located, given })
  }

  async function isDeleted({ operation, id, given }: MadeRecord): Promise<boolean> {
    const planned = plan.operations.find(
      ({ operation: one }) => one.method === 'DELETE' && isItemOf(one.path, operation.path),
    )
    if (planned === undefined || id === undefined) return false
    const name = expressionsOf(planned.operation.path).at(-1) as string
    const [probe] = probesFor(planned, new Map([...given, [name, id]]))
    if (typeof probe !== 'object') return false
    const { status } = (await send(planned.operation, probe.request, undefined)) ?? { status: 0 }
    return (status > 0 && status < 300) || status === 404 || status === 410
  }
}

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
