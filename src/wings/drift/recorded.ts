// Compares recorded exchanges, and those that pass through a gateway, with the contract and the stand-in.

import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import type { Reply } from '../../kernel/http.ts'
import { inProcess } from '../../kernel/in-process.ts'
import { unread } from '../../kernel/received.ts'
import type { Plan } from '../../plan/plan.ts'
import { createRunner } from '../probe/runner.ts'
import { aboutStatus, differencesOf, type ReplyDifference } from '../project/differences.ts'
import type { RecordedExchange } from '../project/har.ts'
import { findRecorded } from '../project/recorded-state.ts'
import { DriftBook, type DriftContext } from './drift-book.ts'

/** Statuses with which the stand-in refuses a request for itself, independent of its records. */
const REFUSALS = new Set([400, 415, 422])

/**
 * Adds the differences of a reply from the contract, and of its status from that of the stand-in.
 *
 * @param ask asks the stand-in; told whether a difference is new, which shows its answer
 */
export async function addDrift(
  book: DriftBook,
  context: DriftContext,
  { contract }: Pick<Plan, 'contract'>,
  ask: (isNew: boolean) => Promise<Reply | undefined> | Reply | undefined,
): Promise<readonly ReplyDifference[]> {
  const { operation, request, reply } = context
  const { status } = reply
  const differences = differencesOf(operation, request, reply, contract)
  const answer = await ask(differences.some(one => !book.has(operation, one)))
  // Credentials may not have been kept or sent, so the stand-in may refuse what the real API answered.
  const standIn = answer?.status === 401 || answer?.status === 403 ? undefined : answer
  if (standIn !== undefined && REFUSALS.has(standIn.status) && status >= 200 && status < 300)
    differences.push(aboutStatus(operation, status, 'wrong-status', `refuses such a request with ${standIn.status}`))
  book.add({ ...context, standIn }, differences)
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
    const found = findRecorded(method, exchange.path, plan)
    if (found === undefined) {
      unmatched += 1
      continue
    }
    const { path, target } = found
    compared += 1
    if (reply.isPartial) bare += 1
    const body = typeof request.body === 'string' ? request.body : undefined
    const isWhole = !request.isPartial && (request.body === undefined || body !== undefined)
    const sent = inProcess({ method, path, query, headers: request.headers, body })
    const { reply: answer, exchange: met } = await runner.send(sent, world)
    const observed = reply.isPartial ? { ...reply, body: unread('is not recorded') } : reply
    const context = { operation: target.planned.operation, request: sent, reply: observed, consumer: met.consumer, at }
    await addDrift(book, context, plan, () => (isWhole ? answer : undefined))
  }
  if (unmatched > 0) {
    const message = `recorded requests that match no operation: ${unmatched}`
    report.warning('unmatched-requests', message, placeOfFile(file), 'add them to the contract, or leave them out')
  }
  if (bare > 0) {
    const message = `the recording has no body of ${bare} of ${compared} replies; their status and headers were compared`
    report.warning('not-checked', message, placeOfFile(file), 'record bodies, too: journal: { bodies: 64kB }')
  }
  return { book, compared }
}
