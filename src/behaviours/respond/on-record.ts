// Makes the responders of one record.

import { successStatus } from '../../contract/contract.ts'
import type { Handler, Site } from '../behaviour.ts'
import type { Resource } from '../resource.ts'
import type { Responder } from '../responder.ts'
import type { RespondConfig } from './config.ts'
import { resourceOf } from './key.ts'
import { compileGive, compileHeaders, compileNegotiated, type Give } from './reply.ts'

/** The kinds that answer with one record. */
export const RECORD_KINDS = ['create', 'read', 'replace', 'update', 'delete'] as const

type CompileAction = (config: RespondConfig, resource: Resource, give: Give, site: Site) => Handler

/** @param preferred its statuses of success, where the operation documents one of them */
export const onRecord = (
  kind: (typeof RECORD_KINDS)[number],
  keys: Responder['keys'],
  compile: CompileAction,
  ...preferred: readonly [number, number]
): Responder<RespondConfig> => ({
  kind,
  keys,
  records: 'one',
  changes: kind !== 'read',
  compile(config, site) {
    const resource = resourceOf(config[kind], [kind], site)
    if (resource === undefined) return undefined
    const handler = compile(config, resource, compileGive(config, resource, site), site)
    const negotiated = compileNegotiated(handler, successStatus(site.operation, ...preferred), site)
    return compileHeaders(negotiated, kind === 'create', site)
  },
})
