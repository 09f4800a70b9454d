// Requests to try an operation with: one that keeps to the contract, and several that break it, each in one way.

import { type WithinConfig, withinsOf } from '../../behaviours/respond/config.ts'
import { isJson, type Operation } from '../../contract/contract.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import type { ClientCertificate, Request } from '../../kernel/request.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { idIn } from '../../world/collection.ts'
import { fieldIn } from '../../world/record-field.ts'
import { bodyOf, type ProbeBody } from './body.ts'
import { asksForCredential, credentialFor, withoutCredential } from './credential.ts'
import { spreadPairs, textsOf, valuesOf } from './parameter-texts.ts'
import { recordToName, referring } from './references.ts'

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
  readonly certificate: ClientCertificate | undefined
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
  const draft = draftOf(operation, plan, given)
  return typeof draft === 'string' ? draft : requestOf(operation, draft)
}

/** @returns the probes, or a sentence about the part without a valid value */
export function probesOf(planned: PlannedOperation, plan: Plan): readonly Probe[] | string {
  const { operation } = planned
  const draft = draftOf(operation, plan, NOTHING_GIVEN)
  if (typeof draft === 'string') return draft
  const send = (what: string, valid: boolean, change: Partial<ProbeDraft> = {}): Probe => ({
    what,
    valid,
    request: requestOf(operation, { ...draft, ...change }),
  })
  const probes = [send('that keeps to the contract', true)]
  if (asksForCredential(operation, plan)) {
    probes.push(send('without a credential', false, withoutCredential(draft, operation, plan)))
  }
  for (const { name, required, schema, owns } of operation.parameters.filter(one => one.in === 'query')) {
    const others = draft.query.filter(([known]) => !owns(known))
    if (required) probes.push(send(`without the query parameter ${name}`, false, { query: others }))
    const { types } = schema.shape
    if (types.length > 0 && types.every(type => type === 'integer' || type === 'number' || type === 'boolean')) {
      probes.push(
        send(`whose query parameter ${name} is "nonsense"`, false, { query: [...others, [name, 'nonsense']] }),
      )
    }
  }
  const { body } = draft
  if (body !== undefined && isJson(body.type)) {
    probes.push(send('whose body is cut short', false, { body: { ...body, text: '{"' } }))
    const media = operation.body?.content.get(body.type)
    if (media?.schema?.check([]) !== undefined && media.schema.check('text') !== undefined) {
      probes.push(send('whose body is an empty list', false, { body: { ...body, text: '[]' } }))
    }
    if (operation.body?.required) probes.push(send('without its body', false, { body: undefined }))
  }
  return probes
}

/** Returns a request that keeps to the contract, without a credential; `undefined` where no values were found for it. */
export function requestTo(
  { operation }: PlannedOperation,
  plan: Plan,
): (Request & { readonly text: string }) | undefined {
  const draft = draftOf(operation, plan, NOTHING_GIVEN)
  if (typeof draft === 'string') return undefined
  const request = requestOf(operation, { ...draft, ...withoutCredential(draft, operation, plan) })
  return { ...request, text: draft.body?.text ?? '' }
}

function draftOf(operation: Operation, plan: Plan, given: GivenParameters): ProbeDraft | string {
  const segments: string[] = []
  const query: [string, string][] = []
  const headers: Record<string, string> = {}
  for (const parameter of operation.parameters) {
    if (!parameter.required) continue
    const wanted = parameter.in === 'path' ? given.get(parameter.name) : undefined
    const values =
      wanted === undefined
        ? [...(parameter.in === 'path' ? [seededId(parameter, operation, plan)] : []), ...valuesOf(parameter)]
        : [wanted]
    const spread = spreadPairs(parameter, values)
    if (spread !== undefined) {
      query.push(...spread)
      continue
    }
    const texts = textsOf(parameter, values)
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
  const credential = credentialFor(operation, plan)
  // Some contracts declare a credential twice: as a scheme, and as a parameter.
  const beside = query.filter(([name]) => credential.query.every(([known]) => known !== name))
  return {
    segments: placed,
    query: [...beside, ...credential.query],
    headers: { ...headers, ...credential.headers },
    body,
    certificate: credential.certificate,
  }
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

function requestOf(
  { method, path, basePaths }: Operation,
  { segments, query, headers, body, certificate }: ProbeDraft,
): Request {
  let expression = 0
  const filled = path.replace(/\{[^{}]*\}/g, () => encodeURIComponent(segments[expression++] ?? ''))
  const bytes = Buffer.from(body?.text ?? '')
  return {
    method,
    path: (basePaths[0] ?? '') + filled,
    query: query.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join('&'),
    headers: body === undefined ? headers : { ...headers, 'content-type': body.type },
    hasBody: body !== undefined,
    readBody: async () => ({ bytes }),
    address: '127.0.0.1',
    certificate,
  }
}
