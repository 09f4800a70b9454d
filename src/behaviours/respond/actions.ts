// Creates, reads, replaces, updates and deletes one record of a resource. Each write is held to the schema again.

import { responseFor, successStatus } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { isObject, type Json, type JsonObject, pointer } from '../../kernel/json.ts'
import { type BrokenRule, problems } from '../../kernel/problem.ts'
import { type Headers, JSON_HEADERS, JSON_TYPE, type Reply, refuse } from '../../kernel/reply.ts'
import { compileTemplate, type Fields, JsonText, unfilled } from '../../kernel/template.ts'
import { type Entry, type Id, withId } from '../../world/collection.ts'
import type { Exchange, Handler, Site } from '../behaviour.ts'
import { asId, checkRecord, compileAccept, inBody, type Resource, resourceOf } from './resource.ts'
import { compileWithin, type Within, type WithinConfig } from './within.ts'

type Action = (resource: Resource, site: Site, within: Within | undefined, give: Give) => Handler
export const ACTIONS = ['create', 'read', 'replace', 'update', 'delete'] as const
export type ActionConfig = { readonly [action in (typeof ACTIONS)[number]]?: string } & {
  readonly within?: WithinConfig
  readonly body?: Json
}

/** A record as a reply. */
type Give = (entry: Entry, status: number, location?: string) => Reply

/** Compiles the one action that the configuration names. */
export function compileAction(config: ActionConfig, site: Site): Handler | undefined {
  for (const action of ACTIONS) {
    const name = config[action]
    if (name === undefined) continue
    const resource = resourceOf(name, action, site)
    if (resource === undefined) return undefined
    const within = config.within && compileWithin(config.within, resource, site)
    return actions[action](resource, site, within, compileGive(config.body, site))
  }
  return undefined
}

const actions: Record<(typeof ACTIONS)[number], Action> = {
  create(resource, site, within, give) {
    const { operation, invalid } = site
    const status = successStatus(operation, 201, 200)
    const exists = (id: Id) => refuse(problems.conflict, `there is a record ${id} in ${resource.name} already`)
    const reader = site.readers.get(resource.name) ?? `${operation.path}/{id}`
    const locate = compileLocation(reader, operation.path)
    const accept = compileAccept(resource, true)
    const { idField, references } = resource
    return async exchange => {
      const collection = exchange.world.collection(resource.name)
      if (within !== undefined) {
        const orphan = await within.orphan(exchange)
        if (orphan !== undefined) return orphan
      }
      const accepted = accept(exchange.body)
      const fields = within === undefined ? accepted : within.own(exchange, accepted)
      const dangling = references.size === 0 ? NONE : await danglingReferences(references, fields, exchange)
      const made = await collection.create(fields, record => {
        const broken = checkRecord(resource, record)
        if (broken !== undefined) return invalid(broken)
        if (dangling.length > 0) return invalid(dangling)
        return isId(record[idField])
          ? undefined
          : invalid([inBody(pointer([idField]), 'id', 'must be text or an integer')])
      })
      if (made === 'exists') return exists(fields[idField] as Id)
      if ('status' in made) return made
      exchange.entry = made
      return give(made, status, locate(exchange, made.id))
    }
  },

  read(resource, site, within, give) {
    const identify = compileId(resource, site)
    const missing = missingReply(resource)
    const status = successStatus(site.operation, 200)
    return async exchange => {
      const id = identify(exchange)
      const entry = await exchange.world.collection(resource.name).read(id)
      if (isMissing(entry, exchange, within)) return missing(id)
      exchange.entry = entry
      return exchange.precondition?.(entry) ?? give(entry, status)
    }
  },

  replace: (resource, site, within, give) => compileWrite(resource, site, within, give, (_, body) => body),

  update: (resource, site, within, give) => compileWrite(resource, site, within, give, mergePatch),

  delete(resource, site, within, give) {
    const identify = compileId(resource, site)
    const missing = missingReply(resource)
    const status = successStatus(site.operation, 204, 200)
    const gives = (responseFor(site.operation, status)?.content.size ?? 0) > 0
    return async exchange => {
      const id = identify(exchange)
      const collection = exchange.world.collection(resource.name)
      for (;;) {
        const entry = await collection.read(id)
        if (isMissing(entry, exchange, within)) return missing(id)
        const stopped = exchange.precondition?.(entry)
        if (stopped !== undefined) return stopped
        const removed = await collection.remove(id, entry.revision)
        if (removed === 'stale') continue
        if (removed === 'missing') return missing(id)
        return gives ? give(entry, status) : { status, headers: {}, body: undefined }
      }
    }
  },
}

/** Replace and update differ in what they make of the old value and the body; both re-check and store. */
function compileWrite(
  resource: Resource,
  site: Site,
  within: Within | undefined,
  give: Give,
  merge: (old: Json, body: Json) => Json,
): Handler {
  const identify = compileId(resource, site)
  const missing = missingReply(resource)
  const { invalid } = site
  const status = successStatus(site.operation, 200, 204)
  const accept = compileAccept(resource, false)
  const { idField, references } = resource
  return async exchange => {
    const id = identify(exchange)
    const collection = exchange.world.collection(resource.name)
    for (;;) {
      const old = await collection.read(id)
      if (isMissing(old, exchange, within)) return missing(id)
      const stopped = exchange.precondition?.(old)
      if (stopped !== undefined) return stopped
      const merged = merge(old.value, exchange.body === undefined ? {} : exchange.body)
      if (!isObject(merged)) return invalid([inBody('', 'type', 'must be an object')])
      if (merged[idField] !== undefined && merged[idField] !== id) {
        return invalid([inBody(pointer([idField]), 'id', 'must be the id in the path')])
      }
      const given = accept(merged)
      const fields = within === undefined ? given : within.own(exchange, given)
      const record = withId(idField, id, fields)
      const broken = checkRecord(resource, record)
      if (broken !== undefined) return invalid(broken)
      const dangling = references.size === 0 ? NONE : await danglingReferences(references, fields, exchange)
      if (dangling.length > 0) return invalid(dangling)
      const entry = await collection.replace(id, record, old.revision)
      // Somebody wrote between our read and our write: merge again, with what they wrote.
      if (entry === 'stale') continue
      if (entry === 'missing') return missing(id)
      exchange.entry = entry
      return status === 204 ? { status, headers: {}, body: undefined } : give(entry, status)
    }
  }
}

/** The fields that name a record which is not there. */
async function danglingReferences(
  references: Resource['references'],
  fields: JsonObject,
  { world }: Exchange,
): Promise<readonly BrokenRule[]> {
  const broken: BrokenRule[] = []
  for (const [field, owner] of references) {
    const id = fields[field]
    if (id === undefined || id === null) continue
    const found = isId(id) ? await world.collection(owner).read(id) : undefined
    if (found === undefined) broken.push(inBody(pointer([field]), 'reference', `names no record of ${owner}`))
  }
  return broken
}

const NONE: readonly BrokenRule[] = []

/** A record of another owner is as good as none. */
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

/** The last parameter of the path names the record. */
function compileId(resource: Resource, site: Site): (exchange: Exchange) => Id {
  const { operation } = site
  const name = expressionsOf(operation.path).at(-1)
  const at = operation.parameters.findIndex(one => one.in === 'path' && one.name === name)
  const last = expressionsOf(operation.path).length - 1
  if (name === undefined) {
    const message = `the path ${operation.path} has no parameter that could name a record of ${resource.name}`
    site.error('no-identifier', message)
  }
  // A path that does not declare its parameter, or declares it as text, may name a number all the same.
  return ({ values, segments }) => asId((at === -1 ? segments[last] : values[at]) as Id, resource.ids)
}

const missingReply = (resource: Resource) => {
  const singular = resource.name
  return (id: Id): Reply => refuse(problems.not_found, `there is no record ${id} in ${singular}`)
}

const isId = (value: Json | undefined): value is Id =>
  typeof value === 'string' || typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))

const RECORD: Fields<Entry> = { value: ({ text }) => new JsonText(text), id: ({ id }) => String(id) }

/** A record is sent as it is, or in the wrapping that the configuration has for it. */
function compileGive(body: Json | undefined, site: Site): Give {
  if (body === undefined) {
    return ({ text }, status, location) => ({ status, headers: headersOf(location), body: text })
  }
  const known = Object.keys(RECORD).map(name => `record.${name}`)
  for (const { path, part, message, hint } of unfilled({ body }, known)) {
    site.error('unknown-placeholder', message, path, hint, part)
  }
  const render = compileTemplate(body, 'record', RECORD)
  return (entry, status, location) => ({ status, headers: headersOf(location), body: render(entry) })
}

const headersOf = (location: string | undefined): Headers =>
  location === undefined ? JSON_HEADERS : { 'content-type': JSON_TYPE, location }

/** The address of a new record: the reader's template, with what it shares with the creator's path filled in. */
function compileLocation(reader: string, creator: string): (exchange: Exchange, id: Id) => string {
  const names = expressionsOf(creator)
  const last = expressionsOf(reader).at(-1)
  // Texts and expressions by turns, beginning with a text.
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
