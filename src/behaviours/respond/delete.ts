// `delete: books`: deletes a record, with its effects on those that refer to it.

import { responseFor, successStatus } from '../../contract/contract.ts'
import type { Id } from '../../world/records/types.ts'
import type { Handler, Site } from '../behaviour.ts'
import type { Resource } from '../resource.ts'
import { deleteKeys, type RespondConfig } from './config.ts'
import { compileDeletion, planDeletion, settle } from './deletion.ts'
import { compileConflict, compileFinder } from './key.ts'
import { onRecord } from './on-record.ts'
import { type Give, withoutBody } from './reply.ts'

/** `delete` is a reserved word. */
export const deletion = onRecord('delete', deleteKeys, compileDelete, 204, 200)

function compileDelete(config: RespondConfig, resource: Resource, give: Give, site: Site): Handler {
  const { identify, get } = compileFinder(resource, config, site)
  const status = successStatus(site.operation, 204, 200)
  const gives = status !== 204 && (responseFor(site.operation, status)?.content.size ?? 0) > 0
  const plan = compileDeletion(resource, site)
  const conflict = compileConflict(site.operation)
  return async exchange => {
    const id = identify(exchange) as Id
    for (;;) {
      const entry = await get(exchange, id)
      if ('status' in entry) return entry
      const planned = plan && (await planDeletion(plan({ id, key: entry.id }), exchange))
      if (typeof planned === 'string') return conflict(planned)
      const step = exchange.effects?.step(exchange, entry)
      const removed = await exchange.records(resource.name).remove(entry.id, entry.revision, step)
      if (removed !== 'removed') continue
      if (planned !== undefined) await settle(planned, exchange)
      return gives ? give(entry, status, exchange) : withoutBody(status)
    }
  }
}
