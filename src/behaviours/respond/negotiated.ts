// Negotiates the media type of a resource's replies: records are JSON, and XML if the contract documents it.

import { isXml, writeBody } from '../../contract/answer/body.ts'
import { compileNegotiation, contentTypeFor } from '../../contract/answer/negotiate.ts'
import { isJson, type MediaType, responseFor } from '../../contract/contract.ts'
import { parseSent } from '../../kernel/json.ts'
import { problems } from '../../kernel/problem.ts'
import { JSON_TYPE, type Reply, refuse } from '../../kernel/reply.ts'
import type { Handler, Site } from '../behaviour.ts'

/**
 * Compiles a responder that answers with a record or a page. A client that accepts no documented type gets 406 before
 * anything is written.
 * @param status the responder's success status
 */
export function compileNegotiated(next: Handler, status: number, { operation }: Site): Handler {
  const documented = [...(responseFor(operation, status)?.content ?? [])]
  const json = documented.filter(([type]) => isJson(type) || type === '*/*' || type === 'application/*')
  if (json.length === 0) return next
  const media = [...json, ...documented.filter(([type]) => isXml(type))]
  const types = media.map(([type]) => type)
  const negotiate = compileNegotiation(types)
  const detail = `${operation.id} answers ${status} with ${types.join(', ')}`
  return exchange => {
    const field = exchange.request.headers.accept as string | undefined
    const index = negotiate(field)
    if (index === undefined) return Promise.resolve(refuse(problems.not_acceptable, detail))
    const [name, spec] = media[index] as readonly [string, MediaType]
    if (name === JSON_TYPE) return next(exchange)
    const type = contentTypeFor(name, field)
    return type === JSON_TYPE ? next(exchange) : next(exchange).then(reply => rewrite(reply, type, spec))
  }
}

/** Converts a record or a page from JSON to another type. */
function rewrite(reply: Reply, type: string, media: MediaType): Reply {
  const { body, headers, bytes: _, ...rest } = reply
  if (reply.refusal !== undefined || typeof body !== 'string' || headers['content-type'] !== JSON_TYPE) return reply
  if (isJson(type)) return { ...reply, headers: { ...headers, 'content-type': type } }
  const parsed = isXml(type) ? parseSent(body) : { fault: '' }
  if ('fault' in parsed) return reply
  const written = writeBody({ value: parsed.value }, media, type)
  return { ...rest, headers: { ...headers, 'content-type': written.contentType }, body: written.body }
}
