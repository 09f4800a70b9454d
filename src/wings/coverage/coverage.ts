// Observes the parts of the contract that requests touch: a bit for each part, world and consumer. The size of the contract and
// `MOST_CALLERS` bound it. It outlasts resets of worlds, and reloads.

import type { Exchange } from '../../behaviours/exchange.ts'
import { type Operation, responseFor } from '../../contract/contract.ts'
import { compileTexts, type Parameter, splitQuery } from '../../contract/document/parameters.ts'
import type { Peers } from '../../gateway/observer.ts'
import { unknownName } from '../../gateway/refused.ts'
import type { BrokenRule, Reply } from '../../kernel/http.ts'
import { isObject, parsePointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { Plan } from '../../plan/plan.ts'
import { type CoverageItems, itemsOfOperation, type SchemaWalker, type UnionBranch } from './items.ts'
import { type CoverageReport, type CoveredOperation, mergeReports, reportOf } from './report.ts'

export interface CoverageFilter {
  readonly world?: string | undefined
  /** Empty for unknown consumers. */
  readonly consumer?: string | undefined
  readonly operation?: string | undefined
}

const FILTERS: readonly string[] = Object.keys({
  world: true,
  consumer: true,
  operation: true,
} satisfies Record<keyof CoverageFilter, true>)

/** Pairs of a world and a consumer with separate bits. Later pairs share one set of bits, which no filter matches. */
const MOST_CALLERS = 200
/** Values of one request that are looked at. */
const MOST_VALUES = 1000
/** Items of one list that are looked at. Those of a longer list take turns, so that a large body costs little. */
const MOST_ITEMS_OF_A_LIST = 20
/** Unions within one another that describe the same value. */
const MOST_NESTED = 8

interface CallerNames {
  readonly world: string | undefined
  readonly consumer: string | undefined
}

/** The touched items of an operation by one caller. */
interface Touched {
  requests: number
  readonly bits: Uint32Array
}

interface OperationCoverage {
  readonly items: CoverageItems
  /** By the index of the caller. */
  readonly touched: (Touched | undefined)[]
}

export class Coverage {
  #plan: Plan | undefined
  readonly #peers: Peers
  #operations = new Map<Operation, OperationCoverage>()
  #callers: CallerNames[] = []
  readonly #indexes = new Map<string, Map<string, number>>()
  /** Answered requests that are not observed yet, and their replies in the same order. */
  #pending: Exchange[] = []
  #replies: Reply[] = []
  #left = 0
  /** The number of the request, which selects the items of long lists. */
  #turn = 0

  constructor(peers: Peers) {
    this.#peers = peers
  }

  get #served(): Plan {
    if (this.#plan === undefined) throw new Error('no plan has been adopted')
    return this.#plan
  }

  /** Keeps what was touched of operations that the other plan has, too. */
  adopt(plan: Plan): void {
    this.settle()
    const before = this.#operations
    // Worlds on another contract may have operations of the same names.
    const byId = new Map(this.#plan?.operations.map(({ operation }) => [operation.id, before.get(operation)]))
    this.#plan = plan
    this.#operations = new Map()
    for (const { operation } of plan.operations) {
      const old = byId.get(operation.id)
      if (old === undefined) continue
      const { items, touched } = this.#open(operation)
      const indexes = new Map(items.list.map(({ kind, name }, i) => [`${kind} ${name}`, i]))
      for (const [caller, was] of old.touched.entries()) {
        if (was === undefined) continue
        const kept = { requests: was.requests, bits: blankBits(items) }
        for (const [i, { kind, name }] of old.items.list.entries()) {
          const index = isSet(was.bits, i) ? indexes.get(`${kind} ${name}`) : undefined
          if (index !== undefined) setBit(kept.bits, index)
        }
        touched[caller] = kept
      }
    }
  }

  /** Forgets everything, in all processes. */
  reset(): void {
    this.resetOwn()
    this.#peers.reset()
  }

  /** Forgets everything in this process. */
  resetOwn(): void {
    this.#pending = []
    this.#replies = []
    this.#operations.clear()
    this.#callers = []
    this.#indexes.clear()
  }

  /**
   * Throws `Refused` for an operation that does not exist, a consumer that is neither configured nor known from earlier
   * requests, and a filter of another name. Otherwise a misspelt one would show that nothing was touched.
   */
  checkFilter(filter: CoverageFilter): void {
    const { operations, simulation } = this.#served
    for (const name of Object.keys(filter)) if (!FILTERS.includes(name)) throw unknownName('filter', name, FILTERS)
    const { operation, consumer = '' } = filter
    const ids = operations.map(one => one.operation.id)
    if (operation !== undefined && !ids.includes(operation)) throw unknownName('operation', operation, ids)
    const { consumerNames } = simulation
    if (consumer === '' || consumerNames.length === 0 || consumerNames.includes(consumer)) return
    this.settle()
    if (this.#callers.some(caller => caller.consumer === consumer)) return
    throw unknownName('consumer', consumer, consumerNames)
  }

  /** The coverage of this process. @param all whether operations without a call are in it */
  report(filter: CoverageFilter = {}, all = true): CoverageReport {
    this.settle()
    const { contract, operations } = this.#served
    const covered = operations.flatMap(({ operation, route }): CoveredOperation[] => {
      if (operation.wing !== undefined) return []
      if (filter.operation !== undefined && operation.id !== filter.operation) return []
      const known = this.#operations.get(operation)
      if (known === undefined && !all) return []
      const { list } = known?.items ?? itemsOfOperation(operation, contract)
      const touched = this.#touchedBy(known, filter)
      return [
        {
          operation: operation.id,
          method: operation.method,
          path: route,
          requests: touched.reduce((sum, { requests }) => sum + requests, 0),
          items: list.map(({ kind, name, node, part, deprecated }, i) => {
            const { file, line } = node.document.source.locate(node.path, part)
            const item = { kind, name, file, line, seen: isTouched(touched, i) }
            return deprecated ? { ...item, deprecated } : item
          }),
        },
      ]
    })
    return reportOf(contract.title, covered)
  }

  #touchedBy(known: OperationCoverage | undefined, { world, consumer }: CoverageFilter): Touched[] {
    return this.#callers.flatMap((caller, i) => {
      const isMeant = world === undefined || caller.world === world
      return isMeant && (consumer === undefined || caller.consumer === consumer) ? (known?.touched[i] ?? []) : []
    })
  }

  /** The coverage of all processes. */
  async reportAll(filter: CoverageFilter = {}): Promise<CoverageReport> {
    const others = await this.#peers.read(filter)
    return mergeReports([this.report(filter), ...(others as readonly CoverageReport[])])
  }

  #open(operation: Operation): OperationCoverage {
    const coverage = { items: itemsOfOperation(operation, this.#served.contract), touched: [] }
    this.#operations.set(operation, coverage)
    return coverage
  }

  #addCaller(world: string, consumer: string): number {
    const byConsumer = getOrMake(this.#indexes, world, () => new Map<string, number>())
    const index = Math.min(this.#callers.length, MOST_CALLERS)
    this.#callers[index] = index < MOST_CALLERS ? { world, consumer } : { world: undefined, consumer: undefined }
    byConsumer.set(consumer, index)
    return index
  }

  /** Keeps an answered request until `settle` is called. Returns how many are kept. */
  add(exchange: Exchange, reply: Reply): number {
    this.#replies.push(reply)
    return this.#pending.push(exchange)
  }

  /** Observes the requests that are kept. */
  settle(): void {
    const [pending, replies] = [this.#pending, this.#replies]
    this.#pending = []
    this.#replies = []
    for (let i = 0; i < pending.length; i++) {
      const exchange = pending[i] as Exchange
      if (exchange.operation.id !== '') this.#observe(exchange, replies[i] as Reply)
    }
  }

  #observe(exchange: Exchange, { status, headers, refusal }: Reply): void {
    const { operation, world, consumer = '', request } = exchange
    const { items, touched } = this.#operations.get(operation) ?? this.#open(operation)
    const caller = this.#indexes.get(world.name)?.get(consumer) ?? this.#addCaller(world.name, consumer)
    const own = touched[caller] ?? { requests: 0, bits: blankBits(items) }
    touched[caller] = own
    const { bits } = own
    own.requests += 1
    setBit(bits, 0)
    const response = status === 0 ? undefined : responseFor(operation, status)
    const replied = response && items.replies.get(response)
    if (replied !== undefined) {
      setBit(bits, replied.item)
      const type = replied.typeOf(headers['content-type'] ?? '')
      if (type !== undefined) setBit(bits, type)
    }
    const { values, body, sent = body } = exchange
    const typed = request.hasBody ? items.bodyOf(String(request.headers['content-type'] ?? '')) : items.first
    if (refusal?.errors !== undefined) {
      for (const broken of refusal.errors) markViolated(broken, operation, items, typed?.walker, bits)
      return
    }
    // A refusal that came before validation leaves no values.
    this.#left = MOST_VALUES
    this.#turn = own.requests
    for (let i = 0; i < values.length; i++) {
      const { item, walker } = items.parameters[i]!
      const value = values[i]
      if (value === undefined || (isSet(bits, item) && isDone(walker, bits))) continue
      if (value === operation.parameters[i]?.default && !isSent(exchange, i)) continue
      setBit(bits, item)
      this.#walk(value, walker, bits)
    }
    if (sent === undefined || typed === undefined) return
    setBit(bits, typed.item)
    this.#walk(sent, typed.walker, bits)
  }

  /** @param nested how many unions chose the walker for the same value */
  #walk(value: unknown, walker: SchemaWalker | undefined, bits: Uint32Array, nested = 0): void {
    if (walker === undefined || this.#left-- <= 0) return
    const { values, fields, items, additional, unions } = walker
    const item = values.size === 0 ? undefined : values.get(value)
    if (item !== undefined) setBit(bits, item)
    if (Array.isArray(value)) {
      const step = Math.max(1, Math.ceil(value.length / MOST_ITEMS_OF_A_LIST))
      const start = items === undefined || isDone(items, bits) ? value.length : this.#turn % step
      for (let i = start; i < value.length; i += step) this.#walk(value[i], items, bits)
    } else if (isObject(value)) {
      for (const name of Object.keys(value)) {
        const field = fields.get(name)
        if (field !== undefined) setBit(bits, field.item)
        this.#walk(value[name], field === undefined ? additional : field.walker, bits)
      }
    }
    for (const branches of nested < MOST_NESTED ? unions : []) {
      const isNew = (branch: UnionBranch) => !isSet(bits, branch.item) || !isDone(branch.walker, bits)
      if (!branches.some(branch => isNew(branch) && branch.admits(value))) continue
      const possible = branches.filter(branch => branch.admits(value))
      for (const branch of possible) {
        if (possible.length > 1 && !branch.checks(value)) continue
        setBit(bits, branch.item)
        this.#walk(value, branch.walker, bits, nested + 1)
      }
    }
  }
}

const blankBits = ({ list }: CoverageItems): Uint32Array => new Uint32Array(Math.ceil(list.length / 32))
const isSet = (bits: Uint32Array, i: number): boolean => ((bits[i >>> 5] as number) & (1 << (i & 31))) !== 0
const isTouched = (touched: readonly Touched[], i: number) => touched.some(({ bits }) => isSet(bits, i))
const setBit = (bits: Uint32Array, i: number): void => {
  bits[i >>> 5]! |= 1 << (i & 31)
}

/** Whether everything at a place and below it has been touched. */
function isDone(walker: SchemaWalker | undefined, bits: Uint32Array): boolean {
  if (walker === undefined) return true
  for (let i = walker.from; i < walker.to; i++) if (!isSet(bits, i)) return false
  return true
}

/** Whether the request has a parameter, whose value may be the default of an absent one. */
function isSent(exchange: Exchange, index: number): boolean {
  const { operation, request } = exchange
  const parameter = operation.parameters[index]!
  const { query } = request
  if (parameter.in === 'query' && !query.includes(parameter.name) && !query.includes('%')) return false
  return (compileTexts(parameter, operation.path)(exchange, splitQuery(query))?.length ?? 0) > 0
}

/** Marks the rule that was violated, in each branch that has it. */
function markViolated(
  { in: place, path, rule }: BrokenRule,
  { parameters }: Operation,
  items: CoverageItems,
  body: SchemaWalker | undefined,
  bits: Uint32Array,
): void {
  const isMeant = (one: Parameter) => one.in === place && (path === one.name || path.startsWith(`${one.name}/`))
  const index = parameters.findIndex(isMeant)
  const steps = parsePointer(place === 'body' ? path : path.slice(parameters[index]?.name.length)) ?? []
  const visit = (at: SchemaWalker | undefined, from: number, nested: number): void => {
    if (at === undefined) return
    const step = steps[from]
    const below = step === undefined ? undefined : (at.fields.get(step)?.walker ?? at.items ?? at.additional)
    // A property that is not documented violates a rule of its object.
    const isHere = from === steps.length || (below === undefined && rule === 'additionalProperties')
    const known = isHere ? at.rules.get(rule) : undefined
    if (known !== undefined) setBit(bits, items.rules + known)
    visit(below, from + 1, 0)
    if (nested < MOST_NESTED) for (const branch of at.unions.flat()) visit(branch.walker, from, nested + 1)
  }
  visit(place === 'body' ? body : items.parameters[index]?.walker, 0, 0)
}
