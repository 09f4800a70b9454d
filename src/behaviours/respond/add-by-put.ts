// Creates a record by a PUT on its address, if it does not exist (RFC 9110 §9.3.4).

import { successStatus } from '../../contract/contract.ts'
import { isObject, type JsonObject, pointer } from '../../kernel/json.ts'
import type { Reply } from '../../kernel/reply.ts'
import { type Entry, type Id, idIn, withId } from '../../world/collection.ts'
import type { Site } from '../behaviour.ts'
import { draftOf, type Exchange } from '../exchange.ts'
import { inBody, type Resource } from '../resource.ts'
import type { ActionConfig } from './config.ts'
import type { RecordKey, Within } from './key.ts'
import { compileDraft, isSound } from './record.ts'
import { compileDangling } from './references.ts'

/** Stores a new record under the id of the path. */
export type AddByPut = (exchange: Exchange, id: Id) => Promise<Reply>

/** @param give writes the record as a reply */
export function compileAddByPut(
  resource: Resource,
  site: Site,
  within: Within | undefined,
  config: ActionConfig,
  key: RecordKey,
  give: (entry: Entry, status: number, exchange: Exchange) => Reply,
): AddByPut {
  const draft = compileDraft(resource, config, 'create', site)
  const dangling = compileDangling(resource)
  const status = successStatus(site.operation, 201, 200, 204)
  const { invalid } = site
  const at = pointer([resource.idField])
  const checksId = resource.assign === 'client' && resource.change === 'refuse'
  return async (exchange, id) => {
    const orphan = await within?.orphan(exchange)
    if (orphan !== undefined) return orphan
    const given = draft.given(exchange)
    if (!isObject(given)) return invalid([inBody('', 'type', 'must be an object')])
    const said = checksId ? idIn(resource.idField, given as JsonObject) : undefined
    if (said !== undefined && said !== id) return invalid([inBody(at, 'id', 'must be the id in the path')])
    const composed = draft.compose(given, exchange)
    const fields = within === undefined ? composed : within.own(exchange, composed)
    const record = draft.fit(withId(resource.idField, id, fields), exchange)
    if (!isSound(record)) return invalid(record)
    const lost = (await dangling?.(fields, exchange)) ?? []
    if (lost.length > 0) return invalid(lost)
    const { entry } = await exchange.world.collection(resource.name).put(key.of(exchange, id), record)
    draftOf(exchange, 'respond').entry = entry
    return status === 204 ? { status, headers: {}, body: undefined } : give(entry, status, exchange)
  }
}
