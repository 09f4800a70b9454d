// Makes a project of recorded exchanges in a folder, and proves it: contract, examples, records, latencies, and a replay.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RespondConfig } from '../../behaviours/respond/config.ts'
import { type Operation, responseFor } from '../../contract/contract.ts'
import { essenceOf, isJson } from '../../contract/media-types.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import { writeYaml } from '../../kernel/file/write-yaml.ts'
import { holdsExact, type Json, type JsonObject, mapValues, stringifyJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { LoadWing } from '../../load/contract-file.ts'
import { loadContract, loadPlan } from '../../load/load.ts'
import { houseWith } from '../../plan/house.ts'
import type { Plan } from '../../plan/plan.ts'
import { inferGateway } from '../infer/infer.ts'
import { normalized } from '../overlay/json-path.ts'
import type { RecordedExchange } from '../project/har.ts'
import { requestConditions } from '../project/imported.ts'
import { jsonOfMessage, typeOfMessage, valueOfRequest } from '../project/messages.ts'
import { type ProjectFiles, writeProject } from '../project/project.ts'
import { createRecordedState, type MatchedExchange, matchExchange } from '../project/recorded-state.ts'
import { type ReplayProof, replayRecording } from '../project/replay.ts'
import { firstContract } from './first-contract.ts'

export interface RecordedProject {
  /** The files that were written. */
  readonly files: ProjectFiles
  /** The names of the files that a person has changed, and that stay as they are. */
  readonly kept: readonly string[]
  readonly proof: ReplayProof
}

/** The place of a project. */
export interface ProjectPlace {
  /** The folder of the project, absolute; it may have an earlier one. */
  readonly folder: string
  /** The contract, absolute. Without one a first contract is inferred from the exchanges. */
  readonly contract?: string | undefined
  /** The folder that names in messages are relative to. */
  readonly home: string
  readonly wings: readonly LoadWing[]
}

/**
 * Makes a project of exchanges, writes it, and plays the exchanges against it. This is the way in for every kind of file that holds
 * exchanges: HAR, journals, and the collections of other tools.
 *
 * @param exchanges in their order, without credentials; iterated several times, so not a generator
 * @returns `undefined` if the project cannot be served: the report says why
 */
export async function projectOfExchanges(
  exchanges: AsyncIterable<RecordedExchange>,
  { folder, contract: given, home, wings }: ProjectPlace,
  report: Diagnostics,
): Promise<RecordedProject | undefined> {
  const files = new Map<string, string>()
  const kept: string[] = []
  const path = (name: string) => join(folder, name)
  const add = (name: string, value: Json) => {
    if (isEdited(path(name))) kept.push(name)
    else {
      // YAML is written with doubles: digits that they lose are kept in lines of JSON.
      const isExact = Array.isArray(value) && holdsExact(value)
      const text = stamped(isExact ? value.map(one => `- ${stringifyJson(one)}\n`).join('') : writeYaml(value))
      files.set(name, text)
      writeProject(folder, new Map([[name, text]]))
    }
  }
  const copy = ({ unsorted }: Diagnostics) => unsorted.forEach(one => void report.add(one))
  if (given === undefined) add('openapi.yaml', await firstContract(exchanges))
  const document = given ?? path('openapi.yaml')
  const { contract, report: mistakes } = loadContract(document, home, { wings })
  if (contract === undefined) return void copy(mistakes)
  const load = () => loadPlan(path('gateway.yaml'), home, {}, { thorough: true, wings })
  const isOwn = isEdited(path('gateway.yaml'))
  const plan = isOwn
    ? load().plan
    : (await inferGateway(contract, { file: document, home: folder, house: houseWith(wings) })).plan
  if (plan === undefined) return void copy(load().report)

  const state = createRecordedState(plan)
  const examples = createExamples(plan)
  const latencies = new Map<string, number[]>()
  let unmatched = 0
  let isConditional = false
  for await (const exchange of exchanges) {
    const matched = matchExchange(exchange, plan)
    if (matched === undefined) {
      unmatched += 1
      continue
    }
    state.add(matched)
    examples.add(matched)
    isConditional ||= /^(?:304|412|428)$/.test(`${exchange.reply.status}`)
    getOrMake(latencies, matched.planned.operation.id, () => []).push(exchange.latency)
  }
  const { cases, actions, invalid } = examples.write()
  const info = { title: 'Recorded replies as examples', version: '1' }
  if (actions.length > 0) add('examples.overlay.yaml', { overlay: '1.1.0', info, actions })
  const before = new Map<string, readonly JsonObject[]>()
  let unfit = 0
  const { resources: blocks = {}, operations = {} } = plan.simulation.file
  const resources = mapValues(blocks, (block, name) => {
    const records = state.recordsOf(name)
    if (records === undefined) return block
    before.set(name, records.before)
    unfit += records.unfit
    add(`fixtures/${name}.yaml`, records.now)
    return { ...state.describe(name, block), seed: `./fixtures/${name}.yaml` }
  })
  const named = [relative(folder, document), ...(actions.length > 0 ? ['examples.overlay.yaml'] : [])]
  const settings = [...latencies].map(([id, all]) => {
    const { respond } = (operations[id] ?? {}) as { readonly respond?: RespondConfig }
    const own = respond === undefined ? cases.get(id) : { respond: state.respond(id, respond) }
    return [id, { ...own, ...percentilesOf(all) }] as const
  })
  add('gateway.yaml', {
    contract: named.map(name => (name.startsWith('.') ? name : `./${name}`)),
    seed: 1,
    ...(isConditional ? { defaults: { conditional: {} } } : {}),
    resources: resources as unknown as JsonObject,
    operations: { ...(operations as JsonObject), ...(Object.fromEntries(settings) as unknown as JsonObject) },
  })
  const loaded = load()
  copy(loaded.report)
  const warn = (count: number, what: string) => {
    const place = placeOfFile(relative(home, folder))
    if (count > 0) report.warning('not-recorded', `${what}: ${count}`, place, 'compare: understudy drift recording.har')
  }
  warn(unmatched, 'requests for no operation of the contract')
  warn(invalid, 'replies that break the contract, have no body, or are too many')
  warn(unfit, 'records that break the contract')
  return loaded.plan && { files, kept, proof: await replayRecording(exchanges, loaded.plan, before) }
}

const SHARES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, max: 1 }

/** The percentiles of some latencies; equal ones once. */
function percentilesOf(latencies: readonly number[]): JsonObject {
  const sorted = latencies.map(one => Math.round(one * 10) / 10).sort((a, b) => a - b)
  const latency: Record<string, Json> = {}
  for (const [name, share] of Object.entries(SHARES)) {
    const value = `${sorted[Math.ceil(share * sorted.length) - 1]}ms`
    if (!Object.values(latency).includes(value)) latency[name] = value
  }
  return { latency }
}

// A file begins with a hash of the rest, so that one that a person has changed is known.

const MARK = '# understudy record wrote this; once it is changed, it is kept. '

const stamped = (text: string): string =>
  `${MARK}${createHash('sha256').update(text).digest('hex').slice(0, 16)}\n${text}`

function isEdited(path: string): boolean {
  if (!existsSync(path)) return false
  const text = readFileSync(path, 'utf8')
  return text !== stamped(text.slice(text.indexOf('\n') + 1))
}

// --- examples --------------------------------------------------------------------------------------------------------

/** The examples of an operation: one for each request that was answered differently. */
const MOST_EXAMPLES = 50

/** A reply to one request; the last one, if it was sent again. */
interface RecordedCase {
  readonly when: readonly string[]
  readonly status: number
  /** The part of the contract that gets the example. */
  readonly target: string | undefined
  readonly value: Json | undefined
}

/** Returns the part of a query that the contract declares. A condition on another parameter would be a mistake. */
function declaredQuery(query: string, { parameters }: Operation): string {
  const pairs = [...new URLSearchParams(query)].filter(([name]) =>
    parameters.some(parameter => parameter.in === 'query' && parameter.owns(name)),
  )
  return String(new URLSearchParams(pairs))
}

/** Collects the replies that become examples, and the rules that choose between them. */
function createExamples({ contract, operations }: Plan) {
  /** By operation and by request. */
  const all = new Map<string, Map<string, RecordedCase>>()
  /** The parts of the contract with an example that is not in a map. */
  const single = new Set<string>()
  let invalid = 0

  const add = ({ exchange, planned: { operation }, respond, given }: MatchedExchange): void => {
    const { reply } = exchange
    if (reply.status === 304) return
    const cases = getOrMake(all, operation.id, () => new Map<string, RecordedCase>())
    const when = requestConditions(given, declaredQuery(exchange.query, operation), valueOfRequest(exchange.request))
    // The records answer most requests: one example of each status shows how.
    const key = respond === undefined ? when.join() : `${reply.status}`
    const documented = responseFor(operation, reply.status)
    const type = typeOfMessage(reply)
    const [name = '', media] = [...(documented?.content ?? [])].find(([one]) => essenceOf(one) === type) ?? []
    const value = jsonOfMessage(reply) ?? (isJson(type) || typeof reply.body !== 'string' ? undefined : reply.body)
    // A fixed reply cannot be without the body that its status documents.
    const isBare = reply.status >= 300 || documented?.content.size === 0
    const isEmpty = reply.body === undefined && !reply.isPartial && documented !== undefined && isBare
    const isFit = value !== undefined && media !== undefined && media.schema?.check(value, true) === undefined
    if (!(isEmpty || isFit) || (cases.size >= MOST_EXAMPLES && !cases.has(key))) {
      invalid += 1
      return
    }
    const { path = [], document } = documented?.node ?? {}
    const isHere = isFit && document?.file === contract.files[0]
    const target = isHere ? normalized([...path, 'content', name]) : undefined
    if (target !== undefined && media?.examples.some(one => one.name === undefined)) single.add(target)
    cases.set(key, { when, status: reply.status, target, value })
  }

  /** The settings of operations that no records answer, by their ids; and the actions of the overlay. */
  const write = () => {
    const updates = new Map<string, Record<string, Json>>()
    const settings = new Map<string, JsonObject>()
    for (const { operation } of operations) {
      const names = new Map<string, string>()
      const own = [...(all.get(operation.id)?.values() ?? [])].flatMap(({ when, status, target, value }) => {
        if (value === undefined) return [{ when, status, respond: { status } as JsonObject }]
        if (target === undefined) return []
        const example = getOrMake(
          names,
          stringifyJson([target, value]),
          () => `recorded-${operation.id}-${names.size + 1}`,
        )
        getOrMake(updates, target, (): Record<string, Json> => ({}))[example] = { value }
        return [{ when, status, respond: { example } }]
      })
      const usual = own.findLast(({ status }) => status < 400) ?? own.at(-1)
      if (usual === undefined) continue
      const isSame = own.every(({ respond }) => stringifyJson(respond) === stringifyJson(usual.respond))
      const specific = own.filter(({ when }) => when.length > 0).sort((a, b) => b.when.length - a.when.length)
      const rules = isSame ? [] : specific.map(({ when, respond }) => ({ when: when.join(' && '), respond }))
      settings.set(operation.id, { respond: usual.respond, ...(rules.length > 0 ? { rules } : {}) })
    }
    const actions = [...updates].flatMap(([target, examples]): JsonObject[] => [
      ...(single.has(target) ? [{ target: `${target}.example`, remove: true }] : []),
      { target, update: { examples } },
    ])
    return { cases: settings, actions, invalid }
  }
  return { add, write }
}
