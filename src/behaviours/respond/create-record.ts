// Creates a record of a resource.

import { successStatus } from '../../contract/contract.ts'
import { type JsonObject, pointer } from '../../kernel/json.ts'
import { type BrokenRule, problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import { type Id, idIn } from '../../world/collection.ts'
import type { Handler } from '../behaviour.ts'
import { draftOf } from '../exchange.ts'
import { type ActionParts, NO_RULES } from './action-parts.ts'
import { compileDraft, isSound } from './draft.ts'
import { compileLocation } from './location.ts'
import { compileNameable } from './nameable.ts'
import { compileKey } from './record-key.ts'
import { compileDangling, isId, supply } from './references.ts'
import { inBody } from './resource.ts'

/** Compiles the creation of a record, under a new id or under one that the client gives. */
export function compileCreate({ resource, site, within, give, config }: ActionParts): Handler {
  const { operation } = site
  const status = successStatus(operation, 201, 200)
  const { invalid } = site
  const exists = (id: Id) => refuse(problems.conflict, `the record ${id} already exists in ${resource.name}`)
  const locate = compileLocation(site.readers.get(resource.name) ?? [`${operation.path}/{id}`], operation.path)
  const draft = compileDraft(resource, config, 'create', site)
  const dangling = compileDangling(resource)
  const { idField } = resource
  const key = compileKey(resource, within, site)
  const withNameableId = compileNameable(resource, site)
  // A client cannot choose an id that is counted.
  const usedUp = refuse(problems.unavailable, `no ids are left for ${resource.name}`)
  const counted = inBody(pointer([idField]), '', '').path
  const isUsedUp = (rules: readonly BrokenRule[]) =>
    resource.assign === 'sequence' && rules.some(({ path }) => path === counted)
  return async exchange => {
    const collection = exchange.world.collection(resource.name)
    if (within !== undefined) {
      const orphan = await within.orphan(exchange)
      if (orphan !== undefined) return orphan
    }
    const composed = draft.compose(draft.given(exchange), exchange)
    const owned = within === undefined ? composed : within.own(exchange, composed)
    const supplied = draft.supplied.length === 0 ? owned : await supply(owned, draft.supplied, exchange)
    const fields = withNameableId(supplied)
    const lost = dangling === undefined ? NO_RULES : await dangling(fields, exchange)
    if (draft.wantsId && idIn(idField, supplied) === undefined && draft.hasRecord(exchange))
      return invalid([inBody(pointer([idField]), 'required', 'is required')])
    // A record that belongs to every owner has the id under each.
    if (resource.within.length > 0) {
      const id = idIn(idField, fields) as Id | undefined
      if (id !== undefined && (await key.find(exchange, id)) !== undefined) return exists(id)
    }
    let mended: JsonObject | undefined
    const store = (record: JsonObject) =>
      collection.create(record, whole => {
        const sound = draft.fit(whole, exchange)
        if (!isSound(sound)) return isUsedUp(sound) ? usedUp : invalid(sound)
        if (lost.length > 0) return invalid(lost)
        mended = sound === whole ? undefined : sound
        return isId(idIn(idField, whole))
          ? mended && MENDED
          : invalid([inBody(pointer([idField]), 'id', 'must be text or an integer')])
      })
    let made = await store(fields)
    if (made === MENDED) made = await store(mended as JsonObject)
    // Mend again: the id is the invalid part.
    if (made === MENDED) return usedUp
    if (made === 'exists') return exists(idIn(idField, fields) as Id)
    if ('status' in made) return made
    draftOf(exchange, 'respond').entry = made
    return give(made, status, exchange, locate?.(exchange, key.nameOf(made)))
  }
}

/** Marks a record that is valid only after mending. */
const MENDED: Reply = { status: 0, headers: {}, body: undefined }
