// `read: books`: answers with one record.

import { successStatus } from '../../contract/contract.ts'
import { stringifyJson } from '../../kernel/json.ts'
import type { Id } from '../../world/records/types.ts'
import type { Handler, Site } from '../behaviour.ts'
import type { Resource } from '../resource.ts'
import { type RespondConfig, readKeys } from './config.ts'
import { compileFinder } from './key.ts'
import { compileExpand } from './list.ts'
import { onRecord } from './on-record.ts'
import type { Give } from './reply.ts'

export const read = onRecord('read', readKeys, compileRead, 200, 200)

function compileRead(config: RespondConfig, resource: Resource, give: Give, site: Site): Handler {
  const { identify, get } = compileFinder(resource, config, site)
  const status = successStatus(site.operation, 200)
  const expand = compileExpand(config, resource, site)
  return async exchange => {
    const entry = await get(exchange, identify(exchange) as Id)
    if ('status' in entry) return entry
    const [value] = expand === undefined ? [] : await expand(exchange, `[${entry.text}]`)
    // Its entity tag is that of the body: the revision of the record does not tell that another one has changed.
    if (value !== undefined) return give({ ...entry, value, text: stringifyJson(value) }, status, exchange)
    exchange.entry = entry
    return give(entry, status, exchange)
  }
}
