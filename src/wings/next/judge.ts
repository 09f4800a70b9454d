// Judges an exchange by two contracts: whether its request, which the current one accepts, would be refused by the next one, and
// whether a part that its caller sends or receives differs there. Pure: all state is in the plan and the contracts.

import type { Identify } from '../../behaviours/consumer.ts'
import { Exchange } from '../../behaviours/exchange.ts'
import { type Contract, ITEM, type Operation, responseFor } from '../../contract/contract.ts'
import { childOf, itemsOf, membersOf, type Node } from '../../contract/documents.ts'
import { essenceOf } from '../../contract/media-types.ts'
import { nameless } from '../../contract/paths.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { type BrokenRule, describeRule, type Request } from '../../kernel/http.ts'
import { inProcess } from '../../kernel/in-process.ts'
import { isObject, parsePointer, stringifyJson } from '../../kernel/json.ts'
import { attempted, getOrMake } from '../../kernel/memo.ts'
import { NO_OPERATION } from '../../plan/compile-operation.ts'
import { compileConsumers, compileIdentification } from '../../plan/consumers.ts'
import { carried, credentialOf } from '../../plan/credentials.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { realClock } from '../../world/clock.ts'
import { World } from '../../world/world.ts'
import { requestTo } from '../probe/probe.ts'
import { hasBlank } from '../project/blanks.ts'
import { ContractChanges, nodeWithin, type OperationDifference } from './changes.ts'
import { compileRequestCheck, type RequestCheck } from './request-check.ts'

/** A request as it was sent and the reply that it got, as far as they were kept. */
export interface KeptExchange {
  readonly method: string
  /** With the base path. */
  readonly path: string
  readonly query: string
  /** By lower-case name; `undefined` where they were not kept. */
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: KeptBody
  /** `undefined` where it has to be found out by the credential. */
  readonly consumer: string | undefined
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly status: number
  readonly replyHeaders: Readonly<Record<string, string>> | undefined
  readonly replyBody: KeptBody
}

/** The text of a body, `undefined` for none; or why there is no text. */
export type KeptBody = string | undefined | { readonly lost: string }

/** A reason why a call breaks, or may break, with the parts of the two contracts that say so. */
export interface NextCause {
  readonly verdict: 'breaks' | 'may-break'
  readonly reason: string
  readonly now: Node
  readonly next: Node
}

/** The judgement of one exchange. */
export interface Judged {
  readonly operation: PlannedOperation
  readonly consumer: string | undefined
  readonly causes: readonly NextCause[]
  /** The reasons why a part of it could not be judged. */
  readonly unjudged: readonly string[]
}

/** An operation in both contracts; `gone` for one that is not at its path any more. */
interface OperationPair {
  readonly next: Operation | undefined
  readonly gone: NextCause | undefined
  readonly differences: readonly OperationDifference[]
}

/** Statuses of a request that was not accepted. */
const REFUSED = new Set([400, 401, 403, 405, 406, 413, 415, 422])

/** Why a request is not judged that was accepted and that the current contract refuses: a part of it was not kept. */
const UNLIKE = 'it was accepted, and the current contract refuses it as it was kept'

/** The text in the place of a credential. */
const MASKED = '***'

export class NextJudge {
  readonly now: Plan
  readonly next: Contract
  readonly #world = new World(0, realClock, new Map())
  readonly #pairs = new Map<PlannedOperation, OperationPair>()
  readonly #uncalled = new Map<PlannedOperation, Promise<readonly NextCause[]>>()
  readonly #checks = new Map<Operation, RequestCheck>()
  readonly #nextAt: ReadonlyMap<string, Operation>
  readonly #changes: ContractChanges
  readonly #identify: Identify
  /** The scopes of the consumers, by name. */
  readonly #scopes: ReadonlyMap<string, ReadonlySet<string>>
  /** Identifies callers by the form of their credential. */
  readonly #formOf: ReturnType<typeof compileIdentification>

  constructor(now: Plan, next: Contract) {
    this.now = now
    this.next = next
    const { source, file } = now.simulation
    const consumers = compileConsumers(file.consumers ?? {}, now.contract, source, new Diagnostics())
    // A caller of a public operation may send a credential, too.
    const wanted = [...now.contract.securitySchemes.keys()].map(scheme => [{ scheme, scopes: [] }])
    this.#nextAt = new Map(next.operations.map(one => [placeOfOperation(one), one]))
    this.#changes = new ContractChanges(now.contract, next)
    this.#scopes = new Map(consumers.map(({ name, scopes }) => [name, scopes]))
    this.#identify = compileIdentification(now.contract, consumers)({ ...NO_OPERATION, security: wanted })
    this.#formOf = compileIdentification(next, [])
  }

  pairOf(planned: PlannedOperation): OperationPair {
    return getOrMake(this.#pairs, planned, () => {
      const { operation: now } = planned
      const next = this.#nextAt.get(placeOfOperation(now))
      if (next !== undefined) {
        return { next, gone: undefined, differences: this.#changes.compare(now, next) }
      }
      const renamed = this.next.operations.find(({ id }) => id === now.id)
      const reason = `the operation is ${renamed === undefined ? 'gone' : `now ${renamed.method} ${renamed.path}`}`
      const at = renamed?.node ?? this.next.at('#/paths') ?? now.node
      return { next, gone: { verdict: 'breaks', reason, now: now.node, next: at }, differences: [] }
    })
  }

  /** Returns the text of an operation in both contracts, with all that it refers to. */
  textOf(id: string): string {
    const planned = this.now.operations.find(({ operation }) => operation.id === id)
    if (planned === undefined) return id
    const { next, gone } = this.pairOf(planned)
    return stringifyJson([
      gone?.reason,
      valuesWithin(planned.operation, this.now.contract),
      next && valuesWithin(next, this.next),
    ])
  }

  /** @returns `unmatched` for a request to no operation, `refused` for one that the current contract refuses */
  async judge(kept: KeptExchange): Promise<Judged | 'unmatched' | 'refused'> {
    const found = this.now.find(kept.method, kept.path)
    if (found === undefined || found.broken) return 'unmatched'
    const { planned } = found.target
    const { operation: now } = planned
    if (REFUSED.has(kept.status)) return 'refused'
    const request = this.#requestOf(kept, now)
    const { segments } = found
    const meet = (operation: Operation) =>
      new Exchange({ request, world: this.#world, operation, segments, ordinal: 0 })
    const met = meet(now)
    const isBroken = (await this.#broken(met, kept)).length > 0
    const isAccepted = kept.status >= 200 && kept.status < 400
    if (isBroken && !isAccepted) return 'refused'
    const identified = this.#identify(request, kept.at)
    const consumer = kept.consumer ?? (typeof identified === 'string' ? undefined : identified.name)
    const { next, gone, differences } = this.pairOf(planned)
    if (next === undefined) return { operation: planned, consumer, causes: [gone as NextCause], unjudged: [] }
    if (isBroken) return { operation: planned, consumer, causes: [], unjudged: [UNLIKE] }
    const type = essenceOf(String(request.headers['content-type'] ?? ''))
    const broken = await this.#broken(meet(next), kept)
    const causes = broken.map((rule): NextCause => ({ verdict: 'breaks', ...this.#causeOf(rule, now, next, type) }))
    const unjudged = new Set<string>()
    const add = (cause: NextCause | string | undefined): void => {
      if (typeof cause === 'string') unjudged.add(cause)
      else if (cause !== undefined) causes.push(cause)
    }
    add(this.#judgeSecurity(now, next, { request, kept, consumer }))
    const isRefused = causes.length > 0
    for (const difference of differences) {
      const { part, steps, ...cause } = difference
      // A refused request says enough about its own parts.
      if (isRefused && !isOfReply(part) && part !== '') continue
      const has = isOfReply(part) ? replyHas(difference, kept, now) : requestHas(difference, kept, met, type)
      if (has !== false) add(has === true ? { verdict: 'may-break', ...cause } : has)
    }
    if (typeof kept.body === 'object' && next.body !== undefined) unjudged.add(lostBody('request', kept.body))
    return { operation: planned, consumer, causes, unjudged: [...unjudged] }
  }

  /** Describes a rule of the next contract that a request breaks, or the sentence of a refusal. */
  #causeOf(
    rule: BrokenRule | string,
    now: Operation,
    next: Operation,
    type: string,
  ): Pick<NextCause, 'reason' | 'now' | 'next'> {
    if (typeof rule === 'string') {
      const content = childOf(bodyNode(now), 'content', type)
      return { reason: rule, now: content.value === undefined ? bodyNode(now) : content, next: bodyNode(next) }
    }
    // The reason is the same for each item of a list.
    const general = { ...rule, path: rule.path.replace(/\/\d+(?=\/|$)/g, `/${ITEM}`) }
    return {
      reason: describeRule(general),
      now: nodeOfRule(general, now, this.now.contract, type),
      next: nodeOfRule(general, next, this.next, type),
    }
  }

  /** Returns why the credential of a request is not enough for the next contract, or cannot be judged. */
  #judgeSecurity(
    now: Operation,
    next: Operation,
    { request, kept, consumer }: { request: Request; kept: KeptExchange; consumer: string | undefined },
  ): NextCause | string | undefined {
    const breaks = (reason: string): NextCause => ({
      verdict: 'breaks',
      reason,
      now: securityNode(now, this.now.contract),
      next: securityNode(next, this.next),
    })
    const asks = next.security.length > 0 && next.security.every(list => list.length > 0)
    if (asks && typeof this.#formOf(next)(request, kept.at) === 'string') {
      if (lacksCredential(kept) && consumer === undefined) return 'the credential was not kept'
      return breaks('a credential is required that it does not send')
    }
    const held = this.#scopes.get(consumer ?? '')
    const lacked = missingScopes(now, this.now.contract, held)
    const lacks = missingScopes(next, this.next, held)
    if (lacks.every(scope => lacked.includes(scope))) return undefined
    if (held === undefined) return 'the scopes of the credential are not known'
    return breaks(`a scope is required that its credential does not have: ${lacks.join(' ')}`)
  }

  /** Returns what would break an operation that was not called: its differences, and how a request that fits now fares. */
  judgeUncalled(planned: PlannedOperation): Promise<readonly NextCause[]> {
    return getOrMake(this.#uncalled, planned, async () => {
      const { gone, differences } = this.pairOf(planned)
      if (gone !== undefined) return [gone]
      const request = requestTo(planned, this.now)
      const none = { at: 0, status: 0, replyHeaders: {}, replyBody: undefined, consumer: '', headers: undefined }
      const body = request?.hasBody ? request.text : undefined
      const judged = request && (await this.judge({ ...request, ...none, body }))
      const causes = typeof judged === 'object' ? judged.causes.filter(({ verdict }) => verdict === 'breaks') : []
      return [...causes, ...differences.map(({ part, steps, ...one }) => ({ ...one, verdict: 'may-break' as const }))]
    })
  }

  /** Returns the rules that a request breaks, as far as it was kept; or the sentence of a refusal. */
  async #broken(exchange: Exchange, kept: KeptExchange): Promise<readonly (BrokenRule | string)[]> {
    const { operation } = exchange
    const check = getOrMake(this.#checks, operation, () => compileRequestCheck(operation, Number.POSITIVE_INFINITY))
    const outcome = await check(exchange, typeof kept.body === 'object' ? 'parameters' : 'all')
    if ('status' in outcome) return [outcome.refusal?.detail ?? '']
    const isLost = lacksCredential(kept)
    return outcome.filter(rule => !isLost || (rule.in !== 'header' && rule.in !== 'cookie'))
  }

  /** Returns the request; one whose credential was masked or dropped gets the consumer's, or one that has its form. */
  #requestOf(kept: KeptExchange, operation: Operation): Request {
    const { method, path, query, headers, body, consumer } = kept
    const text = typeof body === 'string' ? body : undefined
    const [usual = ''] = operation.body?.content.keys() ?? []
    const type: Record<string, string> = headers === undefined && text !== undefined ? { 'content-type': usual } : {}
    const name = this.now.simulation.consumerNames.includes(consumer ?? '') ? consumer : undefined
    const credential =
      lacksCredential(kept) && consumer !== undefined ? carried(credentialOf(name, operation, this.now)).headers : {}
    return inProcess({ method, path, query, headers: { ...type, ...headers, ...credential }, body: text })
  }
}

type Lost = Exclude<KeptBody, string | undefined>

const lostBody = (message: 'request' | 'reply', { lost }: Lost): string => `the body of the ${message} was ${lost}`

/** Whether a part is one of a reply: it begins with a status. */
const isOfReply = (part: string): boolean => /^(?:\d|default)/.test(part)

/** Returns whether a reply has a part that differs, or why that is not known. */
function replyHas(
  { part, steps }: OperationDifference,
  { status, replyHeaders, replyBody }: KeptExchange,
  operation: Operation,
): boolean | string {
  const [first = '', name = '', header = ''] = part.split(' ')
  const received = replyHeaders === undefined ? essenceOf(name) : essenceOf(replyHeaders['content-type'] ?? '')
  if (responseFor(operation, status) !== operation.responses.get(first)) return false
  if (header !== '')
    return replyHeaders === undefined ? 'the headers of the reply were not kept' : replyHeaders[header] !== undefined
  if (name !== '' && received !== essenceOf(name)) return false
  if (typeof replyBody === 'object' && steps.length > 0) return lostBody('reply', replyBody)
  return hasAt(
    attempted((): unknown => JSON.parse(replyBody as string)),
    steps,
  )
}

/** Returns whether a request has a part that differs, or why that is not known. */
function requestHas(
  { part, steps }: OperationDifference,
  { body }: KeptExchange,
  { body: value, values, operation: { parameters } }: Exchange,
  type: string,
): boolean | string {
  const [first = '', name = ''] = part.split(' ')
  if (part === '' || first === 'path') return true
  if (first === 'body') {
    if (typeof body === 'object') return lostBody('request', body)
    return essenceOf(name) === type && hasAt(value, steps)
  }
  // A parameter that was not sent has its default at most.
  const at = parameters.findIndex(parameter => parameter.in === first && parameter.name === name)
  return values[at] !== undefined && values[at] !== parameters[at]?.default
}

/** Whether a credential may have been masked, by the journal or in a recording, or dropped. */
const lacksCredential = ({ headers }: KeptExchange): boolean =>
  headers === undefined ||
  Object.values(headers).some(value => value === MASKED || value.endsWith(` ${MASKED}`) || hasBlank(value))

/** Returns the values of an operation and of all that it refers to. */
function valuesWithin(operation: Operation, contract: Contract): readonly unknown[] {
  const { path, security, node, parameters } = operation
  const parts: unknown[] = [path, security]
  const known = new Set<unknown>()
  const visit = (at: Node, isStart = false) => {
    const target = contract.resolve(at)
    if (isStart || target !== at) {
      if (known.has(target.value)) return
      known.add(target.value)
      parts.push(target.value)
    }
    for (const child of [...itemsOf(target), ...membersOf(target).map(([, one]) => one)]) visit(child)
  }
  for (const one of [node, ...parameters.map(parameter => parameter.node)]) visit(one, true)
  return parts
}

/** Returns the scopes that a credential lacks for every alternative of a security; those of the first one. */
function missingScopes(
  { security }: Operation,
  { securitySchemes }: Contract,
  held: ReadonlySet<string> = new Set(),
): readonly string[] {
  const missing = security.map(list =>
    list.flatMap(({ scheme, scopes }) => {
      const place = securitySchemes.get(scheme)
      return place?.in === 'authorization' && place.scoped ? scopes.filter(scope => !held.has(scope)) : []
    }),
  )
  return missing.some(({ length }) => length === 0) ? [] : (missing[0] ?? [])
}

const placeOfOperation = ({ method, path }: Operation): string => `${method} ${nameless(path)}`

const securityNode = ({ node }: Operation, contract: Contract): Node => {
  const security = childOf(node, 'security')
  return security.value === undefined ? (contract.at('#/security') ?? node) : security
}

const bodyNode = ({ node }: Operation): Node => {
  const body = childOf(node, 'requestBody')
  return body.value === undefined ? node : body
}

/** Returns the part of a contract that a broken rule is about. */
function nodeOfRule(
  { in: place, path, rule }: BrokenRule,
  operation: Operation,
  contract: Contract,
  type: string,
): Node {
  if (place === 'body') {
    const media = [...(operation.body?.content ?? [])].find(([one]) => essenceOf(one) === type)?.[1]
    const steps = parsePointer(path) ?? []
    return media?.schema === undefined || steps.length === 0
      ? bodyNode(operation)
      : nodeWithin(media.schema.node, steps, rule, contract)
  }
  const [name = '', ...steps] = path.split('/')
  const parameter = operation.parameters.find(one => one.in === place && one.name.toLowerCase() === name.toLowerCase())
  if (parameter === undefined) return operation.node
  const required = childOf(parameter.node, 'required')
  if (rule === 'required') return required.value === undefined ? parameter.node : required
  return nodeWithin(parameter.schema.node, steps, rule, contract)
}

/** Returns whether there is a value at some steps. */
function hasAt(value: unknown, steps: readonly string[], from = 0): boolean {
  if (from === steps.length) return value !== undefined || from === 0
  const step = steps[from] as string
  if (Array.isArray(value)) return step === ITEM && value.some(item => hasAt(item, steps, from + 1))
  return isObject(value) && Object.hasOwn(value, step) && hasAt(value[step], steps, from + 1)
}
