// The recorded replies that become examples of the contract, and the rules that choose between them.

import { RECORD_KINDS } from '../../behaviours/respond/on-record.ts'
import { responseFor } from '../../contract/contract.ts'
import { essenceOf, isJson } from '../../contract/media-types.ts'
import { isObject, type Json, type JsonObject, memberAt, stringifyJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { Plan } from '../../plan/plan.ts'
import { normalized } from '../overlay/json-path.ts'
import { hasBlank, withoutBlanks } from '../project/blanks.ts'
import { requestConditions } from '../project/imported.ts'
import { jsonOfMessage, typeOfMessage, valueOfRequest } from '../project/messages.ts'
import type { MatchedExchange } from '../project/recorded-state.ts'

/** The examples of an operation: one for each request that was answered differently. */
export const MOST_EXAMPLES = 50

/** A reply to one request; the last one, if it was sent again, or the last success of an action. */
interface RecordedCase {
  readonly when: readonly string[]
  readonly status: number
  /** The part of the contract that gets the example. */
  readonly target: string | undefined
  readonly value: Json | undefined
}

/**
 * Returns the conditions that tell a request from others of its operation. A condition on a parameter that the contract does not
 * declare would be a mistake, and no client can meet one on a blank.
 */
function conditionsOf({ exchange: { query, request }, planned, given }: MatchedExchange): string[] {
  const { parameters } = planned.operation
  const isDeclared = (name: string) => parameters.some(parameter => parameter.in === 'query' && parameter.owns(name))
  const pairs = [...new URLSearchParams(query)].filter(([name, value]) => isDeclared(name) && !hasBlank(value))
  const values = [...given].filter(([, value]) => !hasBlank(value))
  const body = valueOfRequest(request)
  const sent = isObject(body) ? withoutBlanks(body as JsonObject) : undefined
  return requestConditions(values, String(new URLSearchParams(pairs)), sent)
}

export class RecordedExamples {
  readonly #plan: Plan
  /** By operation and by request. */
  readonly #cases = new Map<string, Map<string, RecordedCase>>()
  /** The parts of the contract with an example that is not in a map. */
  readonly #single = new Set<string>()
  /** How many replies are no examples, by the reason. */
  readonly omitted = { invalid: 0, bare: 0, further: 0 }

  constructor(plan: Plan) {
    this.#plan = plan
  }

  add(matched: MatchedExchange): void {
    const { exchange, planned, respond } = matched
    const { operation } = planned
    const { reply } = exchange
    const { status } = reply
    if (status === 304) return
    const cases = getOrMake(this.#cases, operation.id, () => new Map<string, RecordedCase>())
    const when = conditionsOf(matched)
    // The records answer most requests: one example of each status shows how.
    const isOfRecords = respond !== undefined && ['list', ...RECORD_KINDS].some(kind => kind in respond)
    const key = isOfRecords ? `${status}` : when.join()
    // An action that fails when it is repeated is remembered for its success.
    const isRepeated = exchange.method !== 'GET' && status >= 400 && (cases.get(key)?.status ?? 400) < 400
    if (isRepeated) return
    const documented = responseFor(operation, status)
    const type = typeOfMessage(reply)
    const [name = '', media] = [...(documented?.content ?? [])].find(([range]) => essenceOf(range) === type) ?? []
    const value = jsonOfMessage(reply) ?? (isJson(type) || typeof reply.body !== 'string' ? undefined : reply.body)
    // A fixed reply cannot be without the body that its status documents.
    const isBare = status >= 300 || documented?.content.size === 0
    const isEmpty = reply.body === undefined && !reply.isPartial && documented !== undefined && isBare
    const isFit = value !== undefined && media !== undefined && media.schema?.check(value, true) === undefined
    if (!isEmpty && !isFit) {
      this.omitted[value === undefined && documented !== undefined ? 'bare' : 'invalid'] += 1
      return
    }
    if (cases.size >= MOST_EXAMPLES && !cases.has(key)) {
      this.omitted.further += 1
      return
    }
    const { path = [], document } = documented?.node ?? {}
    const isHere = isFit && document?.file === this.#plan.contract.files[0]
    const target = isHere ? normalized([...path, 'content', name]) : undefined
    if (target !== undefined && media?.examples.some(example => example.name === undefined)) this.#single.add(target)
    cases.set(key, { when, status, target, value })
  }

  /** Returns the settings of operations that no records answer, by their ids; and the actions of the overlay. */
  write(): { readonly settings: ReadonlyMap<string, JsonObject>; readonly actions: readonly JsonObject[] } {
    const updates = new Map<string, Record<string, Json>>()
    const settings = new Map<string, JsonObject>()
    for (const { operation } of this.#plan.operations) {
      const cases = [...(this.#cases.get(operation.id)?.values() ?? [])]
      const block = settingsOf(caseReplies(operation.id, cases, updates))
      if (block !== undefined) settings.set(operation.id, block)
    }
    const actions = [...updates].flatMap(([target, examples]): JsonObject[] => [
      ...(this.#single.has(target) ? [{ target: `${target}.example`, remove: true }] : []),
      { target, update: { examples } },
    ])
    return { settings, actions }
  }
}

/** A case with the block `respond` that gives its reply. */
interface CaseReply extends Pick<RecordedCase, 'when' | 'status'> {
  readonly respond: JsonObject
}

/** Returns the cases of an operation whose replies can be given, and adds their examples to `updates`, by the part they are for. */
function caseReplies(
  id: string,
  cases: readonly RecordedCase[],
  updates: Map<string, Record<string, Json>>,
): readonly CaseReply[] {
  const names = new Map<string, string>()
  return cases.flatMap(({ when, status, target, value }): CaseReply[] => {
    if (value === undefined) return [{ when, status, respond: { status } }]
    if (target === undefined) return []
    const example = getOrMake(names, stringifyJson([target, value]), () => `recorded-${id}-${names.size + 1}`)
    getOrMake(updates, target, (): Record<string, Json> => ({}))[example] = { value }
    // The status that an example is of without one may be another once more is recorded.
    return [{ when, status, respond: status === 200 ? { example } : { status, example } }]
  })
}

/** Returns the usual reply of an operation, and rules for requests that get another one; `undefined` without cases. */
function settingsOf(cases: readonly CaseReply[]): JsonObject | undefined {
  const usual = cases.findLast(({ status }) => status < 400) ?? cases.at(-1)
  if (usual === undefined) return undefined
  const isSame = cases.every(({ respond }) => stringifyJson(respond) === stringifyJson(usual.respond))
  const specific = cases.filter(({ when }) => when.length > 0).sort((a, b) => b.when.length - a.when.length)
  const rules = isSame ? [] : specific.map(({ when, respond }) => ({ when: when.join(' && '), respond }))
  return { respond: usual.respond, ...(rules.length > 0 ? { rules } : {}) }
}

/** Returns the actions of an overlay with the examples of an earlier one that they lack. @param earlier the earlier overlay */
export function withEarlier(actions: readonly JsonObject[], earlier: unknown): readonly JsonObject[] {
  const before = new Map<unknown, JsonObject>()
  for (const action of (memberAt(earlier, ['actions']) ?? []) as readonly unknown[]) {
    const examples = memberAt(action, ['update', 'examples'])
    if (isObject(examples)) before.set(memberAt(action, ['target']), examples as JsonObject)
  }
  const merged = actions.map((action): JsonObject => {
    const examples = memberAt(action, ['update', 'examples'])
    const older = before.get(action.target)
    if (!isObject(examples) || older === undefined) return action
    before.delete(action.target)
    return { ...action, update: { examples: { ...older, ...(examples as JsonObject) } } }
  })
  return [...merged, ...[...before].map(([target, examples]) => ({ target, update: { examples } }) as JsonObject)]
}
