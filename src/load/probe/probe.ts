// Requests to try an operation with: one that keeps to the contract, and several that break it, each in one way.

import { type WithinConfig, withinsOf } from '../../behaviours/respond/config.ts'
import { isJson, type Operation } from '../../contract/contract.ts'
import { placeOf } from '../../contract/credential-place.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { Request } from '../../kernel/request.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { parseSubject } from '../../plan/tls.ts'
import type { Id } from '../../world/records/types.ts'
import { fieldIn, idIn, valuesIn, withId } from '../../world/records/values.ts'
import { acceptedCredential, carried, credentialOf } from './credential-of.ts'
import { bodyOf, type ProbeBody, parameterTexts, parameterValues, spreadPairs } from './samples.ts'

export interface Probe {
  /** Its special feature: the rest of a sentence that begins with "a request". */
  readonly what: string
  /** Whether it keeps to the contract. */
  readonly valid: boolean
  readonly request: Request
}

interface ProbeDraft {
  readonly segments: readonly string[]
  readonly query: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: ProbeBody | undefined
}

/** Values for path parameters by name, instead of those of the seeds. */
export type GivenParameters = ReadonlyMap<string, Json>
const NOTHING_GIVEN: GivenParameters = new Map()

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
export function requestTo(
  { operation }: PlannedOperation,
  plan: Plan,
): (Request & { readonly text: string }) | undefined {
  const draft = draftRequest(operation, plan, NOTHING_GIVEN)
  if (typeof draft === 'string') return undefined
  return { ...requestOf(operation, draft, plan, false), text: draft.body?.text ?? '' }
}

/** @returns the probes, or a sentence about the part without a valid value */
export function probesOf({ operation }: PlannedOperation, plan: Plan): readonly Probe[] | string {
  const draft = draftRequest(operation, plan, NOTHING_GIVEN)
  if (typeof draft === 'string') return draft
  const send = (what: string, change: Partial<ProbeDraft>, valid = false): Probe => ({
    what,
    valid,
    request: requestOf(operation, { ...draft, ...change }, plan),
  })
  const probes = [send('that keeps to the contract', {}, true)]
  if (asksForCredential(operation, plan)) {
    const request = requestOf(operation, draft, plan, false)
    probes.push({ what: 'without a credential', valid: false, request })
  }
  for (const { name, required, schema, owns } of operation.parameters.filter(one => one.in === 'query')) {
    const others = draft.query.filter(([known]) => !owns(known))
    if (required) probes.push(send(`without the query parameter ${name}`, { query: others }))
    const { types } = schema.shape
    if (types.length > 0 && types.every(type => type === 'integer' || type === 'number' || type === 'boolean')) {
      probes.push(send(`whose query parameter ${name} is "nonsense"`, { query: [...others, [name, 'nonsense']] }))
    }
  }
  const { body } = draft
  if (body !== undefined && isJson(body.type)) {
    probes.push(send('whose body is cut short', { body: { ...body, text: '{"' } }))
    const media = operation.body?.content.get(body.type)
    if (media?.schema?.check([]) !== undefined && media.schema.check('text') !== undefined) {
      probes.push(send('whose body is an empty list', { body: { ...body, text: '[]' } }))
    }
    if (operation.body?.required) probes.push(send('without its body', { body: undefined }))
  }
  return probes
}

/** Whether every alternative requires a credential that can be left out. */
export const asksForCredential = ({ security }: Operation, { contract }: Plan): boolean =>
  security.length > 0 &&
  security.every(alternative =>
    alternative.some(({ scheme }) => placeOf(contract.securitySchemes.get(scheme)).in !== 'nowhere'),
  )

function draftRequest(operation: Operation, plan: Plan, given: GivenParameters): ProbeDraft | string {
  const segments: string[] = []
  const query: [string, string][] = []
  const headers: Record<string, string> = {}
  for (const parameter of operation.parameters) {
    if (!parameter.required) continue
    const wanted = parameter.in === 'path' ? given.get(parameter.name) : undefined
    const values =
      wanted === undefined
        ? [...(parameter.in === 'path' ? [seededId(parameter, operation, plan)] : []), ...parameterValues(parameter)]
        : [wanted]
    const spread = spreadPairs(parameter, values)
    if (spread !== undefined) {
      query.push(...spread)
      continue
    }
    const texts = parameterTexts(parameter, values)
    if (texts === undefined) return `no value was found for the ${parameter.in} parameter ${parameter.name}`
    if (parameter.in === 'path') segments.push(texts[0] as string)
    else if (parameter.in === 'query') for (const text of texts) query.push([parameter.name, text])
    else if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = texts.join(',')
    else
      headers.cookie = [
        ...(headers.cookie === undefined ? [] : [headers.cookie]),
        `${parameter.name}=${texts[0]}`,
      ].join('; ')
  }
  const names = [...operation.path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name)
  const ordered = operation.parameters.filter(one => one.in === 'path').map(({ name }) => name)
  const placed = names.map((name = '') => {
    // One that the contract forgot to declare is any text.
    return segments[ordered.indexOf(name)] ?? String(given.get(name) ?? seededId({ name }, operation, plan) ?? '1')
  })
  const id = given.get(names.at(-1) ?? '') ?? seededId({ name: names.at(-1) ?? '' }, operation, plan)
  const body = operation.body === undefined ? undefined : bodyOf(operation, referring(operation, plan, id))
  if (typeof body === 'string') return body
  return { segments: placed, query, headers, body }
}

/** The id of a record that is there, where the parameter names one of a resource, or its owner. */
function seededId({ name }: { readonly name: string }, operation: Operation, { simulation }: Plan): Json | undefined {
  const respond = simulation.file.operations?.[operation.id]?.respond
  if (!isObject(respond)) return undefined
  const firstId = (resource: unknown, action?: string) => {
    const found = typeof resource === 'string' ? simulation.resources.get(resource) : undefined
    const seed = found && recordToName(found.name, action === 'delete', simulation.resources)
    return found && seed && idIn(found.idField, seed)
  }
  const { within, ...actions } = respond
  const owner = withinsOf(within as WithinConfig | undefined).find(({ parameter }) => parameter === name)
  if (owner !== undefined) return firstId(owner.resource) ?? ownedBy(respond, owner, simulation)
  return Object.entries(actions)
    .map(([action, resource]) => firstId(resource, action))
    .find(id => id !== undefined)
}

/** The owner of the first record of the resource that an operation is about, where the record says whose it is. */
function ownedBy(
  respond: Readonly<Record<string, unknown>>,
  { parameter, field = parameter }: WithinConfig,
  { resources }: Plan['simulation'],
): Json | undefined {
  const name = RECORD_ACTIONS.map(action => respond[action]).find(one => typeof one === 'string')
  const [seed] = resources.get(String(name))?.seeds ?? []
  const owner = seed && fieldIn(field, seed)
  return typeof owner === 'string' || typeof owner === 'number' ? owner : undefined
}

const RECORD_ACTIONS = ['list', 'create', 'read', 'update', 'replace', 'delete'] as const

/** @param identified whether it has a credential */
function requestOf(
  operation: Operation,
  { segments, query, headers, body }: ProbeDraft,
  plan: Plan,
  identified = true,
): Request {
  const { method, path, basePaths } = operation
  const credential = carried(acceptedCredential(operation, plan) ?? credentialOf(undefined, operation, plan))
  // Some contracts declare a credential twice: as a scheme, and as a parameter.
  const own = query.filter(([name]) => credential.query.every(([known]) => known !== name))
  const pairs = [
    ...own,
    ...(identified ? credential.query.map(([name, value]) => [name, encodeURIComponent(value)] as const) : []),
  ]
  const others = Object.entries(headers).filter(([name]) => !(name in credential.headers))
  let expression = 0
  const filled = path.replace(/\{[^{}]*\}/g, () => encodeURIComponent(segments[expression++] ?? ''))
  const bytes = Buffer.from(body?.text ?? '')
  const { subject } = credential
  return {
    method,
    path: (basePaths[0] ?? '') + filled,
    query: pairs.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join('&'),
    headers: {
      ...Object.fromEntries(others),
      ...(identified ? credential.headers : {}),
      ...(body === undefined ? {} : { 'content-type': body.type }),
    },
    hasBody: body !== undefined,
    readBody: async () => ({ bytes }),
    address: '127.0.0.1',
    certificate:
      identified && subject !== undefined ? { verified: true, subject: parseSubject(subject) ?? [] } : undefined,
  }
}

/** The record that a request names: for a `delete` the first that no other record refers to, if there is one. */
function recordToName(
  name: string,
  isDelete: boolean,
  resources: Plan['simulation']['resources'],
): JsonObject | undefined {
  const resource = resources.get(name)
  if (resource === undefined || !isDelete) return resource?.seeds[0]
  const referred = new Set<string>()
  for (const { references, seeds } of resources.values()) {
    for (const [field, { to, onDelete }] of references) {
      if (to !== name || onDelete !== 'restrict') continue
      for (const seed of seeds) for (const id of valuesIn(field, seed)) referred.add(String(id))
    }
  }
  return resource.seeds.find(seed => !referred.has(String(idIn(resource.idField, seed)))) ?? resource.seeds[0]
}

const ACTIONS = ['create', 'replace', 'update'] as const

/**
 * @param id of the record that the path names; ids in the body must not differ from it
 * @returns a function that changes a body, wherever the record is in it
 */
function referring(
  { id: operation, method, path }: Operation,
  { simulation }: Plan,
  id: Json | undefined,
): (value: Json) => Json {
  const { operations = {} } = simulation.file
  const respond = (operations[operation] ?? operations[`${method} ${path}`])?.respond
  const action = isObject(respond) ? ACTIONS.find(one => respond[one] !== undefined) : undefined
  const resource = isObject(respond) && action ? simulation.resources.get(String(respond[action])) : undefined
  if (resource === undefined) return value => value
  const { idField, seeds, assign, references } = resource
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
  const onlyInBody = action !== 'create' && !path.includes('{')
  if (known.size === 0 && wanted === undefined) return value => value
  const change = (value: Json, depth: number): Json => {
    if (!isObject(value)) return value
    const record = value as JsonObject
    const entries = Object.entries(record).map(([name, item]): [string, Json] => {
      const existing = known.get(name)
      if (existing === undefined) return [name, depth > 0 ? change(item, depth - 1) : item]
      return [name, Array.isArray(item) ? [existing] : item === null ? null : existing]
    })
    const changed = Object.fromEntries(entries)
    const isNamed = idIn(idField, record) !== undefined || (onlyInBody && depth === 1)
    if (wanted === undefined || !isNamed) return changed
    return { ...changed, ...withId(idField, wanted as Id, changed) }
  }
  return value => change(value, 1)
}
