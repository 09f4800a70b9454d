// Judges replies that are passed on, by a copy of their body up to a limit, after the client has got it.

import { isRead, mediaOfReply, type Operation, responseFor } from '../contract/contract.ts'
import { nonconformanceOf } from '../contract/judge.ts'
import { type Judgement, type Judging, type Reply, type ReplyStream, type Unread, withWarning } from '../kernel/http.ts'
import { decodeBody, tooLong, unread, withCopy } from '../kernel/received.ts'
import { createBudget } from '../world/idle-turns.ts'
import { breathe, monotonic } from '../world/real-time.ts'

/**
 * Returns the reply with its judgement. A body that has arrived with its head is judged at once, so that `Understudy-Warning` can
 * say what is wrong; no other body is waited for.
 *
 * @param most the longest body that is judged, in bytes, compressed and not
 */
export async function judgeStreamed(
  reply: Reply & { readonly stream: ReplyStream },
  operation: Operation,
  most: number,
  { by, has, spend, recent }: Judging,
): Promise<Reply> {
  const { stream } = reply
  const faultOf = (body: Uint8Array | Unread): Pick<Judgement, 'text' | 'breaks'> => {
    const fault = nonconformanceOf(operation, { ...reply, body })
    if (fault === undefined) return CONFORMS
    return { text: `${by} ${fault.message}`, breaks: true }
  }
  const judge = async (sent: Uint8Array | Unread): Promise<Judgement> => {
    const coding = reply.headers['content-encoding']
    const isKnown = ([bytes, as]: Judging['recent'][number]) =>
      as === coding && !('why' in sent) && Buffer.compare(bytes, sent) === 0
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
  const head = faultOf(NOT_NEEDED)
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

/**
 * Judging may take a fifth of the time, and a second at once, so that all replies to a person are judged. The same bytes again are
 * neither decoded nor parsed nor checked again.
 */
export const createJudging = (by: string): Judging => ({ by, ...createBudget(0.2, 1000), recent: [] })
/** How many bodies are kept, of at most so many bytes. */
const [KEPT, MOST_KEPT] = [16, 65_536]
