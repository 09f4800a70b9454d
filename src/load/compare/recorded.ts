// Compares recorded exchanges, and those that pass through a gateway, with the contract and the stand-in.

import { childOf } from '../../contract/documents.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import type { Reply } from '../../kernel/http.ts'
import type { Plan } from '../../plan/plan.ts'
import type { RecordedExchange } from '../import/har.ts'
import { createRunner, inProcess } from '../probe/probe.ts'
import { differencesOf, type ReplyDifference } from './differences.ts'
import { DriftBook, type DriftContext } from './drift-book.ts'

/** Statuses with which the stand-in refuses a request for itself, independent of its records. */
const REFUSALS = new Set([400, 415, 422])

/** Adds the differences of a reply from the contract, and of its status from that of the stand-in. */
export function addDrift(
  book: DriftBook,
  context: DriftContext,
  { contract }: Pick<Plan, 'contract'>,
): ReplyDifference[] {
  const { operation, request, reply, standIn } = context
  const differences = differencesOf(operation, request, reply, contract)
  const isTaken = standIn !== undefined && REFUSALS.has(standIn.status) && reply.status >= 200 && reply.status < 300
  if (isTaken) {
    const about = { node: childOf(operation.node, 'responses'), where: 'status', upstream: String(reply.status) }
    differences.push({ ...about, kind: 'wrong-status', contract: `refuses such a request with ${standIn.status}` })
  }
  book.add(context, differences)
  return differences
}

/** Compares the exchanges of a recording. Those that match no operation are counted in a warning. */
export async function compareRecorded(
  exchanges: AsyncIterable<RecordedExchange>,
  plan: Plan,
  report: Diagnostics,
  file: string,
): Promise<{ readonly book: DriftBook; readonly compared: number }> {
  const book = new DriftBook()
  const runner = createRunner(plan)
  const world = runner.newWorld()
  let compared = 0
  let unmatched = 0
  let bare = 0
  for await (const exchange of exchanges) {
    const { method, query, at, request, reply } = exchange
    const bases = ['', ...plan.contract.basePaths]
    const path = bases.map(base => base + exchange.path).find(one => plan.find(method, one) !== undefined)
    const planned = path === undefined ? undefined : plan.find(method, path)?.target.planned
    if (planned === undefined || path === undefined) {
      unmatched += 1
      continue
    }
    compared += 1
    if (reply.isPartial) bare += 1
    const body = typeof request.body === 'string' ? request.body : undefined
    const isWhole = !request.isPartial && (request.body === undefined || body !== undefined)
    const sent = inProcess({ method, path, query, headers: request.headers, body })
    const { reply: answer, exchange: met } = await runner.send(sent, world)
    const context = {
      operation: planned.operation,
      request: { method, path, query },
      reply,
      consumer: met.consumer,
      at,
    }
    addDrift(book, { ...context, standIn: isWhole ? comparable(answer) : undefined }, plan)
  }
  if (unmatched > 0) {
    const message = `${unmatched} recorded request${unmatched === 1 ? ' matches' : 's match'} no operation`
    report.warning('unmatched-requests', message, placeOfFile(file), 'add them to the contract, or leave them out')
  }
  if (bare > 0) {
    const message = `the recording has no body of ${bare} of ${compared} replies; their status and headers were compared`
    report.warning('not-checked', message, placeOfFile(file), 'record bodies, too: journal: { bodies: 64kB }')
  }
  return { book, compared }
}

/** Recordings have no credentials, so the stand-in may refuse what the real API answered. */
const comparable = (reply: Reply): Reply | undefined =>
  reply.status === 401 || reply.status === 403 ? undefined : reply
