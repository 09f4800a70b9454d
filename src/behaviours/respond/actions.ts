// Creates, reads, replaces, updates and deletes one record of a resource. Each write is validated against its schema.

import { isJson, responseFor, successStatus } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { isObject, type Json, type JsonObject, pointer } from '../../kernel/json.ts'
import { type BrokenRule, problems } from '../../kernel/problem.ts'
import { type Headers, JSON_HEADERS, JSON_TYPE, type Reply, refuse } from '../../kernel/reply.ts'
import { compileTemplate, JsonText, type TemplateFields, unfilled } from '../../kernel/template.ts'
import { type Entry, type Id, idIn, withId } from '../../world/collection.ts'
import type { Exchange, Handler, Site } from '../behaviour.ts'
import { draftOf } from '../exchange.ts'
import { ACTIONS, type ActionConfig } from './action-config.ts'
import { compileAddByPut } from './add-by-put.ts'
import { schemaBelow } from './branch.ts'
import { completeTemplate, NOTHING_KNOWN } from './complete-template.ts'
import { compileDraft, type Draft, isSound } from './draft.ts'
import { replaceExpressions } from './expression-holes.ts'
import { compileKey, keepOwners } from './record-key.ts'
import { compileDangling, compileDeletion, isId, supply } from './references.ts'
import { asId, inBody, type Resource, resourceOf } from './resource.ts'
import { compileShown } from './shown.ts'
import { compileTransition } from './transition.ts'
import { compileWithin, type Within } from './within.ts'
import { recordPath } from './wrapping.ts'

/** An action's configuration, compiled. */
interface ActionParts {
  readonly resource: Resource
  readonly site: Site
  readonly within: Within | undefined
  readonly give: Give
  readonly config: ActionConfig
}
type CompileAction = (parts: ActionParts) => Handler

/** A record as a reply. */
type Give = (entry: Entry, status: number, exchange: Exchange, location?: string) => Reply

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
  create({ resource, site, within, give, config }) {
    const { operation } = site
    const status = successStatus(operation, 201, 200)
    const { invalid } = site
    const exists = (id: Id) => refuse(problems.conflict, `the record ${id} already exists in ${resource.name}`)
    const locate = compileLocation(site.readers.get(resource.name) ?? [`${operation.path}/{id}`], operation.path)
    const draft = compileDraft(resource, config, 'create', site)
    const dangling = compileDangling(resource)
    const { idField } = resource
    const key = compileKey(resource, within, site)
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
      const fields = draft.supplied.length === 0 ? owned : await supply(owned, draft.supplied, exchange)
      const lost = dangling === undefined ? NONE : await dangling(fields, exchange)
      if (draft.wantsId && idIn(idField, fields) === undefined)
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
  },

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

/** Marks a record that is valid only after mending. */
const MENDED: Reply = { status: 0, headers: {}, body: undefined }

/** Replace and update combine the old value and the body in different ways; both validate and store the result. */
function compileWrite(
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
  const { idField } = resource
  // An id that the server assigns, or that requests do not have, is dropped like any other field that clients cannot set.
  const checksId = resource.unknownFields === 'refuse' || (resource.assign === 'client' && draft.saysId)
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
      const merged = merge(old.value, draft.given(exchange))
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
      const lost = dangling === undefined ? NONE : await dangling(fields, exchange)
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

const NONE: readonly BrokenRule[] = []

/** A record of another owner counts as missing. */
const isMissing = (entry: Entry | undefined, exchange: Exchange, within: Within | undefined): entry is undefined =>
  entry === undefined || (within !== undefined && !within.owns(exchange, entry.value))

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

/** The last parameter of the path identifies the record; without one, the body of a write does. */
function compileId(
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
  if (name === undefined && draft?.knowsId === true) {
    return exchange => {
      const given = draft.given(exchange)
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

const missingReply = (resource: Resource) => {
  const singular = resource.name
  return (id: Id): Reply => refuse(problems.not_found, `there is no record ${id} in ${singular}`)
}

interface InRecord {
  readonly entry: Entry
  readonly exchange: Exchange
}

/** Sends a record itself, or inside the configured template. */
function compileGive(
  written: Json | undefined,
  action: (typeof ACTIONS)[number],
  resource: Resource,
  site: Site,
): Give {
  const status = successStatus(site.operation, action === 'create' ? 201 : 200, 200)
  const media = [...(responseFor(site.operation, status)?.content ?? [])].find(([type]) => isJson(type))?.[1]
  const node = media?.schema?.node
  const { contract } = site
  const own = schemaBelow(node, written === undefined ? [] : recordPath(written), contract)
  const shown = compileShown(own, resource, site)
  if (written === undefined) {
    return (entry, status, _, location) => ({ status, headers: headersOf(location), body: shown(entry) })
  }
  const { template: body, fields: inBody } = replaceExpressions<InRecord>(written, 'record', ['body'], site)
  const fields: TemplateFields<InRecord> = {
    id: ({ entry }) => String(resource.within.length === 0 ? entry.id : idIn(resource.idField, entry.value)),
    value: ({ entry }) => new JsonText(shown(entry)),
    ...inBody,
  }
  const known = Object.keys(fields).map(name => `record.${name}`)
  for (const { path, part, message, hint } of unfilled({ body }, known)) {
    site.error('unknown-placeholder', message, path, hint, part)
  }
  const whole = node === undefined ? body : completeTemplate(body, node, contract, NOTHING_KNOWN)
  const render = compileTemplate(whole, 'record', fields)
  return (entry, status, exchange, location) => ({
    status,
    headers: headersOf(location),
    body: render({ entry, exchange }),
  })
}

const headersOf = (location: string | undefined): Headers =>
  location === undefined ? JSON_HEADERS : { 'content-type': JSON_TYPE, location }

/**
 * Returns the address of a new record: the path template of a reader, filled with the values of the creator's path.
 * Returns `undefined` if every reader needs other values.
 */
function compileLocation(
  readers: readonly string[],
  creator: string,
): ((exchange: Exchange, id: Id) => string) | undefined {
  const names = expressionsOf(creator)
  const known = readers.filter(one =>
    expressionsOf(one)
      .slice(0, -1)
      .every(name => names.includes(name)),
  )
  const reader = known.find(one => one.startsWith(`${creator}/`)) ?? known[0]
  if (reader === undefined) return undefined
  const last = expressionsOf(reader).at(-1)
  // Texts and expressions alternate, beginning with a text.
  const parts = reader.split(/\{([^{}]*)\}/)
  return ({ basePath, segments }, id) => {
    let location = basePath + parts[0]
    for (let i = 1; i < parts.length; i += 2) {
      const name = parts[i] as string
      location += encodeURIComponent(name === last ? String(id) : (segments[names.indexOf(name)] ?? '')) + parts[i + 1]
    }
    return location
  }
}
