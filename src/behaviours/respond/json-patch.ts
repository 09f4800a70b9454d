// JSON Patch (RFC 6902) of a record. The only file that imports the library.

import { applyPatch, type Operation as PatchOperation } from 'rfc6902'
import { JSON_PATCH, type Operation } from '../../contract/contract.ts'
import { Decimal, isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import type { Exchange } from '../exchange.ts'
import { inBody } from './resource.ts'

/** Compiles the check whether the body of a request is a JSON Patch: by its media type, or by the schema of its operation. */
export function compileIsPatch({ body }: Operation): (exchange: Exchange) => boolean {
  const isDescribed = [...(body?.content.values() ?? [])].some(({ patch }) => patch === true)
  return ({ body: sent, request }) =>
    Array.isArray(sent) && (isDescribed || String(request.headers['content-type'] ?? '').startsWith(JSON_PATCH))
}

/** Applies a patch that `checkPatch` has accepted. Returns the changed record, or the rule that an operation breaks. */
export function patchRecord(record: JsonObject, patch: readonly Json[]): Json | readonly BrokenRule[] {
  const target = toPlain({ record }) as { record: Json }
  // A record is changed below its root: a patch may replace the root too.
  const below = patch.map(one => shifted(toPlain(one) as JsonObject)) as unknown as PatchOperation[]
  let copies = 0
  for (const [i, operation] of below.entries()) {
    if (operation.op === 'copy' && (++copies > MOST_COPIES || stringifyJson(target).length > LONGEST)) {
      return [inBody(`/${i}`, 'copy', 'cannot be applied: it copies too much')]
    }
    const [fault] = applyPatch(target, [operation])
    if (fault === null || fault === undefined) continue
    const { op } = operation
    const why = op === 'test' ? 'the test fails' : 'there is nothing at this path'
    return [inBody(`/${i}/${op === 'move' || op === 'copy' ? 'from' : 'path'}`, op, `cannot be applied: ${why}`)]
  }
  return fromPlain(target.record)
}

function shifted({ path, from, ...rest }: JsonObject): JsonObject {
  return { ...rest, path: `/record${path}`, ...(from === undefined ? {} : { from: `/record${from}` }) }
}

/** Copies double a record at most: without a bound, thirty of them would fill the memory. */
const MOST_COPIES = 20
const LONGEST = 500_000

/** Digits of a decimal, as text that no client can send: the library copies plain values only. */
const DIGITS = '\u0000decimal:'

function toPlain(value: Json): Json {
  if (value instanceof Decimal) return DIGITS + value.text
  if (Array.isArray(value)) return value.map(toPlain)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toPlain(one as Json)]))
}

function fromPlain(value: Json): Json {
  if (typeof value === 'string') return value.startsWith(DIGITS) ? new Decimal(value.slice(DIGITS.length)) : value
  if (Array.isArray(value)) return value.map(fromPlain)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fromPlain(one as Json)]))
}
