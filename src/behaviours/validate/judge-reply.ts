// Judges a reply that is passed on: a copy of its body, up to a limit, after the client has got it.

import { nonconformanceOf, type Operation } from '../../contract/contract.ts'
import { type Judgement, type Reply, type ReplyStream, withWarning } from '../../kernel/http.ts'
import { breathe } from '../../world/clock.ts'

/**
 * Returns the reply with its judgement. A body that has arrived with its head is judged at once, so that `Understudy-Warning` can
 * say what is wrong; no other body is waited for.
 *
 * @param maxBody the longest body that is judged, in bytes, compressed and not
 */
export async function judgeReply(
  reply: Reply & { readonly stream: ReplyStream },
  operation: Operation,
  maxBody: number,
): Promise<Reply> {
  const { stream } = reply
  const judgeParts = (parts: readonly Uint8Array[]) => judgeBody(reply, operation, Buffer.concat(parts), maxBody)
  const head = faultOf(reply, operation, undefined)
  if (head !== undefined)
    return { ...withWarning(reply, head.text), stream: { ...stream, judged: Promise.resolve(head) } }
  const source = stream.chunks[Symbol.asyncIterator]()
  const parts: Uint8Array[] = []
  let size = 0
  for (;;) {
    const pending = source.next()
    // A body that breaks off is found out by its reader.
    const next = await Promise.race([pending.catch(() => undefined), breathe()])
    if (next === undefined || size > maxBody) {
      const { chunks, judged } = passOnCopied(source, pending, parts, maxBody, judgeParts)
      return { ...reply, stream: { ...stream, chunks, judged } }
    }
    if (next.done === true) break
    parts.push(next.value)
    size += next.value.length
  }
  const judgement = await judgeParts(parts)
  const judged = Promise.resolve(judgement)
  const whole = { ...stream, chunks: passOnParts(parts), judged }
  return judgement === undefined
    ? { ...reply, stream: whole }
    : { ...withWarning(reply, judgement.text), stream: whole }
}

async function* passOnParts(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

/** Passes on what has arrived and the rest, and judges a copy in the end. */
function passOnCopied(
  source: AsyncIterator<Uint8Array>,
  pending: Promise<IteratorResult<Uint8Array>>,
  arrived: readonly Uint8Array[],
  maxBody: number,
  judgeParts: (parts: readonly Uint8Array[]) => Promise<Judgement | undefined>,
) {
  let settle: (judgement: Judgement | undefined) => void = () => {}
  const judged = new Promise<Judgement | undefined>(resolve => {
    settle = resolve
  })
  // The connection may be gone before the body is read.
  pending.catch(() => {})
  async function* passOnRest(): AsyncGenerator<Uint8Array> {
    let kept: Uint8Array[] | undefined = [...arrived]
    let size = arrived.reduce((sum, part) => sum + part.length, 0)
    let outcome: Judgement | undefined = unjudged('it broke off')
    try {
      yield* arrived
      for (let next = await pending; next.done !== true; next = await source.next()) {
        size += next.value.length
        if (size > maxBody) kept = undefined
        kept?.push(next.value)
        yield next.value
      }
      outcome = kept === undefined ? unjudged(`it is larger than ${maxBody} bytes`) : undefined
      if (kept !== undefined) settle(judgeParts(kept) as never)
    } finally {
      settle(outcome)
      await source.return?.()
    }
  }
  return { chunks: passOnRest(), judged }
}

const unjudged = (why: string): Judgement => ({ text: `body of the reply not judged: ${why}`, breaks: false })

/** @param body `undefined` to judge the status and the media type only */
function faultOf(reply: Reply, operation: Operation, body: Uint8Array | undefined): Judgement | undefined {
  const fault = nonconformanceOf(operation, { ...reply, body })
  // Any server may answer 304 to a conditional request; contracts do not document it.
  if (fault === undefined || (fault.code === 'undocumented-status' && reply.status === 304)) return undefined
  return { text: `the real API ${fault.message}`, breaks: true }
}

async function judgeBody(
  reply: Reply,
  operation: Operation,
  sent: Uint8Array,
  maxBody: number,
): Promise<Judgement | undefined> {
  const decoded = await decodeBody(sent, reply.headers['content-encoding'], maxBody)
  return typeof decoded === 'string' ? unjudged(decoded) : faultOf(reply, operation, decoded)
}

/** Undoes a `Content-Encoding`, up to `maxBytes`. Returns a sentence where that cannot be done. */
async function decodeBody(sent: Uint8Array, coding = 'identity', maxBytes: number): Promise<Uint8Array | string> {
  const name = coding.trim().toLowerCase()
  if (name === 'identity' || name === '' || sent.length === 0) return sent
  const isUnzipped = ['gzip', 'x-gzip', 'deflate'].includes(name)
  if (!isUnzipped && name !== 'br') return `the content encoding ${name} is not known`
  const { createBrotliDecompress, createUnzip } = await import('node:zlib')
  const decoder = isUnzipped ? createUnzip() : createBrotliDecompress()
  decoder.end(sent)
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of decoder as AsyncIterable<Uint8Array>) {
      size += part.length
      if (size > maxBytes) return `it is larger than ${maxBytes} bytes`
      parts.push(part)
    }
  } catch {
    return 'it cannot be decompressed'
  }
  return Buffer.concat(parts)
}
