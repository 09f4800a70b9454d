// Judges replies. One that is passed on is judged by a copy of its body, up to a limit, after the client has got it.

import { isRead, mediaOfReply, nonconformanceOf, type Operation, responseFor } from '../contract/contract.ts'
import {
  type Judgement,
  problems,
  type Reply,
  type ReplyStream,
  refuse,
  type Unread,
  withWarning,
} from '../kernel/http.ts'
import { getOrMake } from '../kernel/memo.ts'
import { decodeBody, tooLong, unread, withCopy } from '../kernel/received.ts'
import { breathe, createBudget, monotonic } from '../world/clock.ts'
import type { Behaviour, Exchange } from './behaviour.ts'
import type { Upstream } from './exchange.ts'

/**
 * Checks every reply against the contract: responders' replies, chosen replies, refusals and status faults. It is inside
 * `errors`, which gives refusals their body, and outside all other behaviours.
 */
export const replies: Behaviour<{ readonly replies?: 'off' | 'warn' | 'refuse' }> = {
  name: 'replies',
  keyOf: 'validate',
  compile(config, { operation, decorate, passesOn, maxBody }) {
    const mode = config?.replies ?? (passesOn ? 'warn' : 'off')
    if (mode === 'off') return undefined
    return next => async exchange => {
      const reply = await next(exchange)
      const { stream } = reply
      if (stream !== undefined) return judgeReply({ ...reply, stream }, operation, maxBody, judgingOf(exchange))
      if (reply.status === 0) return reply
      const bare = reply.refusal !== undefined && reply.body === undefined
      const fault = nonconformanceOf(operation, bare ? await decorate(exchange, reply) : reply)
      if (fault === undefined) return reply
      // Any operation may refuse, and may answer 304 to a conditional request; contracts do not document these.
      if (fault.code === 'undocumented-status' && (reply.refusal !== undefined || reply.status === 304)) return reply
      if (mode === 'refuse') return refuse(problems.invalid_reply, `${operation.id} ${fault.message}`)
      return withWarning(reply, fault.message)
    }
  },
  describe: (config, { passesOn }) => config?.replies ?? (passesOn ? 'warn' : undefined),
}

/**
 * Returns the reply with its judgement. A body that has arrived with its head is judged at once, so that `Understudy-Warning` can
 * say what is wrong; no other body is waited for.
 *
 * @param most the longest body that is judged, in bytes, compressed and not
 */
async function judgeReply(
  reply: Reply & { readonly stream: ReplyStream },
  operation: Operation,
  most: number,
  { has, spend, recent }: Judging,
): Promise<Reply> {
  const { stream } = reply
  const faultOf = (body: Uint8Array | undefined): Pick<Judgement, 'text' | 'breaks'> => {
    const fault = nonconformanceOf(operation, { ...reply, body })
    // Any server may answer 304 to a conditional request; contracts do not document it.
    if (fault === undefined || (fault.code === 'undocumented-status' && reply.status === 304)) return CONFORMS
    return { text: `the real API ${fault.message}`, breaks: true }
  }
  const judge = async (sent: Uint8Array | Unread): Promise<Judgement> => {
    const coding = reply.headers['content-encoding']
    const isKnown = ([bytes, by]: JudgedBody) => by === coding && !('why' in sent) && Buffer.compare(bytes, sent) === 0
    const known = recent.find(isKnown)?.[2]
    if (known === undefined && !has()) return SKIPPED
    const body = known ?? (await decodeBody(sent, coding, most))
    if ('why' in body) return { text: `body of the reply not judged: it ${body.why}`, breaks: false, body }
    const started = monotonic()
    const fault = faultOf(body)
    spend(monotonic() - started)
    if (known === undefined && body.length <= MOST_KEPT) {
      recent.unshift([sent as Uint8Array, coding, body])
      recent.length = Math.min(recent.length, KEPT)
    }
    return { ...fault, body }
  }
  const told = (judgement: Judgement, more: Partial<ReplyStream> = {}): Reply => {
    const { text } = judgement
    const warned = text === undefined ? reply : withWarning(reply, text)
    return { ...warned, stream: { ...stream, ...more, judged: Promise.resolve(judgement) } }
  }
  const head = faultOf(undefined)
  const { headers, status } = reply
  const documented = responseFor(operation, status)
  const media = documented && mediaOfReply(documented, headers)
  // No copy is made of a body that no schema describes.
  const isUnread = media !== undefined && !isRead(media, headers['content-type'] ?? '')
  if (head.breaks || isUnread) return told({ ...head, body: NOT_NEEDED })
  const sent = stream.whole?.() ?? (await breathe().then(stream.whole))
  if (sent instanceof Uint8Array)
    return told(await judge(sent.length > most ? tooLong(most) : sent), { chunks: [sent], whole: () => sent })
  let chunks = stream.chunks
  const judged = new Promise<Judgement>(resolve => {
    // The judgement takes time that the end of the reply does not wait for.
    chunks = withCopy(chunks, most, copy => resolve(breathe().then(() => judge(copy))))
  })
  return { ...reply, stream: { ...stream, whole: undefined, chunks, judged } }
}

const CONFORMS = { text: undefined, breaks: false }
const NOT_NEEDED = unread('was not needed')

/** The judgement of replies for which there is no time left. */
export const SKIPPED: Judgement = {
  text: 'body of the reply not judged: too many at once',
  breaks: false,
  body: NOT_NEEDED,
}

type Judging = ReturnType<typeof createJudging>
type JudgedBody = readonly [sent: Uint8Array, coding: string | undefined, body: Uint8Array]

/**
 * The time that judging and comparing replies may take: a fifth, and a second at once, so that all replies to a person are judged; and
 * the last bodies that were judged: the same bytes again are neither decoded nor parsed nor checked again.
 */
const createJudging = () => ({ ...createBudget(0.2, 1000), recent: [] as JudgedBody[] })
/** How many bodies are kept, of at most so many bytes. */
const [KEPT, MOST_KEPT] = [16, 65_536]
const judgings = new WeakMap<Upstream, Judging>()

/** Returns that of a gateway, or of the one that answers a request: each has its own client of the real API. */
export const judgingOf = ({ upstream }: Pick<Exchange, 'upstream'>): Judging =>
  getOrMake(judgings, upstream as Upstream, createJudging)
