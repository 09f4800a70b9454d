// Conditional requests (RFC 9110 §13) on records: a strong entity tag, 304 for who has it already, and 412 for who would
// overwrite what he has not seen.

import { problems } from '../kernel/problem.ts'
import { type Reply, refuse, withHeaders } from '../kernel/reply.ts'
import type { Entry } from '../world/collection.ts'
import { digest } from '../world/draws.ts'
import type { Behaviour } from './behaviour.ts'

export interface ConditionalConfig {
  readonly precondition?: 'optional' | 'required'
}

const WRITES = ['PUT', 'PATCH', 'DELETE']

export const conditional: Behaviour<ConditionalConfig> = {
  name: 'conditional',
  problems: [problems.precondition_failed, problems.precondition_required],
  schema: {
    type: 'object',
    description:
      'Sends a strong `ETag` with a record, and heeds `If-None-Match` (304) and `If-Match` (412) on operations that read or write one.',
    additionalProperties: false,
    properties: {
      precondition: {
        enum: ['optional', 'required'],
        description:
          'Whether PUT, PATCH and DELETE must come with `If-Match`, and are refused with 428 without. Default: optional.',
      },
    },
  },
  compile(config, { operation }) {
    if (config === undefined) return undefined
    const reads = operation.method === 'GET' || operation.method === 'HEAD'
    const required = config.precondition === 'required' && WRITES.includes(operation.method)
    const judge = (entry: Entry, match: string | undefined, noneMatch: string | undefined): Reply | undefined => {
      if (match !== undefined) {
        if (!lists(match, tagOf(entry), true)) return FAILED
      } else if (required) return REQUIRED
      // `If-Match` comes first, and `If-None-Match` only after it held (RFC 9110 §13.2.2).
      if (noneMatch === undefined || !lists(noneMatch, tagOf(entry), false)) return undefined
      return reads ? { status: 304, headers: { etag: tagOf(entry) }, body: undefined } : FAILED
    }
    return next => async exchange => {
      const { 'if-match': match, 'if-none-match': noneMatch } = exchange.request.headers
      if (required || match !== undefined || noneMatch !== undefined) {
        exchange.precondition = entry => judge(entry, match as string | undefined, noneMatch as string | undefined)
      }
      const reply = await next(exchange)
      if (exchange.entry === undefined || reply.status >= 300) return reply
      return withHeaders(reply, { etag: tagOf(exchange.entry) })
    }
  },
  describe: config => config?.precondition,
}

const FAILED = refuse(problems.precondition_failed, 'the record is not as the request expects it')
const REQUIRED = refuse(problems.precondition_required, 'say with If-Match which state of the record this is about')

/** The revision tells the states of a world apart; the digest, those of a world and of the one that a reset left behind. */
const tagOf = ({ revision, text }: Entry): string => `"${revision.toString(36)}-${digest(text).toString(36)}"`

/** Whether a list of entity tags holds this one. A weak tag equals a strong one unless the comparison is strong. */
function lists(field: string, tag: string, strongly: boolean): boolean {
  if (field.trim() === '*') return true
  for (const [, weak, opaque] of field.matchAll(/(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) {
    if (opaque === tag && !(strongly && weak !== undefined)) return true
  }
  return false
}
