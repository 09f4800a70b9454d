// A request may ask for the fate of another: `Understudy-Ordinal: 17` draws what the 17th of its operation draws.

import { problems } from '../kernel/problem.ts'
import { type Reply, refuse } from '../kernel/reply.ts'
import type { Request } from '../kernel/request.ts'

/** The ordinal that a request asks for, or why it cannot have it; `undefined` where it is content with its own. */
export function askedOrdinal({ headers }: Request): number | Reply | undefined {
  const asked = headers['understudy-ordinal']
  if (asked === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(String(asked))) return Number(asked)
  return refuse(problems.invalid_request, 'Understudy-Ordinal must be a number from 1 to 999999999')
}
