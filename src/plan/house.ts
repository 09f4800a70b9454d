// The capabilities that a gateway.yaml may configure: the behaviours and top-level keys of the house, and those of wings.

import type { Behaviour, BlockKey } from '../behaviours/behaviour.ts'
import type { Consumer } from '../behaviours/consumer.ts'
import { type Adviser, Languages } from '../behaviours/expressions.ts'
import { behaviours } from '../behaviours/index.ts'
import type { RecordSource } from '../behaviours/resource.ts'
import type { RespondConfig } from '../behaviours/respond/config.ts'
import { RESPONDERS, respondWith } from '../behaviours/respond/index.ts'
import type { Responder } from '../behaviours/responder.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { ConvertDocument, ExamineContract, ReadOptions } from '../contract/document/read-contract.ts'
import type { SchemaUse } from '../contract/schema/schema-book.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/file/source.ts'
import { getOrMake } from '../kernel/memo.ts'
import type { Schema } from '../kernel/schema/schema.ts'
import type { Engine } from '../state/engines/engine.ts'
import type { Surroundings } from '../state/surroundings.ts'
import type { CredentialChecks } from './consumers.ts'
import type { LocateWithin } from './record-states.ts'
import type { ResourceFile, SimulationFile, StateBlock } from './simulation-file.ts'

/** The surroundings of a block while its file is loaded. */
export interface BlockLoad {
  /** The gateway file; mistakes are reported at its places. */
  readonly source: Source
  /** The path of the gateway file, which paths in it are relative to. */
  readonly file: string
  /** The folder that file names in messages are relative to. */
  readonly home: string
  readonly report: Diagnostics
  /** The contract; `undefined` where it cannot be read. */
  readonly contract: Contract | undefined
  /** Whether the settings are fitted to another contract than that of the file: that of a world. */
  readonly isFitted: boolean
  /** The whole file, for blocks that depend on others. */
  readonly settings: SimulationFile
  /** Adds files of the configuration: a change of one causes a reload. */
  note(...files: readonly string[]): void
  /** Reads another contract that a key names: a path, or a list of a path and its overlays. */
  readContract(key: string, paths: string | readonly string[]): Contract | undefined
}

/** A top-level key of gateway.yaml. */
export interface Block<Written = unknown, Settings = unknown> {
  readonly key: string
  /** The schema of the key, which becomes part of gateway.schema.json and of the documentation. */
  readonly schema: Schema
  /** Returns the settings, with every default filled in. Is called also where the key is absent. Mistakes go to `load.report`. */
  read(written: Written | undefined, load: BlockLoad): Settings
  /** Set if only the file may change it: the switch of `serve` with which the control plane may, too. */
  readonly fixed?: string
  /** Returns the texts of the block that may be credentials, which must never be shown. */
  secrets?(written: Written | undefined, file: SimulationFile): readonly string[]
}

/** A resource whose records may come from elsewhere, while it is compiled. */
export interface SourcedResource {
  readonly name: string
  readonly block: ResourceFile
  /** The whole file. */
  readonly settings: Omit<SimulationFile, 'contract'>
  readonly schema: SchemaUse
  readonly idField: string
  /** The operations on it. */
  readonly operations: readonly { readonly operation: Operation; readonly respond: RespondConfig }[]
  readonly at: LocateWithin
  readonly report: Diagnostics
}

/** A source of records, chosen by keys in the block of a resource. */
export interface RecordSourceKeys {
  /** The schemas of the keys. */
  readonly keys: Readonly<Record<string, Schema>>
  /** Returns `undefined` where the block does not choose it. Mistakes go to `site.report`. */
  compile(site: SourcedResource): RecordSource | undefined
}

/** A mistake in the keys of an engine: `message` is the rest of a sentence that begins with the key. */
export interface EngineMistake {
  readonly key: string
  readonly message: string
  readonly hint: string
}

/** An engine for the state, chosen by a key of the block `state`. */
export interface StateEngine {
  /** The key that chooses it. */
  readonly key: string
  /** Names it in messages: `a Redis database`. */
  readonly about: string
  /** The key with a value. */
  readonly example: string
  /** The schemas of its keys, which have no effect without the first one. */
  readonly keys: Readonly<Record<string, Schema>>
  /** Whether several processes share the state. */
  readonly isShared: boolean
  mistakesIn(block: StateBlock): readonly EngineMistake[]
  /** Returns the texts of the block that may be credentials, which must never be shown. */
  secrets?(block: StateBlock): readonly string[]
  /** Returns the engine, which is not opened yet. @param folder the folder of gateway.yaml; switches: those of `serve` */
  make(block: StateBlock, folder: string, around: Surroundings, switches: ReadonlySet<string>): Promise<Engine>
}

/** The part of a wing that a plan is compiled from. */
export interface PlanWing {
  readonly name: string
  readonly blocks?: readonly Block[]
  /** Each takes its place in the life-cycle of a request before a behaviour of the house, or of an earlier wing. */
  readonly behaviours?: readonly { readonly before: string; readonly behaviour: Behaviour<unknown> }[]
  /** Kinds of `respond`. */
  readonly responders?: readonly Responder[]
  /** The schemas of its keys in weather. `Weather.file` has what is written. */
  readonly weatherKeys?: Readonly<Record<string, Schema>>
  /** Sources of records besides seeds. */
  readonly recordSources?: readonly RecordSourceKeys[]
  readonly engines?: readonly StateEngine[]
  /** The header fields by which a request steers it, such as `Understudy-World`. */
  readonly controls?: readonly string[]
  /** Keys of a consumer beside those of security schemes: the schemas of their blocks. */
  readonly consumerKeys?: Readonly<Record<string, Schema>>
  /** Returns the operations that it serves beside those of the contract, or in the place of those with the same address. */
  operations?(settings: BlockSettings, contract: Contract): readonly Operation[]
  /** Checks credentials that are not keys of consumers; `undefined` where it checks none. */
  credentials?(settings: BlockSettings, consumers: readonly Consumer[]): CredentialChecks | undefined
  /** Reads another kind of document as a contract. */
  readonly convert?: ConvertDocument
  /** Warns of what is doubtful in a contract. */
  readonly examine?: ExamineContract
  /** Advises on the expressions of the configuration. */
  readonly advise?: Adviser
}

/** The house with some wings. */
export interface House {
  readonly wings: readonly PlanWing[]
  /** The life-cycle of a request, outermost first. */
  readonly behaviours: readonly Behaviour<unknown>[]
  readonly responders: readonly Responder[]
  readonly recordSources: readonly RecordSourceKeys[]
  readonly engines: readonly StateEngine[]
  readonly blocks: readonly Block[]
  /** The header fields by which a request steers the wings. */
  readonly controls: readonly string[]
  /** The part of wings in reading a contract. */
  readonly reading: Pick<ReadOptions, 'converters' | 'examiners'>
  readonly languages: Languages
}

const houses = new WeakMap<readonly PlanWing[], House>()

/** Returns the house with some wings, the same one each time for the same list. Throws where a wing has no place. */
export const houseWith = (wings: readonly PlanWing[] = NO_WINGS): House =>
  getOrMake(houses, wings, () => {
    const responders = [...RESPONDERS, ...wings.flatMap(wing => wing.responders ?? [])]
    return {
      wings,
      behaviours: lifeCycleWith(wings, responders),
      responders,
      recordSources: wings.flatMap(wing => wing.recordSources ?? []),
      engines: wings.flatMap(({ engines = [] }) => engines),
      blocks: wings.flatMap(({ blocks = [] }) => blocks),
      controls: wings.flatMap(({ controls = [] }) => controls),
      reading: {
        converters: wings.flatMap(({ convert }) => convert ?? []),
        examiners: wings.flatMap(({ examine }) => examine ?? []),
      },
      languages: new Languages(wings.flatMap(({ advise }) => advise ?? [])),
    }
  })

export const NO_WINGS: readonly PlanWing[] = []

/** Returns the contract with the operations of wings; the contract itself where they have none. */
export function withOperations(contract: Contract, { wings }: House, settings: BlockSettings): Contract {
  const brought = wings.flatMap(wing => wing.operations?.(settings, contract) ?? [])
  if (brought.length === 0) return contract
  const addressOf = ({ method, basePaths: [base = ''], path }: Operation) => `${method} ${base}${path}`
  const addresses = new Set(brought.map(addressOf))
  const kept = contract.operations.filter(operation => !addresses.has(addressOf(operation)))
  return { ...contract, operations: [...kept, ...brought] }
}

function lifeCycleWith(wings: readonly PlanWing[], responders: readonly Responder[]): readonly Behaviour<unknown>[] {
  const order = [...behaviours, respondWith(responders) as Behaviour<unknown>]
  for (const { before, behaviour } of wings.flatMap(wing => wing.behaviours ?? [])) {
    const at = order.findIndex(({ name }) => name === before)
    if (at === -1) throw new Error(`no behaviour "${before}" stands behind "${behaviour.name}"`)
    order.splice(at, 0, behaviour)
  }
  return order
}

/** The settings of the blocks of wings, and the secrets in their keys. */
export class BlockSettings {
  readonly #settings = new Map<unknown, unknown>()
  /** The texts in the file that may be credentials, with the key that they are in. */
  readonly secrets: readonly { readonly key: string; readonly value: string }[]

  constructor(house: House, file: SimulationFile, load: BlockLoad) {
    const writtenIn = ({ key }: Block) => (file as Readonly<Record<string, unknown>>)[key]
    for (const block of house.blocks) this.#settings.set(block, block.read(writtenIn(block), load))
    const { state } = file
    const named = (key: string, values: readonly string[] = []) => values.map(value => ({ key, value }))
    this.secrets = [
      ...house.blocks.flatMap(block => named(block.key, block.secrets?.(writtenIn(block), file))),
      ...house.engines.flatMap(({ key, secrets }) => (typeof state === 'object' ? named(key, secrets?.(state)) : [])),
    ]
  }

  /** Returns the settings of a block; `undefined` where the house has no such block. */
  of<Settings>(block: BlockKey<Settings>): Settings | undefined {
    return this.#settings.get(block) as Settings | undefined
  }
}
