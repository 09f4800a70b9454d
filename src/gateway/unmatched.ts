// The reply to a request that no operation matches.

import { isDecodable } from '../contract/paths.ts'
import { allowOf } from '../contract/security.ts'
import { NO_HEADERS, problems, type Reply, type Request, refuse } from '../kernel/http.ts'
import type { Plan } from '../plan/plan.ts'
import type { Mask } from './mask.ts'

/** 404, 405 with `Allow`, or 204 for `OPTIONS` (RFC 9110 §9.3.7). The 404 repeats the path, credentials masked. */
export function replyToUnmatched(
  { method, prefix: before = '' }: Request,
  path: string,
  plan: Plan,
  mask: Mask,
): Reply {
  if (method === 'OPTIONS' && path === '*') return { status: 204, headers: NO_HEADERS, body: undefined }
  const prefix = maskPath(before, mask)
  const known = prefix === '' ? plan.near.recall(method, path) : undefined
  if (known !== undefined) return refuse(problems.not_found, known)
  const methods = plan.methodsOf(path)
  if (methods.length === 0) {
    if (!isDecodable(path)) return refuse(problems.invalid_request, 'the path has a broken percent-encoding')
    if (mask.path(path) !== path) {
      // A segment with an encoded credential is masked as a whole.
      return refuse(problems.not_found, `no operation matches ${method} ${prefix}${maskPath(path, mask)}`)
    }
    return refuse(problems.not_found, plan.near.describe(method, path, prefix))
  }
  const headers = { allow: allowOf(methods) }
  if (method === 'OPTIONS') return { status: 204, headers, body: undefined }
  return refuse(problems.method_not_allowed, `${method} is not allowed here; ${headers.allow} are`, headers)
}

/** Returns a path without credentials. */
const maskPath = (path: string, mask: Mask): string => (path === '' ? '' : mask.path(mask.text(path)))
