// Parts of a file (RFC 9110 §14): single and several ranges, conditions, and tags. The door to range-parser.

import parseRange from 'range-parser'
import { firstOf, type Headers, problems, type Reply, type Request, refuse } from '../../kernel/http.ts'
import { listsTag, tagOfReply } from '../entity-tags.ts'

/** More parts are answered with the whole: a request of ten thousand of them costs more than it saves. */
const MOST_PARTS = 100
const BOUNDARY = 'part-of-the-file'

/** Returns a function that answers requests for a file, whole or in parts. */
export function compileRanges(bytes: Uint8Array, headers: Headers, status: number): (request: Request) => Reply {
  const etag = tagOfReply({ status, headers, body: bytes }, undefined)
  const known = { ...headers, etag, 'accept-ranges': 'bytes' }
  const whole: Reply = { status, headers: known, body: bytes, bytes: bytes.length }
  const unsatisfiable = refuse(problems.range_not_satisfiable, `the file has ${bytes.length} bytes`, {
    'content-range': `bytes */${bytes.length}`,
  })
  return ({ method, headers: sent }) => {
    const { range, 'if-none-match': noneMatch } = sent
    if (noneMatch !== undefined && listsTag(String(noneMatch), etag, false)) {
      return { status: 304, headers: { etag }, body: undefined }
    }
    const condition = firstOf(sent['if-range'])
    // Without a date of its own, the file has changed for a client that names one.
    if (range === undefined || method !== 'GET' || (condition !== undefined && condition !== etag)) return whole
    const ranges = parseRange(bytes.length, String(range), { combine: true })
    if (ranges === -1) return unsatisfiable
    if (ranges === -2 || ranges.type !== 'bytes' || ranges.length > MOST_PARTS) return whole
    const [first, second] = ranges
    if (first !== undefined && second === undefined) {
      const body = bytes.subarray(first.start, first.end + 1)
      const own = { ...known, 'content-range': contentRange(first, bytes.length) }
      return { status: 206, headers: own, body, bytes: body.length }
    }
    const parts = ranges.flatMap(part => [
      Buffer.from(
        `--${BOUNDARY}\r\ncontent-type: ${headers['content-type']}\r\ncontent-range: ${contentRange(part, bytes.length)}\r\n\r\n`,
      ),
      bytes.subarray(part.start, part.end + 1),
      Buffer.from('\r\n'),
    ])
    const body = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
    const type = `multipart/byteranges; boundary=${BOUNDARY}`
    return { status: 206, headers: { ...known, 'content-type': type }, body, bytes: body.length }
  }
}

const contentRange = ({ start, end }: { readonly start: number; readonly end: number }, size: number): string =>
  `bytes ${start}-${end}/${size}`
