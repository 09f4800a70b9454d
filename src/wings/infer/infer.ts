// Makes sense of a contract that has no gateway.yaml: which paths are collections, which their items, what a parameter is for. A
// guess with its reasons, for an author to read and correct. It is held to the checks of a written one, and tried in process: a
// resource that does not hold is left out whole, with the reason.

import { relative, resolve } from 'node:path'
import type { Contract, Operation } from '../../contract/contract.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { freeName } from '../../kernel/names.ts'
import { createRunner } from '../../load/probe/probe.ts'
import { readResources } from '../../load/seed/seed.ts'
import { compilePlan } from '../../plan/compile.ts'
import { BlockSettings, type House } from '../../plan/house.ts'
import type { Plan } from '../../plan/plan.ts'
import { simulationOf } from '../../plan/settings.ts'
import { checksOf } from '../../plan/simulation.ts'
import type { SimulationFile } from '../../plan/simulation-file.ts'
import type { SchemaCandidate } from './candidates.ts'
import { findCollections, type InferredCollection, isAlone, type Named } from './collections.ts'
import { type Inference, type InferredOperation, operationsOf, owningItems, withinsIn } from './operations.ts'
import { isItemPath, isSilent, readSchemas, sameWord, segmentsOf } from './schema.ts'
import { compileSeeds } from './seeds.ts'
import { INFERRED_FILE, settingsOf } from './text.ts'
import { tryResource } from './trial.ts'

/**
 * Makes an inference.
 *
 * @param choices which candidate each resource is kept by; the first where it is not named
 * @param without the resources to leave out
 */
type Infer = (choices?: ReadonlyMap<string, number>, without?: ReadonlySet<string>) => Inference

/** Reads collections, items and the roles of parameters off names and schemas. */
function readInference(contract: Contract): Infer {
  const schemas = readSchemas(contract)
  const names = new Set<string>()
  const collections: Named[] = []
  const found = findCollections(contract, schemas)
  for (const collection of [...found.filter(one => !isNameless(one)), ...found.filter(isNameless)]) {
    if (collections.some(one => isView(collection, one))) continue
    const twin = collections.find(one => isTwin(one, collection))
    const every = twin === undefined && !collection.members && isNameless(collection) && !isAlone(collection)
    if (every && !isChangedAlone(collection)) continue
    const name = twin?.name ?? freeName(collection.records.word, names)
    const candidates = every ? collection.candidates.map(one => ({ ...one, every })) : collection.candidates
    collections.push({ ...collection, candidates, name })
    names.add(name)
  }
  // The view with the most fields comes first: it has the id.
  collections.sort((a, b) => fullness(b) - fullness(a))
  const resources = [...names].map(name => {
    const [first, ...others] = collections.filter(one => one.name === name) as [Named, ...Named[]]
    return { name, ...describeResource({ ...first, candidates: withGivenIds(first, others) }) }
  })
  const paths = [...new Set(contract.operations.map(({ path }) => path))].map(segmentsOf)
  const owning = owningItems(collections, paths, schemas)
  const callers = callersOf(collections)
  const sources = collections.filter(one => !one.members && showsRecords(one))
  return (choices = new Map(), without = new Set()) => {
    const kept = resources.filter(({ name }) => !without.has(name))
    const chosen = new Map(
      kept.map(one => [one.name, one.candidates[choices.get(one.name) ?? 0] as SchemaCandidate] as const),
    )
    const operations = new Map<Operation, InferredOperation>()
    const met = new Set<string>()
    for (const collection of collections) {
      if (without.has(collection.name)) continue
      for (const one of operationsOf(collection, { chosen, owning, callers, sources }, contract, schemas)) {
        if (operations.has(one.operation)) continue
        // The resource is useful without another view.
        operations.set(one.operation, met.has(one.resource) ? { ...one, essential: false } : one)
      }
      met.add(collection.name)
    }
    const ordered = contract.operations.flatMap(one => operations.get(one) ?? [])
    return { resources, operations: ordered }
  }
}

/** The resources whose first record is the one who asks, by the path that shows it: `user` of `GET /user`. */
const callersOf = (collections: readonly Named[]): ReadonlyMap<string, string> =>
  new Map(
    collections.flatMap(({ me, records, name, itemPath }) =>
      me.flatMap(one =>
        one.method === 'GET' && itemPath !== undefined && records.answersAkin(one)
          ? [[segmentsOf(one.path).join('/'), name] as const]
          : [],
      ),
    ),
  )

/** Whether a collection may only be another view of one: no field names its records, or it has nothing but their items. */
const isNameless = ({ candidates, list, create }: InferredCollection): boolean =>
  candidates.length === 0 || (list === undefined && create === undefined)

/** Whether clients can read one record, or create it. */
function showsRecords({ item, create, members }: InferredCollection): boolean {
  const reader = item.get('GET')
  return members || create !== undefined || (reader !== undefined && !isSilent(reader))
}

/** Whether a record can be read and changed, and nothing lists or creates it: `/profiles/{name}` and `/profiles/{name}/follow`. */
function isChangedAlone({ item, below, candidates, records }: InferredCollection): boolean {
  const reader = item.get('GET')
  if (reader === undefined || isSilent(reader) || item.has('DELETE') || candidates.length === 0) return false
  const changes = [...item.values(), ...below.filter(({ path }) => !isItemPath(path))]
  return changes.some(one => one.method !== 'GET' && records.answersAkin(one))
}

/** Whether two collections are views of one: their items are at one path, or they are called alike and list the same. */
function isTwin(one: InferredCollection, other: InferredCollection): boolean {
  if (one.itemPath !== undefined && one.itemPath === other.itemPath) return true
  // The repositories of a team are among those of all, and not the same list.
  if (one.members !== other.members && [one, other].every(showsRecords)) return false
  if (one.records.form !== other.records.form || haveOwnItems(one, other)) return false
  if (isNameless(other)) return other.records.known.some(node => one.records.isAkin(node))
  return one.candidates[0]?.schema === other.candidates[0]?.schema
}

/**
 * Whether two collections belong to owners of different kinds, each with its items: webhooks of sites and of organisations.
 */
function haveOwnItems(one: InferredCollection, other: InferredCollection): boolean {
  const kindOf = ({ segments, itemPath, item }: InferredCollection) => {
    const isBelow = item.has('GET') && itemPath !== undefined && segmentsOf(itemPath).length === segments.length + 1
    const at = segments.findLastIndex(segment => segment.includes('{'))
    return isBelow && at >= 0 ? (segments[at - 1] ?? '') : undefined
  }
  const [a, b] = [kindOf(one), kindOf(other)]
  return a !== undefined && b !== undefined && !sameWord(a, b)
}

/** Whether a list is one of several of a collection's records: `/book/findByStatus` beside `/book`. */
function isView({ segments, itemPath, create, list }: InferredCollection, of: InferredCollection): boolean {
  if (itemPath !== undefined || create !== undefined || list === undefined || of.itemPath === undefined) return false
  const base = of.segments
  if (segments.length !== base.length + 1 || base.some((one, i) => one !== segments[i])) return false
  return of.records.isAkin(list.listed.items)
}

/**
 * The candidates of a collection. Its fields are filled in, and its ids given, or made of titles, where a create of any view says
 * so: `POST /admin/teams`.
 */
function withGivenIds(
  { candidates }: InferredCollection,
  views: readonly InferredCollection[],
): readonly SchemaCandidate[] {
  const others = views.flatMap(one => one.candidates)
  return candidates.flatMap(own => {
    const same = others.filter(({ schema, idField }) => schema === own.schema && idField === own.idField)
    const one = { ...own, filled: [own, ...same].find(({ filled }) => filled.length > 0)?.filled ?? [] }
    const given = same.find(({ assign }) => assign === 'client') ?? same.find(({ from }) => from !== undefined)
    if (given === undefined || one.assign === 'client' || one.from !== undefined) return [one]
    return [{ ...one, assign: given.assign, from: given.from }, one]
  })
}

/** The operations that a collection has: items below its path, a create, items elsewhere. */
function fullness({ segments, itemPath, create, list }: InferredCollection): number {
  const item = itemPath === undefined ? [] : segmentsOf(itemPath)
  const isBelow = item.length === segments.length + 1 && segments.every((one, i) => one === item[i])
  return (isBelow ? 4 : item.length > 0 ? 2 : 0) + (create === undefined ? 0 : 3) + (list === undefined ? 0 : 1)
}

function describeResource({ path, itemPath, list, create, records, candidates }: InferredCollection) {
  const [{ schema, idField } = { schema: '', idField: '' }] = candidates
  const item = itemPath === undefined ? '' : `${itemPath} names one by its ${idField}`
  const isTaken = create !== undefined && create.single === undefined && records.known.length === 0
  const because = isTaken
    ? `POST ${path} takes ${schema}, and no reply is described`
    : list === undefined
      ? create === undefined
        ? `${path} shows ${schema}`
        : `POST ${path} creates ${schema}`
      : `GET ${path} lists ${schema}`
  return { candidates, because: item === '' ? because : `${because}, ${item}` }
}

export interface InferredGateway {
  /** The text of the gateway.yaml. */
  describe(): string
  readonly plan: Plan
  /** Inferred settings that did not work, by operation id or `resource NAME`, with the reason. */
  readonly without: ReadonlyMap<string, string>
}

/** Reports the number of tried resources. */
type TrialProgress = (done: number, total: number) => void

/** How many resources are tried in one plan: each trial has a world with all of its collections. */
const MOST_TRIED = 250

/** An operation id, or `resource NAME` or `fields NAME`: the owner of what is wrong. */
const blockOf = (owner: string): readonly string[] => /^(resource|fields) (.*)$/s.exec(owner)?.slice(1) ?? []

/** An inferred configuration names no file but the contract. */
const NO_OTHER_FILES = { note: () => {}, readContract: () => undefined }

interface InferenceSurroundings {
  /** The document, or the document and those over it. */
  readonly file: string | readonly string[]
  /** The folder that the contract is named relative to. */
  readonly home: string
  readonly house: House
  readonly progress?: TrialProgress | undefined
  /** Settings beside the inferred ones: those of the command line. */
  readonly given?: Partial<SimulationFile>
}

/**
 * @param file the contract's file, absolute; or that file and its overlays
 * @param home the folder of the gateway.yaml
 * @param given settings beside the inferred ones: those of the command line
 */
export async function inferGateway(
  contract: Contract,
  { file, home, house, progress = () => {}, given = {} }: InferenceSurroundings,
): Promise<InferredGateway> {
  return contract.walking(async () => {
    const read = readInference(contract)
    const seedsOf = compileSeeds(contract)
    const nameOf = (one: string) => `./${relative(home, one)}`.replace(/^\.\/\.\.\//, '../')
    const names = [file].flat().map(nameOf)
    const reference = names.length > 1 ? names : (names[0] as string)
    let inference = read()
    /** The resources that have not been found to hold, nor been left out. */
    const open = new Set(inference.resources.map(({ name }) => name))
    const total = open.size
    const choices = new Map<string, number>()
    const without = new Map<string, string>()
    /** Why the first candidate of a resource did not hold, and the operation that showed it. */
    const reasons = new Map<string, readonly [reason: string, one?: InferredOperation]>()
    /** Resources without fields that the server sets. */
    const bare = new Set<string>()

    const candidatesFor = (name: string): readonly SchemaCandidate[] =>
      inference.resources.find(one => one.name === name)?.candidates ?? []
    const candidateOf = (name: string): SchemaCandidate => {
      const candidate = candidatesFor(name)[choices.get(name) ?? 0] as SchemaCandidate
      return bare.has(name) ? { ...candidate, filled: [], defaults: {} } : candidate
    }
    /** A plan of an inference, and the reasons of what does not hold by owner. */
    const compile = (some: Inference, tried: Contract) => {
      const kept = some.resources.filter(({ name }) => !without.has(`resource ${name}`))
      const seeds = seedsOf({ ...some, resources: kept }, candidateOf)
      const written = { inference: some, contract: tried, reference, seeds, candidateOf, without }
      const source = settingsOf(written)
      const report = new Diagnostics()
      const inferred = checksOf(house).simulation(source, report)
      if (inferred === undefined) throw new Error('an inferred configuration is malformed')
      const settings = { ...given, ...inferred }
      const reading = { settings, contract, source, file: resolve(home, 'x'), home, report }
      const { resources } = readResources({ ...reading, house })
      const blocks = new BlockSettings(house, settings, { ...reading, ...NO_OTHER_FILES })
      const plan = compilePlan(simulationOf(settings, source, resources, { house, blocks }), tried, report)
      const blamed = new Map<string, string>()
      for (const { severity, place, message } of report.list) {
        const own = place.file === INFERRED_FILE ? place.text : ''
        const owner = own || [...open].map(name => `resource ${name}`)[0]
        if (severity === 'error' && owner !== undefined && !blamed.has(owner)) blamed.set(owner, message)
      }
      return { plan, describe: () => source.text, blamed }
    }
    /** The resource that a mistake belongs to: its own, that of its defaults, or that of its operation. */
    const resourcesOf = (owner: string): string[] => {
      const [, name] = blockOf(owner)
      if (name !== undefined) return [name]
      return inference.operations.filter(one => one.operation.id === owner).map(({ resource }) => resource)
    }
    const infer = (): void => {
      const left = [...without.keys()].filter(key => key.startsWith('resource ')).flatMap(resourcesOf)
      inference = read(choices, new Set(left))
    }
    /** Whether a resource is of use without an operation. */
    const isDispensable = (one: InferredOperation): boolean =>
      !['create', 'read'].includes(one.action) &&
      inference.operations.some(
        other => other !== one && other.resource === one.resource && !without.has(other.operation.id),
      )
    /** Takes the next candidate of a resource, or leaves it out, or the operation that does not hold with any. */
    const fail = (name: string, reason: string, one?: InferredOperation): void => {
      // The fields that the server fills in may exclude each other, as in branches of a union.
      if (!bare.has(name) && candidateOf(name).filled.length > 0) return void bare.add(name)
      const next = (choices.get(name) ?? 0) + 1
      const [first, by] = getOrMake(reasons, name, () => [reason, one] as const)
      const isOverlap = first.includes('must match exactly one alternative')
      if (next < candidatesFor(name).length) choices.set(name, next)
      else if (isOverlap) {
        // Every record fits several alternatives: the first candidate is kept all the same.
        for (const known of [choices, bare]) known.delete(name)
        open.delete(name)
      } else if (by !== undefined && isDispensable(by)) {
        // None of the candidates holds with that operation, so the first one is kept without it.
        without.set(by.operation.id, first)
        for (const known of [reasons, choices, bare]) known.delete(name)
      } else {
        without.set(`resource ${name}`, by === undefined ? first : `${by.operation.id}: ${first}`)
        open.delete(name)
      }
    }
    /** Leaves out an operation or defaults; one without which its resource is of no use takes the resource with it. */
    const blame = (owner: string, reason: string): void => {
      const [kind, name = ''] = blockOf(owner)
      const one = inference.operations.find(({ operation }) => operation.id === owner)
      if (kind === 'fields') bare.add(name)
      else if (kind !== undefined) fail(name, reason)
      else if (one?.essential) fail(one.resource, reason, one)
      else without.set(owner, reason)
    }
    /** Compiles and tries some undecided resources. */
    const round = async (): Promise<void> => {
      const some = new Set([...open].slice(0, MOST_TRIED))
      const operations = inference.operations.filter(
        ({ operation, resource }) => some.has(resource) && !without.has(operation.id),
      )
      const owners = operations.flatMap(one => [
        ...withinsIn(one).map(({ resource }) => resource),
        one.respond.from as string,
      ])
      const needed = new Set<string | undefined>([...some, ...owners])
      const resources = inference.resources.filter(({ name }) => needed.has(name))
      const tried = { ...contract, operations: operations.map(({ operation }) => operation) }
      const { plan, blamed } = compile({ resources, operations }, tried)
      // The rest of the plan is tried without the resources that the checks refuse.
      const refused = new Set([...blamed.keys()].flatMap(resourcesOf))
      for (const [owner, reason] of blamed) blame(owner, reason)
      const runner = createRunner(plan)
      let isChanged = blamed.size > 0
      for (const name of [...some].filter(one => !refused.has(one))) {
        const own = operations.filter(({ resource }) => resource === name)
        const faults = await tryResource(name, own, runner)
        if (faults.length === 0) open.delete(name)
        isChanged ||= faults.length > 0
        const [first] = faults.filter(({ operation }) => operation.essential)
        if (first !== undefined) fail(name, first.reason, first.operation)
        for (const { operation, reason } of faults)
          if (!operation.essential) without.set(operation.operation.id, reason)
        progress(total - open.size, total)
      }
      if (isChanged) infer()
    }

    // Each round settles a resource, takes its next candidate or leaves something out, so there is a last one.
    while (open.size > 0) await round()
    for (;;) {
      const { plan, describe, blamed } = compile(inference, contract)
      if (blamed.size === 0) return { describe, plan, without }
      // A resource was tried beside another one that has changed since.
      const before = without.size
      for (const [owner, reason] of blamed) {
        for (const name of resourcesOf(owner)) without.set(`resource ${name}`, reason)
      }
      const [message] = blamed.values()
      if (without.size === before) throw new Error(`an inferred configuration is malformed: ${message}`)
      infer()
    }
  })
}
