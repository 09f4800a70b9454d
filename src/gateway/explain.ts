// Explains a reply to clients that send `Understudy-Explain: 1`. Independent of HTTP except for that header.

import type { Exchange } from '../behaviours/behaviour.ts'
import type { Headers, Reply } from '../kernel/http.ts'
import type { PlannedOperation } from '../plan/plan.ts'
import type { Mask } from './mask.ts'

export interface Explanation {
  /** Empty without an operation. */
  readonly route: string
  readonly operation: string
  readonly consumer: string | undefined
  readonly world: string
  /** The request's time in milliseconds since the epoch, and whether it is real time. */
  readonly time: number
  readonly real: boolean
  /** Its number among this operation's requests in its world. */
  readonly ordinal: number
  /** The behaviours that it passed, outermost first; the last one replied. */
  readonly passed: readonly string[]
  readonly replied: string
  /** The problem and the rule that was violated, of a refusal. */
  readonly problem: string | undefined
  readonly rule: string | undefined
  /** The random draws by purpose: numbers in [0, 1). */
  readonly draws: Readonly<Record<string, number>>
  readonly notes: readonly string[]
}

export function explainReply(
  planned: PlannedOperation,
  exchange: Exchange,
  reply: Reply,
  passed: readonly string[],
  mask: Mask,
): Explanation {
  const { operation, consumer, world, clock, ordinal, drawn = {}, notes } = exchange
  const last = passed.at(-1)
  const detail = planned.chain.find(({ name }) => name === last)?.detail
  return {
    route: operation.id === '' ? '' : `${operation.method} ${planned.route}`,
    operation: operation.id,
    consumer,
    world: world.name,
    time: clock.now(),
    real: !clock.adjusted,
    ordinal,
    passed,
    // Requests without an operation have the unmatched route.
    replied: operation.id === '' ? 'route' : [last, detail].filter(one => one !== undefined).join(': '),
    problem: reply.refusal?.problem.code,
    rule: reply.refusal === undefined ? undefined : mask.text(reply.refusal.detail),
    draws: drawn,
    notes: notes.map(note => mask.text(note)),
  }
}

const LONGEST_TEXT = 300
const MOST_ITEMS = 12

/** The explanation as a header field: a dictionary (RFC 9651), ASCII, of a few kilobytes at most. */
export function explanationHeaders(why: Explanation): Headers {
  const { route, operation, consumer, world, time, real, ordinal, passed, replied, problem, rule, draws, notes } = why
  const items = (list: readonly string[]) => `(${list.slice(0, MOST_ITEMS).join(' ')})`
  const drawn = Object.entries(draws).map(([purpose, value]) => `${quoteShort(purpose)};value=${value.toFixed(3)}`)
  const members = [
    ...(route === '' ? [] : [`route=${quoteShort(route)}`, `operation=${quoteShort(operation)}`, `ordinal=${ordinal}`]),
    ...(consumer === undefined ? [] : [`consumer=${quoteShort(consumer)}`]),
    `world=${quoteShort(world)}`,
    `time=@${Math.floor(time / 1000)}`,
    `clock=${real ? 'real' : 'adjusted'}`,
    `passed=${items(passed.map(quoteShort))}`,
    `replied=${quoteShort(replied)}`,
    ...(problem === undefined ? [] : [`problem=${quoteShort(problem)}`, `rule=${quoteShort(rule ?? '')}`]),
    ...(drawn.length === 0 ? [] : [`draws=${items(drawn)}`]),
    ...(notes.length === 0 ? [] : [`notes=${items(notes.map(quoteShort))}`]),
  ]
  return { 'understudy-explanation': members.join(', ') }
}

/** A string of RFC 9651; what is not printable ASCII is percent-encoded. */
function quoteShort(text: string): string {
  const cut = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}...` : text
  const ascii = cut
    .replaceAll('→', '->')
    .replace(/[^\x20-\x7e]+/g, part =>
      [...Buffer.from(part)].map(byte => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
    )
  return `"${ascii.replace(/["\\]/g, '\\$&')}"`
}
