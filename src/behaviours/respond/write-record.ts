// Replaces or updates a record of a resource.

import { successStatus } from '../../contract/contract.ts'
import { isObject, type Json, type JsonObject, pointer } from '../../kernel/json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import { idIn, withId } from '../../world/collection.ts'
import type { Handler } from '../behaviour.ts'
import { draftOf } from '../exchange.ts'
import { type ActionParts, NO_RULES } from './action-parts.ts'
import { compileAddByPut } from './add-by-put.ts'
import { compileDraft, isSound } from './draft.ts'
import { compileId, isMissing, missingReply } from './identify-record.ts'
import { compileIsPatch, patchRecord } from './json-patch.ts'
import { compileKey, keepOwners } from './record-key.ts'
import { compileDangling } from './references.ts'
import { inBody } from './resource.ts'
import { compileTransition } from './transition.ts'

/** Replace and update combine the old value and the body in different ways; both validate and store the result. */
export function compileWrite(
  { resource, site, within, give, config }: ActionParts,
  kind: 'replace' | 'update',
  merge: (old: Json, body: Json) => Json,
): Handler {
  const draft = compileDraft(resource, config, kind, site)
  const identify = compileId(resource, site, config, draft)
  const key = compileKey(resource, within, site)
  const missing = missingReply(resource)
  const { invalid } = site
  const status = successStatus(site.operation, 200, 204)
  const dangling = compileDangling(resource)
  const transition = compileTransition(resource)
  const add = config.creates === true ? compileAddByPut(resource, site, within, config, key, give) : undefined
  const isPatch = kind === 'update' ? compileIsPatch(site.operation) : () => false
  const { idField } = resource
  // An id that the server assigns, or that requests do not have, is dropped like any other field that clients cannot set.
  const isClients = resource.assign === 'client' && resource.change === 'refuse'
  const checksId = resource.unknownFields === 'refuse' || (isClients && draft.saysId)
  return async exchange => {
    const id = identify(exchange)
    if (id === undefined) return invalid([inBody(pointer([idField]), 'required', 'is required')])
    const collection = exchange.world.collection(resource.name)
    for (;;) {
      const old = await key.find(exchange, id)
      if (old === undefined && add !== undefined) return exchange.precondition?.(old) ?? add(exchange, id)
      if (isMissing(old, exchange, within)) return missing(id)
      const stopped = exchange.precondition?.(old)
      if (stopped !== undefined) return stopped
      const merged = isPatch(exchange)
        ? patchRecord(old.value, exchange.body as readonly Json[])
        : merge(old.value, draft.given(exchange))
      if (Array.isArray(merged) && isPatch(exchange)) return invalid(merged as readonly BrokenRule[])
      if (!isObject(merged)) return invalid([inBody('', 'type', 'must be an object')])
      const own = checksId ? idIn(idField, merged as JsonObject) : undefined
      if (own !== undefined && own !== id) {
        return invalid([inBody(pointer([idField]), 'id', 'must be the id in the path')])
      }
      const composed = draft.compose(merged as JsonObject, exchange, old.value)
      const owned = within === undefined ? composed : within.own(exchange, composed)
      const fields = keepOwners(resource, owned, old.value)
      const record = draft.fit(withId(idField, id, fields), exchange)
      if (!isSound(record)) return invalid(record)
      const lost = dangling === undefined ? NO_RULES : await dangling(fields, exchange)
      if (lost.length > 0) return invalid(lost)
      const refused = transition?.(old.value, record)
      if (refused !== undefined) return refused
      const entry = await collection.replace(old.id, record, old.revision)
      // Another request wrote between our read and our write: merge again with its result.
      if (entry === 'stale') continue
      if (entry === 'missing') return missing(id)
      draftOf(exchange, 'respond').entry = entry
      return status === 204 ? { status, headers: {}, body: undefined } : give(entry, status, exchange)
    }
  }
}

/** JSON Merge Patch (RFC 7396). */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const out = new Map<string, Json>(isObject(target) ? Object.entries(target as JsonObject) : [])
  for (const [key, value] of Object.entries(patch as JsonObject)) {
    if (value === null) out.delete(key)
    else out.set(key, isObject(value) ? mergePatch(out.get(key) ?? null, value) : value)
  }
  return Object.fromEntries(out)
}
