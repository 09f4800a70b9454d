// Finds the record that a request means: by the path, or by its body.

import { expressionsOf } from '../../contract/paths.ts'
import { isObject, type JsonObject } from '../../kernel/json.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import { type Entry, type Id, idIn } from '../../world/collection.ts'
import type { Exchange, Site } from '../behaviour.ts'
import type { ActionConfig } from './action-config.ts'
import type { Draft } from './draft.ts'
import { isId } from './references.ts'
import { asId, type Resource } from './resource.ts'
import type { Within } from './within.ts'

/** The last parameter of the path identifies the record; without one, the body of a write does. */
export function compileId(
  resource: Resource,
  site: Site,
  { id }: ActionConfig,
  draft?: Draft,
): (exchange: Exchange) => Id | undefined {
  const { operation } = site
  if (id !== undefined) return () => asId(id, resource.ids)
  const name = expressionsOf(operation.path).at(-1)
  const at = operation.parameters.findIndex(one => one.in === 'path' && one.name === name)
  const last = expressionsOf(operation.path).length - 1
  if (name === undefined && draft?.namesRecord === true) {
    return exchange => {
      const given = draft.sent(exchange)
      const said = isObject(given) ? idIn(resource.idField, given as JsonObject) : undefined
      return isId(said) ? asId(said, resource.ids) : undefined
    }
  }
  if (name === undefined) {
    const message = `the path ${operation.path} has no parameter for the id of a record of ${resource.name}`
    const body = draft === undefined ? '' : `, and its body has no writable ${resource.idField}`
    site.error('no-identifier', message + body)
  }
  // A path parameter that is undeclared, or declared as text, may contain a number. A record has one address: 01 is not 1.
  return ({ values, segments }) => {
    const sent = segments[last] as string
    if (resource.ids === 'integer' && NOT_CANONICAL.test(sent)) return sent
    return asId((at === -1 ? sent : values[at]) as Id, resource.ids)
  }
}

/** An integer with a sign or leading zeros. */
const NOT_CANONICAL = /^(?:-?0\d|\+|-0$)/

/** Returns the refusal for an id that no record has. */
export const missingReply = (resource: Resource) => {
  const singular = resource.name
  return (id: Id): Reply => refuse(problems.not_found, `there is no record ${id} in ${singular}`)
}

/** A record of another owner counts as missing. */
export const isMissing = (
  entry: Entry | undefined,
  exchange: Exchange,
  within: Within | undefined,
): entry is undefined => entry === undefined || (within !== undefined && !within.owns(exchange, entry.value))
