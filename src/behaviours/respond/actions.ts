// Creates, reads, replaces, updates and deletes one record of a resource. Each write is validated against its schema.

import { responseFor, successStatus } from '../../contract/contract.ts'
import { problems } from '../../kernel/problem.ts'
import { refuse } from '../../kernel/reply.ts'
import type { Id } from '../../world/collection.ts'
import type { Handler, Site } from '../behaviour.ts'
import { draftOf } from '../exchange.ts'
import type { CompileAction } from './action-parts.ts'
import { ACTIONS, type ActionConfig } from './config.ts'
import { compileCreate, compileCreateEach } from './create.ts'
import { compileId, compileKey, compileWithin, isMissing, missingReply, resourceOf } from './key.ts'
import { compileDeletion } from './references.ts'
import { compileGive } from './reply.ts'
import { compileWrite, mergePatch } from './write.ts'

/** Compiles the one action that the configuration names. */
export function compileAction(config: ActionConfig, site: Site): Handler | undefined {
  for (const action of ACTIONS) {
    const name = config[action]
    if (name === undefined) continue
    const resource = resourceOf(name, action, site)
    if (resource === undefined) return undefined
    const within = config.within && compileWithin(config.within, resource, site)
    return actions[action]({ resource, site, within, give: compileGive(config.body, action, resource, site), config })
  }
  return undefined
}

const actions: Record<(typeof ACTIONS)[number], CompileAction> = {
  create: parts => compileCreateEach(parts) ?? compileCreate(parts),

  read({ resource, site, within, give, config }) {
    const identify = compileId(resource, site, config)
    const key = compileKey(resource, within, site)
    const missing = missingReply(resource)
    const status = successStatus(site.operation, 200)
    return async exchange => {
      const id = identify(exchange) as Id
      const entry = await key.find(exchange, id)
      if (isMissing(entry, exchange, within)) return missing(id)
      draftOf(exchange, 'respond').entry = entry
      return exchange.precondition?.(entry) ?? give(entry, status, exchange)
    }
  },

  replace: parts => compileWrite(parts, 'replace', (_, body) => body),

  update: parts => compileWrite(parts, 'update', mergePatch),

  delete({ resource, site, within, give, config }) {
    const identify = compileId(resource, site, config)
    const key = compileKey(resource, within, site)
    const missing = missingReply(resource)
    const status = successStatus(site.operation, 204, 200)
    const gives = status !== 204 && (responseFor(site.operation, status)?.content.size ?? 0) > 0
    const consequences = compileDeletion(resource, site)
    return async exchange => {
      const id = identify(exchange) as Id
      const collection = exchange.world.collection(resource.name)
      for (;;) {
        const entry = await key.find(exchange, id)
        if (isMissing(entry, exchange, within)) return missing(id)
        const stopped = exchange.precondition?.(entry)
        if (stopped !== undefined) return stopped
        const settle = consequences === undefined ? undefined : await consequences(id, exchange)
        if (typeof settle === 'string') return refuse(problems.conflict, settle)
        const removed = await collection.remove(entry.id, entry.revision)
        if (removed === 'stale') continue
        if (removed === 'missing') return missing(id)
        await settle?.()
        return gives ? give(entry, status, exchange) : { status, headers: {}, body: undefined }
      }
    }
  },
}
