// Conditional requests (RFC 9110 §13): replies get entity tags, 304 answers for the current representation, and 412 a write that is
// based on another one.

import { problems, refuse, withHeaders } from '../kernel/http.ts'
import { type Behaviour, type ConfigOf, setting, type Wrap } from './behaviour.ts'
import { listsTag, tagOf, tagOfReply } from './entity-tags.ts'

const schema = setting.block(
  'Sends a strong `ETag` and evaluates `If-None-Match` (304) and `If-Match` (412). The tag of a record is its revision, that of any other reply to GET a digest of its body. In `defaults` and `tags` it is ignored for other operations.',
  {
    precondition: setting.choice(
      ['optional', 'required'],
      'Whether PUT, PATCH and DELETE without `If-Match` are refused with 428. Default: optional.',
    ),
  },
)

const WRITES = ['PUT', 'PATCH', 'DELETE']

export const conditional: Behaviour<ConfigOf<typeof schema>> = {
  name: 'conditional',
  schema: schema,
  compile(config, { operation, records, scope, error }) {
    if (config === undefined) return undefined
    const { id, method } = operation
    const own = scope.startsWith('operations/')
    if (own && config.precondition === 'required' && !WRITES.includes(method)) {
      const message = `"precondition" has no effect on ${id}: it does not apply to ${method}`
      error('idle-key', message, ['precondition'], `it applies to ${WRITES.join(', ')}`, 'key')
    }
    if (method === 'GET' || method === 'HEAD') return revalidate
    if (records?.many === false) return compileGuard(config.precondition === 'required' && WRITES.includes(method))
    if (own) {
      const message = `"conditional" has no effect on ${id}: this ${method} does not change a record`
      error('idle-key', message, [], 'it applies to GET, and to respond: replace, update, delete and create')
    }
    return undefined
  },
  describe: config => config?.precondition,
}

/** Compares the tags that a read names with the one of its reply; `If-Match` comes first (RFC 9110 §13.2.2). */
const revalidate: Wrap = next => async exchange => {
  const reply = await next(exchange)
  if (reply.status < 200 || reply.status >= 300 || reply.body === undefined) return reply
  const etag = tagOfReply(reply, exchange.entry)
  const { 'if-match': match, 'if-none-match': noneMatch } = exchange.request.headers
  if (match !== undefined && !listsTag(String(match), etag, true)) return CHANGED
  if (noneMatch === undefined || !listsTag(String(noneMatch), etag, false)) return withHeaders(reply, { etag })
  const kept = Object.entries(reply.headers).filter(([name]) => KEPT.includes(name))
  return { status: 304, headers: { ...Object.fromEntries(kept), etag }, body: undefined }
}

/** Checks the preconditions of a write against the record, before it is written. */
function compileGuard(required: boolean): Wrap {
  return next => async exchange => {
    const { 'if-match': match, 'if-none-match': noneMatch } = exchange.request.headers
    if (required || match !== undefined || noneMatch !== undefined) {
      exchange.precondition = entry => {
        // For a new record, `If-Match` fails and `If-None-Match` passes.
        if (entry === undefined && match !== undefined) return FAILED
        if (match === undefined && required && (entry !== undefined || noneMatch === undefined)) return REQUIRED
        if (entry === undefined) return undefined
        const names = (field: unknown, strongly: boolean) =>
          listsTag(String(field).replace(MEDIA, '"'), tagOf(entry), strongly)
        const fails = match !== undefined && !names(match, true)
        return fails || (noneMatch !== undefined && names(noneMatch, false)) ? FAILED : undefined
      }
    }
    const reply = await next(exchange)
    if (exchange.entry === undefined || reply.status >= 300) return reply
    return withHeaders(reply, { etag: tagOfReply(reply, exchange.entry) })
  }
}

const FAILED = refuse(problems.precondition_failed, 'the record has changed: If-Match or If-None-Match does not hold')
const CHANGED = refuse(problems.precondition_failed, 'If-Match does not match the current representation')
const REQUIRED = refuse(problems.precondition_required, 'If-Match is missing: send the ETag of the record')

/** The headers of the 200 that a 304 keeps (RFC 9110 §15.4.5). Outer behaviours add others. */
const KEPT = ['cache-control', 'content-location', 'expires', 'vary']

/** The representation at the end of a tag: JSON and XML are different representations of one state. */
const MEDIA = /\.[a-z0-9+-]*"/g
