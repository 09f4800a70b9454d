// Replaces or updates a record of a resource, by JSON Merge Patch or JSON Patch. The door to rfc6902.

import { applyPatch, type Operation as PatchOperation } from 'rfc6902'
import { JSON_PATCH, type Operation, successStatus } from '../../contract/contract.ts'
import { Decimal, isObject, type Json, type JsonObject, pointer, stringifyJson } from '../../kernel/json.ts'
import { type BrokenRule, problems } from '../../kernel/problem.ts'
import { NO_HEADERS, type Reply, refuse } from '../../kernel/reply.ts'
import { allows } from '../../world/records/types.ts'
import { idIn, withId } from '../../world/records/values.ts'
import type { Handler, Site } from '../behaviour.ts'
import { type Exchange, writable } from '../exchange.ts'
import { inBody, type Resource } from '../resource.ts'
import type { ActionConfig } from './config.ts'
import { compileCreateOne } from './create.ts'
import { compileFinder } from './key.ts'
import { compileMaker, isFit, keepOwners } from './record.ts'
import { compileDangling } from './references.ts'
import type { Give } from './reply.ts'

/** Replace and update combine the old value and the body in different ways; both validate and store the result. */
export function compileWrite(
  config: ActionConfig,
  resource: Resource,
  give: Give,
  site: Site,
  kind: 'replace' | 'update',
): Handler {
  const { name, idField } = resource
  const { invalid } = site
  const maker = compileMaker(resource, config, kind, site)
  const { within, identify, find, missing } = compileFinder(resource, config, site, maker)
  const status = successStatus(site.operation, 200, 204)
  const dangling = compileDangling(resource)
  const transition = compileTransition(resource)
  const create = config.creates === true ? compileCreateOne(config, resource, give, site) : undefined
  const isPatch = kind === 'update' ? compileIsPatch(site.operation) : undefined
  // An id that the server assigns, or that requests do not have, is dropped like any other field that clients cannot set.
  const isClients = resource.assign === 'client' && resource.change === 'refuse'
  const checksId = resource.unknownFields === 'refuse' || (isClients && maker.saysId)
  return async exchange => {
    const id = identify(exchange)
    if (id === undefined) return invalid([inBody(pointer([idField]), 'required', 'is required')])
    for (;;) {
      const old = await find(exchange, id)
      if (old === undefined && create !== undefined) return exchange.precondition?.(old) ?? create(exchange, id)
      if (old === undefined || old === 'foreign') return missing(id)
      const stopped = exchange.precondition?.(old)
      if (stopped !== undefined) return stopped
      const patched = isPatch?.(exchange) ? patchRecord(old.value, exchange.body as readonly Json[]) : undefined
      if (patched?.broken !== undefined) return invalid([patched.broken])
      const given = patched === undefined ? maker.given(exchange) : patched.value
      const merged = kind === 'update' && patched === undefined ? mergePatch(old.value, given) : given
      if (!isObject(merged)) return invalid([inBody('', 'type', 'must be an object')])
      const own = checksId ? idIn(idField, merged as JsonObject) : undefined
      if (own !== undefined && own !== id) {
        return invalid([inBody(pointer([idField]), 'id', 'must be the id in the path')])
      }
      const composed = maker.compose(merged as JsonObject, exchange, old.value)
      const owned = within === undefined ? composed : within.own(exchange, composed)
      const fields = keepOwners(resource, owned, old.value)
      const record = maker.fit(withId(idField, id, fields), exchange)
      if (!isFit(record)) return invalid(record)
      const lost = dangling === undefined ? [] : await dangling(fields, exchange)
      if (lost.length > 0) return invalid(lost)
      const refused = transition?.(old.value, record)
      if (refused !== undefined) return refused
      const entry = await exchange.world.collection(name).replace(old.id, record, old.revision)
      // Another request wrote between our read and our write: merge again with its result.
      if (entry === 'stale') continue
      if (entry === 'missing') return missing(id)
      writable(exchange, 'respond').entry = entry
      return status === 204 ? { status, headers: NO_HEADERS, body: undefined } : give(entry, status, exchange)
    }
  }
}

/** JSON Merge Patch (RFC 7396). */
function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const out = new Map<string, Json>(isObject(target) ? Object.entries(target as JsonObject) : [])
  for (const [key, value] of Object.entries(patch as JsonObject)) {
    if (value === null) out.delete(key)
    else out.set(key, isObject(value) ? mergePatch(out.get(key) ?? null, value) : value)
  }
  return Object.fromEntries(out)
}

/** Compiles the check whether the body of a request is a JSON Patch: by its media type, or by the schema of its operation. */
function compileIsPatch({ body }: Operation): (exchange: Exchange) => boolean {
  const isDescribed = [...(body?.content.values() ?? [])].some(({ patch }) => patch === true)
  return ({ body: sent, request }) =>
    Array.isArray(sent) && (isDescribed || String(request.headers['content-type'] ?? '').startsWith(JSON_PATCH))
}

/** The changed record, or the rule that an operation of the patch breaks. */
type Patched =
  | { readonly value: Json; readonly broken?: never }
  | { readonly value?: never; readonly broken: BrokenRule }

/** Applies a patch whose form `validate` has accepted. */
function patchRecord(record: JsonObject, patch: readonly Json[]): Patched {
  const target = toPlain({ record }) as { record: Json }
  // A record is changed below its root: a patch may replace the root too.
  const below = patch.map(one => shifted(toPlain(one) as JsonObject)) as unknown as PatchOperation[]
  let copies = 0
  for (const [i, operation] of below.entries()) {
    if (operation.op === 'copy' && (++copies > MOST_COPIES || stringifyJson(target).length > LONGEST)) {
      return { broken: inBody(`/${i}`, 'copy', 'cannot be applied: it copies too much') }
    }
    const [fault] = applyPatch(target, [operation])
    if (fault === null || fault === undefined) continue
    const { op } = operation
    const why = op === 'test' ? 'the test fails' : 'there is nothing at this path'
    const place = `/${i}/${op === 'move' || op === 'copy' ? 'from' : 'path'}`
    return { broken: inBody(place, op, `cannot be applied: ${why}`) }
  }
  return { value: fromPlain(target.record) }
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

/** Refuses a write that changes a record's state along no configured edge; `undefined` for a resource without states. */
function compileTransition({
  name,
  states,
}: Resource): ((before: JsonObject, after: JsonObject) => Reply | undefined) | undefined {
  if (states === undefined) return undefined
  const { field, from } = states
  return (before, after) => {
    if (allows(states, before[field], after[field])) return undefined
    const edges = (from.get(String(before[field])) ?? []).map(({ to }) => `"${to}"`)
    const ways = edges.length === 0 ? 'this state is final' : `it can become ${edges.join(', ')}`
    const detail = `this record of ${name} is "${before[field]}" and cannot become "${after[field]}"; ${ways}`
    return refuse(problems.conflict, detail)
  }
}
