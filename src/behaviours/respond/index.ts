// The innermost behaviour: answers a request that no other behaviour has refused, from records or without them. The door to mrmime.

import { lookup } from 'mrmime'
import { ANY_QUESTION } from '../../contract/answer/answers.ts'
import { responseFor, successStatus } from '../../contract/contract.ts'
import { essenceOf, isJson } from '../../contract/media-types.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { requiredFields } from '../../contract/security.ts'
import type { Scope } from '../../expression/scope.ts'
import { reportPlaceholders, type Template, type TemplateContext, textOfFilled } from '../../expression/template.ts'
import { fieldText, lowerNames, problemOf, problems, type Reply, refuse } from '../../kernel/http.ts'
import { type Json, type JsonObject, parsePointer, pointer, stringifyJson } from '../../kernel/json.ts'
import { compileForward } from '../../wings/real-api/forward.ts'
import { compileStaging } from '../../wings/real-api/staging.ts'
import type { Id } from '../../world/records/types.ts'
import { idIn, indexKeyOf } from '../../world/records/values.ts'
import type { Behaviour, Exchange, Handler, Site } from '../behaviour.ts'
import { isId, type Resource } from '../resource.ts'
import { ACTIONS, COMPANIONS, KINDS, type RespondConfig, type RespondKind, respondSchema } from './config.ts'
import { compileFinder, type Referrer, referrersOf, referringTo, resourceOf, UNWRITTEN } from './key.ts'
import { compileExpand, compileList } from './list.ts'
import { compileGive, compileNegotiated, type Give, withoutBody } from './reply.ts'
import { compileCreate, compileWrite } from './write.ts'

export const respond: Behaviour<RespondConfig> = {
  name: 'respond',
  schema: respondSchema,
  compile(config, site) {
    const handler = (config && compileResponder(config, site)) ?? compileDocumented(site)
    const own = [config?.list, ...ACTIONS.map(action => config?.[action])].find(one => one !== undefined)
    const staged = own === undefined ? undefined : compileStaging(own, site)?.(handler)
    // The last behaviour of the chain: it never calls `next`.
    return () => staged ?? handler
  },
  describe(config, site) {
    if (config === undefined) return describeDocumented(site)
    const kind = KINDS.find(key => config[key] !== undefined)
    const instead = config.forward?.else
    if (kind === 'forward') return instead === undefined ? kind : `${kind}, else ${instead}`
    const own = kind === undefined || kind === 'status' ? `${config.status}` : `${kind} ${config[kind]}`
    return instead === undefined ? own : `forward, else ${own}`
  },
}

function compileResponder(config: RespondConfig, site: Site): Handler | undefined {
  const instead = config.forward?.else !== undefined
  const kinds = KINDS.filter(one => config[one] !== undefined && !(instead && one === 'forward'))
  const [kind = instead ? 'forward' : undefined, second] = kinds
  if (kind === undefined || second !== undefined) {
    const message = kind === undefined ? 'has no kind of reply' : `${kinds.join(' and ')} exclude each other`
    site.error(
      kind === undefined ? 'no-responder' : 'ambiguous-responder',
      message,
      second === undefined ? [] : [second],
      second === 'forward'
        ? `write forward: { else: simulate }, so that "${kind}" answers in its place`
        : `write one of: ${KINDS.join(', ')}`,
      'key',
    )
    return undefined
  }
  if (site.operation.method === 'GET' && !READING.has(kind)) {
    site.warn('write-on-get', `a GET should not ${kind} a record`, [kind], 'use list or read, or another operation')
  }
  for (const [key, owners] of Object.entries(COMPANIONS)) {
    if (owners.includes(kind) || config[key as keyof RespondConfig] === undefined) continue
    const hint = `use it with ${owners.map(owner => `"${owner}"`).join(', ')}`
    site.error('idle-key', `"${key}" has no effect beside "${kind}"`, [key], hint, 'key')
  }
  const handler = RESPONDERS[kind](config, site)
  return instead && kind !== 'forward' && handler ? compileForward(true, handler, site) : handler
}

/** The kinds of reply that change nothing. */
const READING: ReadonlySet<RespondKind> = new Set(['list', 'read', 'status', 'example', 'file', 'forward'])

type Responder = (config: RespondConfig, site: Site) => Handler | undefined
type CompileAction = (config: RespondConfig, resource: Resource, give: Give, site: Site) => Handler

/** Returns a responder of one record. `preferred` are its statuses of success, where the operation documents one of them. */
const action =
  (key: (typeof ACTIONS)[number], compile: CompileAction, ...preferred: [number, number]): Responder =>
  (config, site) => {
    const resource = resourceOf(config[key], [key], site)
    if (resource === undefined) return undefined
    const handler = compile(config, resource, compileGive(config, resource, site), site)
    return compileNegotiated(handler, successStatus(site.operation, ...preferred), site)
  }

const RESPONDERS: Readonly<Record<RespondKind, Responder>> = {
  list(config, site) {
    const resource = resourceOf(config.list, ['list'], site)
    return resource && compileNegotiated(compileList(config, resource, site), successStatus(site.operation, 200), site)
  },
  create: action('create', compileCreate, 201, 200),
  read: action('read', compileRead, 200, 200),
  replace: action('replace', (...all) => compileWrite(...all, 'replace'), 200, 204),
  update: action('update', (...all) => compileWrite(...all, 'update'), 200, 204),
  delete: action('delete', compileDelete, 204, 200),
  status: compileFixed,
  example: compileExample,
  file: compileFile,
  forward: ({ forward }, site) => compileForward(forward?.else === 'simulate', compileDocumented(site), site),
}

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

function compileDelete(config: RespondConfig, resource: Resource, give: Give, site: Site): Handler {
  const { identify, get, within } = compileFinder(resource, config, site)
  const status = successStatus(site.operation, 204, 200)
  const gives = status !== 204 && (responseFor(site.operation, status)?.content.size ?? 0) > 0
  const consequences = compileDeletion(resource, site)
  return async exchange => {
    const id = identify(exchange) as Id
    for (;;) {
      const entry = await get(exchange, id)
      if ('status' in entry) return entry
      const settle = consequences && (await consequences({ id, key: entry.id }, exchange))
      if (typeof settle === 'string') return refuse(problems.conflict, settle)
      const removed = await exchange.records(resource.name).remove(entry.id, entry.revision)
      if (removed !== 'removed' && entry.revision !== UNWRITTEN) continue
      await settle?.()
      await within?.count(exchange, -1)
      return gives ? give(entry, status, exchange) : withoutBody(status)
    }
  }
}

/**
 * Plans the effects of a deletion on the records that refer to the deleted one.
 *
 * @returns a function that deletes the dependent records and empties the references to the deleted one, or a sentence that says
 * what forbids the deletion; `undefined` without references to it
 */
export function compileDeletion(
  resource: Resource,
  site: Site,
): ((deleted: RecordName, exchange: Exchange) => Promise<string | (() => Promise<void>)>) | undefined {
  const referrers = new Map<string, readonly Referrer[]>()
  const reached = new Set([resource.name])
  for (const name of reached) {
    const own = referrersOf(name, site)
    referrers.set(name, own)
    for (const one of own) {
      if (!one.many) site.index(one.resource.name, one.field)
      if (one.onDelete === 'cascade') reached.add(one.resource.name)
    }
  }
  if (referrers.get(resource.name)?.length === 0) return undefined
  return async (deleted, exchange) => {
    const doomed = new Map([[`${resource.name} ${deleted.key}`, { name: resource.name, ...deleted }]])
    const named: (RecordName & { readonly referrer: Referrer; readonly owner: Id })[] = []
    for (const { name, id: owner } of doomed.values()) {
      for (const referrer of referrers.get(name) ?? []) {
        const { name: by, idField, within } = referrer.resource
        for (const record of await referringTo([owner], referrer, exchange)) {
          const id = idIn(idField, record)
          const key = indexKeyOf(record, idField, within)
          if (!isId(id) || key === undefined) continue
          named.push({ id, key, referrer, owner })
          if (referrer.onDelete === 'cascade') doomed.set(`${by} ${key}`, { name: by, id, key })
        }
      }
    }
    const left = named.filter(({ referrer, key }) => !doomed.has(`${referrer.resource.name} ${key}`))
    const forbidding = left.filter(({ referrer }) => referrer.onDelete === 'restrict')
    const [first] = forbidding
    if (first !== undefined) {
      const { resource: by, field } = first.referrer
      const more = forbidding.length > 1 ? `, and ${forbidding.length - 1} more` : ''
      return `the record ${first.owner} is still referenced by /${field} of the record ${first.id} in ${by.name}${more}`
    }
    return async () => {
      for (const { name, key } of doomed.values()) {
        if (name !== resource.name || key !== deleted.key) await exchange.records(name).remove(key)
      }
      for (const one of left) await empty(one.referrer, one.key, one.owner, exchange)
    }
  }
}

/** The id of a record, and its key, which differs where ids are unique only among those of the same owners. */
interface RecordName {
  readonly id: Id
  readonly key: Id
}

async function empty(
  { resource, field, many, nullable }: Referrer,
  key: Id,
  owner: Id,
  exchange: Exchange,
): Promise<void> {
  const collection = exchange.records(resource.name)
  const entry = await collection.read(key)
  if (entry === undefined) return
  const { [field]: value, ...rest } = entry.value
  const others = many && Array.isArray(value) ? value.filter(one => String(one) !== String(owner)) : undefined
  const next: Json | undefined = others ?? (nullable ? null : undefined)
  await collection.replace(key, next === undefined ? rest : { ...rest, [field]: next })
}

function compileFixed(config: RespondConfig, site: Site): Handler {
  const { headers = {}, body } = config
  const status = config.status as number
  const { operation, contract, expressions, error } = site
  const documented = responseFor(operation, status)
  const warning = documented === undefined ? checkUndocumented(status, site) : undefined
  const template = expressions.template({ headers, ...(body !== undefined && { body }) }, [], error)
  const own = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')
  const media = own && documented?.content.get(essenceOf(String(own[1])))
  const [type, usual] = [...(documented?.content ?? [])][0] ?? ['application/json', undefined]
  const contentType = String(own?.[1] ?? type)
  checkFixed(template, body, isJson(contentType) ? (media ?? usual)?.schema : undefined, site)
  if (body === undefined && status < 300 && documented !== undefined && documented.content.size > 0) {
    error('missing-body', `the contract documents a body for ${operation.id} ${status}`, ['status'], 'add body:')
  }
  if (body !== undefined && (status === 204 || status === 304)) {
    site.warn('idle-key', `a reply with the status ${status} has no body`, ['body'])
  }
  const reply = (scope?: Scope): Reply => {
    const filled = template.fill({ scope }) as { readonly headers: JsonObject; readonly body?: Json }
    const all: Record<string, string> = { ...requiredFields(status, operation, contract) }
    for (const [name, value] of Object.entries(filled.headers)) all[name.toLowerCase()] = fieldText(textOfFilled(value))
    if (warning !== undefined) all['understudy-warning'] = warning
    if (filled.body === undefined) {
      if (status < 400) return { status, headers: all, body: undefined }
      // An error status without a body is a refusal in the API's shape.
      const problem = problemOf(status)
      const fixed =
        site.rule === undefined ? `${operation.id} always answers ${status}` : `a rule answers with ${status}`
      return refuse(problem, problem === problems.not_simulated ? notSimulated(operation.id) : fixed, all, status)
    }
    const text = isJson(contentType) ? stringifyJson(filled.body) : textOfFilled(filled.body)
    return { status, headers: { 'content-type': contentType, ...all }, body: text }
  }
  if (template.holes.length > 0) return async exchange => reply(expressions.scope(exchange))
  const standing = reply()
  return async () => standing
}

/** Reports a status that the contract does not document: an error; in a rule a warning, because real servers do so too. */
function checkUndocumented(status: number, site: Site): string | undefined {
  const { operation } = site
  const message = `the operation ${operation.id} does not document ${status}`
  const hint = `documented: ${[...operation.responses.keys()].join(', ') || 'nothing'}`
  if (site.anyStatus || (site.rule !== undefined && status >= 400)) {
    // A rule for many operations may suit only some of them; the reply is checked instead.
    if (site.rule === 'own' && !site.anyStatus) site.warn('undocumented-status', message, ['status'], hint)
    return message
  }
  if (status < 500) site.error('undocumented-status', message, ['status'], hint)
  return undefined
}

/** Validates the body; expressions, as far as their types are known. */
function checkFixed(
  { holes, fill }: Template<TemplateContext>,
  body: Json | undefined,
  schema: SchemaUse | undefined,
  { error }: Site,
): void {
  if (body === undefined || schema === undefined) return
  const filled = fill({}) as JsonObject
  for (const { pointer: place, keyword, message } of schema.check(filled.body, true) ?? []) {
    const hole = holes.find(({ path }) => pointer(path) === `/body${place}`)
    if (hole !== undefined && (keyword !== 'type' || !hole.alone || hole.expression.type === 'dyn')) continue
    const path = (parsePointer(place) ?? []).map(key => (/^\d+$/.test(key) ? Number(key) : key))
    error('invalid-body', `this reply breaks the contract: ${place || 'the body'} ${message}`, ['body', ...path])
  }
}

const notSimulated = (operation: string): string =>
  `the contract documents no response of ${operation} that can be sent`

function compileFile({ file = '', headers = {} }: RespondConfig, site: Site): Handler | undefined {
  const { operation } = site
  const bytes = site.readFile(file)
  if (typeof bytes === 'string') {
    site.error('no-such-file', bytes, ['file'])
    return undefined
  }
  reportPlaceholders({ headers }, 'headers of a file are sent as they are: write the value', site.error)
  const given = lowerNames(headers)
  const type = given['content-type'] ?? lookup(file) ?? 'application/octet-stream'
  const status = successStatus(operation, 200)
  const documented = [...(responseFor(operation, status)?.content.keys() ?? [])].map(essenceOf)
  const essence = essenceOf(type)
  const range = `${essence.split('/', 1)[0]}/*`
  if (documented.length > 0 && ![essence, range, '*/*'].some(one => documented.includes(one))) {
    const message = `the operation ${operation.id} does not document ${essence} for ${status}`
    site.warn('undocumented-type', message, ['file'], `documented: ${documented.join(', ')}`)
  }
  const reply = { status, headers: { 'content-type': type, ...given }, body: bytes, bytes: bytes.length }
  return async () => reply
}

/** Answers with an example of the contract, by its name. */
function compileExample({ example }: RespondConfig, { answers, error }: Site): Handler {
  const refused = answers.reply({ ...ANY_QUESTION, example }).refusal
  if (refused !== undefined) error('unknown-example', refused.detail, ['example'])
  return async exchange => answers.reply(exchange.question({ example }))
}

/** Answers as the contract documents, if nothing else is configured. */
function compileDocumented({ operation, answers }: Site): Handler {
  if (answers.status === undefined) {
    const reply = refuse(problems.not_simulated, notSimulated(operation.id))
    return async () => reply
  }
  return async exchange => answers.reply(exchange.question())
}

function describeDocumented({ operation, answers }: Site): string {
  const { status } = answers
  const response = status === undefined ? undefined : responseFor(operation, status)
  if (response === undefined) return 'not simulated'
  if (response.content.size === 0) return `${status}`
  return [...response.content.values()].some(({ examples }) => examples.length > 0) ? 'example' : 'generated'
}
