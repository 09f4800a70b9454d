// Requests to try an operation with: one that keeps to the contract, and several that break it, each in one way.

import { Vouched } from '../../behaviours/consumer.ts'
import { findReferences } from '../../behaviours/references.ts'
import type { Resource } from '../../behaviours/resource.ts'
import { withinsOf } from '../../behaviours/respond/config.ts'
import type { Operation } from '../../contract/contract.ts'
import { isJson } from '../../contract/media-types.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { schemeNamed } from '../../contract/security.ts'
import type { Request } from '../../kernel/http.ts'
import { type InProcessRequest, inProcess } from '../../kernel/in-process.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { respondBlock } from '../../load/seed/seed.ts'
import { parseSubject } from '../../plan/consumers.ts'
import { acceptedCredential, type Credential, carried, credentialOf } from '../../plan/credentials.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import type { Id } from '../../world/records/types.ts'
import { fieldIn, idIn, valuesIn, withId } from '../../world/records/values.ts'
import { bodyOf, type ProbeBody, parameterTexts, parameterValues, spreadPairs } from './samples.ts'

export interface Probe {
  /** Its special feature: the rest of a sentence that begins with "a request". */
  readonly what: string
  /** Whether it keeps to the contract. */
  readonly valid: boolean
  readonly request: InProcessRequest
}

/** The parts of a request but for its credential. */
interface ProbeDraft {
  /** The path without its base path. */
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: ProbeBody | undefined
}

/** Values for path parameters by name, instead of those of the seeds. */
export type GivenParameters = ReadonlyMap<string, Json>

/**
 * A request that keeps to the contract.
 *
 * @param given what its path is to name
 * @returns a sentence where no value could be found for a part of it
 */
export function validRequest({ operation }: PlannedOperation, plan: Plan, given: GivenParameters): Request | string {
  const draft = draftRequest(operation, plan, given)
  return typeof draft === 'string' ? draft : requestOf(operation, draft, plan)
}

/** Returns a request that keeps to the contract, without a credential; `undefined` where no values were found for it. */
export function requestTo({ operation }: PlannedOperation, plan: Plan): InProcessRequest | undefined {
  const draft = draftRequest(operation, plan)
  return typeof draft === 'string' ? undefined : requestOf(operation, draft, plan, false)
}

/**
 * @param credential the one that they carry; default: one that the operation accepts
 * @returns the probes, or a sentence about the part without a valid value
 */
export function probesOf(
  { operation }: PlannedOperation,
  plan: Plan,
  given?: GivenParameters,
  credential?: Credential,
): readonly Probe[] | string {
  const draft = draftRequest(operation, plan, given)
  if (typeof draft === 'string') return draft
  const send = (what: string, change: Partial<ProbeDraft>, valid = false): Probe => ({
    what,
    valid,
    request: requestOf(operation, { ...draft, ...change }, plan, true, credential),
  })
  const probes = [send('that keeps to the contract', {}, true)]
  if (asksForCredential(operation, plan) && credential?.keys.length !== 0) {
    const request = requestOf(operation, draft, plan, false)
    probes.push({ what: 'without a credential', valid: false, request })
  }
  for (const { name, required, schema, owns } of operation.parameters.filter(one => one.in === 'query')) {
    const others = draft.query.filter(([known]) => !owns(known))
    if (required) probes.push(send(`without the query parameter ${name}`, { query: others }))
    const { types } = schema.shape
    const isText = types.every(type => type === 'string') && schema.check('nonsense') !== undefined
    if (types.length > 0 && (isText || types.every(type => /^(?:integer|number|boolean)$/.test(type)))) {
      probes.push(send(`whose query parameter ${name} is "nonsense"`, { query: [...others, [name, 'nonsense']] }))
    }
  }
  const { body } = draft
  if (body !== undefined && isJson(body.type)) {
    probes.push(send('whose body is cut short', { body: { ...body, text: '{"' } }))
    const { schema } = operation.body?.content.get(body.type) ?? {}
    if (schema?.check([]) !== undefined && schema.check('text') !== undefined) {
      probes.push(send('whose body is an empty list', { body: { ...body, text: '[]' } }))
    }
    const value: unknown = JSON.parse(body.text)
    for (const name of isObject(value) ? (schema?.shape.required ?? []) : []) {
      const text = JSON.stringify({ ...(value as JsonObject), [name]: undefined })
      if (schema?.check(JSON.parse(text)) === undefined) continue
      probes.push(send(`whose body lacks ${name}`, { body: { ...body, text } }))
      break
    }
    if (operation.body?.required) probes.push(send('without its body', { body: undefined }))
  }
  return probes
}

export const documentsSuccess = ({ responses }: Operation): boolean =>
  [...responses.keys()].some(status => status.startsWith('2'))

/** Whether every alternative requires a credential that can be left out. */
export const asksForCredential = ({ security }: Operation, { contract }: Plan): boolean =>
  security.length > 0 &&
  security.every(alternative => alternative.some(({ scheme }) => schemeNamed(scheme, contract).in !== 'nowhere'))

/** @returns a sentence where no value could be found for a part */
function draftRequest(operation: Operation, plan: Plan, given: GivenParameters = new Map()): ProbeDraft | string {
  const inPath = new Map<string, string>()
  const query: [string, string][] = []
  const headers: Record<string, string> = {}
  const idFor = (name: string) => given.get(name) ?? seededId(name, operation, plan)
  for (const parameter of operation.parameters) {
    const { name, in: place } = parameter
    if (!parameter.required) continue
    const wanted = place === 'path' ? given.get(name) : undefined
    const first = place === 'path' ? [idFor(name)] : []
    const values = wanted === undefined ? [...first, ...parameterValues(parameter)] : [wanted]
    const spread = spreadPairs(parameter, values)
    if (spread !== undefined) {
      query.push(...spread)
      continue
    }
    const texts = parameterTexts(parameter, values)
    if (texts === undefined) return `no value was found for the ${place} parameter ${name}`
    if (place === 'path') inPath.set(name, texts[0] as string)
    else if (place === 'query') for (const text of texts) query.push([name, text])
    else if (place === 'header') headers[name.toLowerCase()] = texts.join(',')
    else headers.cookie = [...(headers.cookie === undefined ? [] : [headers.cookie]), `${name}=${texts[0]}`].join('; ')
  }
  // A parameter that the contract forgot to declare is any text.
  const textFor = (name: string) => inPath.get(name) ?? String(idFor(name) ?? '1')
  const path = operation.path.replace(/\{([^{}]*)\}/g, (_, name) => encodeURIComponent(textFor(name)))
  const id = idFor(expressionsOf(operation.path).at(-1) ?? '')
  const body = operation.body && bodyOf(operation, referring(operation, plan, id))
  return typeof body === 'string' ? body : { path, query, headers, body }
}

/** The id of a record that is there, where the parameter names one of a resource, or its owner. */
function seededId(name: string, operation: Operation, { simulation }: Plan): Json | undefined {
  const { resources } = simulation
  const { within, ...actions } = respondBlock(operation, simulation.file) ?? {}
  const firstId = (name: unknown, action?: string) => {
    const resource = resources.get(String(name))
    const seed = resource && recordToName(resource, action === 'delete', resources)
    return seed && idIn(resource.idField, seed)
  }
  const owner = withinsOf(within).find(({ parameter }) => parameter === name)
  const ids = Object.entries(actions).map(([action, resource]) => firstId(resource, action))
  if (owner === undefined) return ids.find(id => id !== undefined)
  const { parameter, field = parameter, resource } = owner
  const ownerId = firstId(resource)
  if (ownerId !== undefined) return ownerId
  // The owner of another owner in the path, or of the record that the operation is about, where that says whose it is.
  const others = [...withinsOf(within).map(one => one.resource), ...Object.values(actions)]
  const seeds = others.flatMap(one => resources.get(String(one))?.seeds.slice(0, 1) ?? [])
  const [named] = seeds.flatMap(seed => fieldIn(field, seed) ?? fieldIn(`{${parameter}}`, seed) ?? [])
  return typeof named === 'string' || typeof named === 'number' ? named : undefined
}

/** @param identified whether it has a credential */
function requestOf(
  operation: Operation,
  draft: ProbeDraft,
  plan: Plan,
  identified = true,
  chosen?: Credential,
): InProcessRequest {
  const { method, basePaths } = operation
  const { path, query, headers, body } = draft
  const credential = carried(chosen ?? acceptedCredential(operation, plan) ?? credentialOf(undefined, operation, plan))
  const given = credential.query.map(([name, value]) => [name, encodeURIComponent(value)] as const)
  // Some contracts declare a credential twice: as a scheme, and as a parameter.
  const own = query.filter(([name]) => given.every(([known]) => known !== name))
  const others = Object.entries(headers).filter(([name]) => !(name in credential.headers))
  const { subject } = credential
  const certificate = subject === undefined ? undefined : { verified: true, subject: parseSubject(subject) ?? [] }
  return inProcess({
    method,
    path: (basePaths[0] ?? '') + path,
    query: [...own, ...(identified ? given : [])]
      .map(([name, value]) => `${encodeURIComponent(name)}=${value}`)
      .join('&'),
    headers: {
      ...Object.fromEntries(others),
      ...(identified ? credential.headers : {}),
      ...(body === undefined ? {} : { 'content-type': body.type }),
    },
    body: body?.text,
    certificate: identified ? certificate : undefined,
    examined: identified && chosen === undefined ? new Vouched() : undefined,
  })
}

/** The record that a request names: for a `delete` the first that no other record refers to, if there is one. */
function recordToName(
  { name, idField, seeds }: Resource,
  isDelete: boolean,
  resources: Plan['simulation']['resources'],
): JsonObject | undefined {
  const [first] = seeds
  if (!isDelete) return first
  const referring = [...resources.values()].flatMap(({ references, seeds: records }) =>
    [...references].flatMap(([field, { to, onDelete }]) =>
      to === name && onDelete === 'restrict' ? records.flatMap(record => valuesIn(field, record)) : [],
    ),
  )
  const referred = new Set(referring.map(String))
  return seeds.find(seed => !referred.has(String(idIn(idField, seed)))) ?? first
}

const ACTIONS = ['create', 'replace', 'update'] as const

/**
 * @param id of the record that the path names; ids in the body must not differ from it
 * @returns a function that changes a body, wherever the record is in it
 */
function referring(operation: Operation, { simulation, contract }: Plan, id: Json | undefined): (value: Json) => Json {
  const respond = respondBlock(operation, simulation.file)
  const action = respond && ACTIONS.find(one => respond[one] !== undefined)
  const resource = action && simulation.resources.get(String(respond[action]))
  if (resource === undefined) return value => value
  const { idField, seeds, assign, references, schema } = resource
  // A field without a reference may name a record too, of which a rule or an effect makes use: `orderId`.
  const named = findReferences(contract, simulation.resources).fields(schema.node)
  const known = new Map<string, Json>()
  for (const [field, { to }] of references) {
    const owner = simulation.resources.get(to)
    const [seed] = owner?.seeds ?? []
    const existing = owner && seed && idIn(owner.idField, seed)
    if (existing !== undefined) known.set(field, existing)
  }
  const highest = Math.max(0, ...seeds.map(seed => Number(idIn(idField, seed))))
  // A number that no record has: small ones are often taken.
  const free = assign === 'client' && highest > 0 ? highest + 1 : undefined
  const wanted = action === 'create' ? free : id
  const onlyInBody = action !== 'create' && !operation.path.includes('{')
  const change = (value: Json, depth: number): Json => {
    if (!isObject(value)) return value
    const record = value as JsonObject
    const entries = Object.entries(record).map(([name, item]): [string, Json] => {
      const existing = known.get(name)
      if (existing === undefined)
        return [name, named.get(name)?.(item, 0) ?? (depth > 0 ? change(item, depth - 1) : item)]
      return [name, Array.isArray(item) ? [existing] : item === null ? null : existing]
    })
    const changed = Object.fromEntries(entries)
    const isNamed = idIn(idField, record) !== undefined || (onlyInBody && depth === 1)
    if (wanted === undefined || !isNamed) return changed
    return { ...changed, ...withId(idField, wanted as Id, changed) }
  }
  return value => change(value, 1)
}
