// Makes a project of recorded exchanges in a folder, and proves it: contract, examples, records, latencies, and a replay.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RespondConfig } from '../../behaviours/respond/config.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { readSource } from '../../kernel/file/read-source.ts'
import { placeOfFile } from '../../kernel/file/source.ts'
import { writeYaml } from '../../kernel/file/write-yaml.ts'
import { holdsExact, type Json, type JsonObject, mapValues, stringifyJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { LoadWing } from '../../load/contract-file.ts'
import { type Loaded, loadContract, loadPlan } from '../../load/load.ts'
import { houseWith } from '../../plan/house.ts'
import type { Plan } from '../../plan/plan.ts'
import { inferGateway } from '../infer/infer.ts'
import { referenceTo } from '../infer/reference.ts'
import type { RecordedExchange } from '../project/har.ts'
import { type ProjectFiles, writeProject } from '../project/project.ts'
import { matchExchange, RecordedState } from '../project/recorded-state.ts'
import { RECORDING } from '../project/recording.ts'
import { type ReplayProof, replayRecording } from '../project/replay.ts'
import { EarlierContract } from './earlier-contract.ts'
import { MOST_EXAMPLES, RecordedExamples, withEarlier } from './examples.ts'
import { firstContract } from './first-contract.ts'
import { refusedSettings, withoutSettings } from './refused-settings.ts'

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
  const output = new ProjectFolder(folder)
  const isKept = output.isEdited('gateway.yaml')
  if (given === undefined) {
    const earlier = new EarlierContract(output.read('openapi.yaml'), isKept)
    output.write('openapi.yaml', await firstContract(exchanges, earlier))
  }
  const document = given ?? output.path('openapi.yaml')
  const copy = ({ unsorted }: Diagnostics) => unsorted.forEach(one => void report.add(one))
  const { contract, report: mistakes } = loadContract(document, home, { wings })
  if (contract === undefined) return void copy(mistakes)
  const load = () => loadPlan(output.path('gateway.yaml'), home, {}, { thorough: true, wings })
  const infer = async () =>
    (await inferGateway(contract, { file: document, home: folder, house: houseWith(wings) })).plan
  // The examples that it names may be of an earlier contract.
  if (isKept && load().plan === undefined) (await trafficOf(exchanges, await infer())).writeExamples(output)
  const plan = isKept ? load().plan : await infer()
  if (plan === undefined) return void copy(load().report)
  const traffic = await trafficOf(exchanges, plan)
  const { before, gateway } = traffic.write(output, document)
  const place = placeOfFile(relative(home, output.path('gateway.yaml')))
  const loaded = writeGateway(output, gateway, load, (setting, why) => {
    const message = `${setting} is left out, because the contract refuses it: ${why}`
    report.warning('not-recorded', message, place, 'add it to the contract')
  })
  copy(loaded.report)
  traffic.tellOmitted(report, relative(home, output.path(RECORDING)), place.file)
  if (loaded.plan !== undefined) leaveUnnamed(before, loaded.plan, report)
  const { files, kept } = output
  return loaded.plan && { files, kept, proof: await replayRecording(exchanges, loaded.plan, before) }
}

async function trafficOf(exchanges: AsyncIterable<RecordedExchange>, plan: Plan): Promise<RecordedTraffic> {
  const traffic = new RecordedTraffic(plan)
  for await (const exchange of exchanges) traffic.add(exchange)
  return traffic
}

/** The overlay with the examples. */
const EXAMPLES = 'examples.overlay.yaml'

/** Collects what the exchanges of a recording show of a plan's state, examples and latencies. */
class RecordedTraffic {
  readonly #plan: Plan
  readonly #state: RecordedState
  readonly #examples: RecordedExamples
  /** In milliseconds, by operation. */
  readonly #latencies = new Map<string, number[]>()
  #isConditional = false
  #unmatched = 0
  #unfit = 0
  readonly #undocumented = new Set<string>()

  constructor(plan: Plan) {
    this.#plan = plan
    this.#state = new RecordedState(plan)
    this.#examples = new RecordedExamples(plan)
  }

  add(exchange: RecordedExchange): void {
    const matched = matchExchange(exchange, this.#plan)
    if (matched === undefined) {
      this.#unmatched += 1
      return
    }
    this.#state.add(matched)
    this.#examples.add(matched)
    this.#isConditional ||= /^(?:304|412|428)$/.test(`${exchange.reply.status}`)
    getOrMake(this.#latencies, matched.planned.operation.id, () => []).push(exchange.latency)
  }

  /** Writes the examples. Returns the settings of operations that give them, and the actions of the overlay. */
  writeExamples(output: ProjectFolder) {
    const written = this.#examples.write()
    // A gateway.yaml that is kept may name an example that the same request has no longer.
    const isKept = output.isEdited('gateway.yaml')
    const actions = isKept ? withEarlier(written.actions, output.read(EXAMPLES)) : written.actions
    const info = { title: 'Recorded replies as examples', version: '1' }
    if (actions.length > 0) output.write(EXAMPLES, { overlay: '1.1.0', info, actions })
    return { ...written, actions }
  }

  /** Writes the examples and the records. Returns the records before the recording, by resource, and the gateway.yaml. */
  write(output: ProjectFolder, document: string) {
    const { settings, actions } = this.writeExamples(output)
    const before = new Map<string, readonly JsonObject[]>()
    const { resources = {}, operations = {} } = this.#plan.simulation.file
    const seeded = mapValues(resources, (block, name) => {
      const records = this.#state.records(name)
      if (records === undefined) return block
      const { now } = records
      before.set(name, records.before)
      this.#unfit += records.size - now.length
      for (const field of records.undocumented) this.#undocumented.add(`${name}.${field}`)
      output.write(`fixtures/${name}.yaml`, now)
      return { ...records.describe(block), seed: `./fixtures/${name}.yaml` }
    })
    const seen = [...this.#latencies].map(([id, latencies]) => {
      const { respond } = (operations[id] ?? {}) as { readonly respond?: RespondConfig }
      const block = respond === undefined ? settings.get(id) : { respond: this.#state.respond(id, respond) }
      return [id, { ...block, ...percentilesOf(latencies) }] as const
    })
    const gateway = {
      contract: [referenceTo(output.folder, document), ...(actions.length > 0 ? [`./${EXAMPLES}`] : [])],
      seed: 1,
      ...(this.#isConditional ? { defaults: { conditional: {} } } : {}),
      resources: seeded,
      operations: { ...operations, ...Object.fromEntries(seen) },
    } as unknown as JsonObject
    return { before, gateway }
  }

  /**
   * Warns of what is not in the project.
   *
   * @param recording the file of the recording, as a command names it
   * @param gateway the gateway.yaml, as a command names it
   */
  tellOmitted(report: Diagnostics, recording: string, gateway: string): void {
    const { invalid, bare, further } = this.#examples.omitted
    const omitted = {
      'requests for no operation of the contract': this.#unmatched,
      'replies that break the contract': invalid,
      'replies without the body that the contract documents': bare,
      [`replies beyond the ${MOST_EXAMPLES} examples of an operation`]: further,
      'records that break the contract': this.#unfit,
      'fields of records that the contract lacks': [...this.#undocumented].join(', '),
    }
    const hint = `compare: understudy drift ${recording} --config ${gateway}`
    for (const [what, count] of Object.entries(omitted))
      if (count !== 0 && count !== '') report.warning('not-recorded', `${what}: ${count}`, placeOfFile(recording), hint)
  }
}

/** The number of times that a gateway.yaml is loaded without the settings that it was refused for. */
const MOST_LOADS = 20

/**
 * Writes a gateway.yaml and loads it. Settings that are refused are left out: the traffic may show more than a contract has.
 *
 * @param refuse is called with each of these, and why
 */
function writeGateway(
  output: ProjectFolder,
  gateway: JsonObject,
  load: () => Loaded,
  refuse: (setting: string, why: string) => void,
): Loaded {
  let rest = gateway
  for (let loads = 1; ; loads++) {
    output.write('gateway.yaml', rest)
    const loaded = load()
    const isLast = loaded.plan !== undefined || loads === MOST_LOADS || output.isEdited('gateway.yaml')
    const refused = isLast ? new Map() : refusedSettings(output.path('gateway.yaml'), rest, loaded.report)
    if (refused.size === 0) return loaded
    for (const [setting, why] of refused) refuse(setting, why)
    rest = withoutSettings(rest, new Set(refused.keys()))
  }
}

/**
 * Removes the records of resources whose seed is not their fixture: a gateway.yaml that was kept is served with its own seeds, and
 * is proved with them.
 */
function leaveUnnamed(before: Map<string, unknown>, { simulation }: Plan, report: Diagnostics): void {
  const { resources = {} } = simulation.file
  for (const name of [...before.keys()]) {
    const fixture = `./fixtures/${name}.yaml`
    if ([resources[name]?.seed].flat().includes(fixture)) continue
    before.delete(name)
    const place = simulation.source.locate(['resources', name, 'seed'])
    const message = `the recorded records of "${name}" are not served: gateway.yaml was kept, and does not name ${fixture}`
    report.warning('unnamed-fixture', message, place, `seed: ${fixture}`)
  }
}

const SHARES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, max: 1 }

/** The percentiles of some latencies, equal ones once; without those of 0, as of a recording without times. */
function percentilesOf(latencies: readonly number[]): JsonObject {
  const sorted = latencies.map(one => Math.round(one * 10) / 10).sort((a, b) => a - b)
  const latency: Record<string, Json> = {}
  for (const [name, share] of Object.entries(SHARES)) {
    const value = `${sorted[Math.ceil(share * sorted.length) - 1]}ms`
    if (value !== '0ms' && !Object.values(latency).includes(value)) latency[name] = value
  }
  return Object.keys(latency).length > 0 ? { latency } : {}
}

/** The folder of a project. A file begins with a hash of the rest: one that a person has changed is kept. */
class ProjectFolder {
  readonly folder: string
  /** The files that were written. */
  readonly files = new Map<string, string>()
  /** The names of the files that a person has changed. */
  readonly kept: string[] = []

  constructor(folder: string) {
    this.folder = folder
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Returns the value in a file; `undefined` without one that can be read. */
  read(name: string): unknown {
    return readSource(this.path(name), name, new Diagnostics(), 'contract')?.value
  }

  /** Returns whether there is such a file that a person has changed. */
  isEdited(name: string): boolean {
    if (!existsSync(this.path(name))) return false
    const text = readFileSync(this.path(name), 'utf8')
    return text !== stamped(text.slice(text.indexOf('\n') + 1))
  }

  write(name: string, value: Json): void {
    if (this.isEdited(name)) {
      if (!this.kept.includes(name)) this.kept.push(name)
      return
    }
    // YAML is written with doubles: digits that they lose are kept in lines of JSON.
    const isExact = Array.isArray(value) && holdsExact(value)
    const text = stamped(isExact ? value.map(one => `- ${stringifyJson(one)}\n`).join('') : writeYaml(value))
    this.files.set(name, text)
    writeProject(this.folder, new Map([[name, text]]))
  }
}

const MARK = '# understudy record wrote this; once it is changed, it is kept. '

const stamped = (text: string): string =>
  `${MARK}${createHash('sha256').update(text).digest('hex').slice(0, 16)}\n${text}`
