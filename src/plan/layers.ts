// Layers of configuration, in order of precedence: the gateway file is one, weather is laid over it. The names
// of operations and tags in them.

import type { Contract, Operation } from '../contract/contract.ts'
import { type Diagnostics, MOST_SHOWN, nearest, type Place, suggest } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import type { BehaviourBlocks, SimulationFile } from './simulation-file.ts'

/**
 * Blocks of configuration with their paths. Layers are in order of precedence: the first one that configures a behaviour
 * wins.
 */
export interface Layer {
  readonly blocks: BehaviourBlocks & Pick<SimulationFile, 'errors'>
  /** The block of `operations` for each operation. */
  readonly keys: ReadonlyMap<Operation, string>
  readonly source: Source
  readonly path: Path
  readonly report: Diagnostics
  /** The prefix of its state's scope. */
  readonly scope: string
  /** Whether the block itself is its `defaults`. */
  readonly flat?: boolean
  /** Set for the block of a rule: of one operation, or of many. */
  readonly rule?: 'own' | 'shared'
  /** Whether a fixed reply may have any status, documented or not. */
  readonly anyStatus?: boolean
}

/** The setting of a behaviour, and its path within a layer. */
export interface Setting {
  readonly value: unknown
  readonly path: Path
  readonly layer: Layer
}

/** Returns the most specific setting of a behaviour: the operation's, its tag's, or the default. `null` switches it off. */
export function layerSetting(name: string, operation: Operation, layers: readonly Layer[]): Setting {
  for (const layer of layers) {
    const { blocks, keys } = layer
    const key = keys.get(operation)
    const own = key === undefined ? undefined : blocks.operations?.[key]?.[name]
    if (own !== undefined) return { value: own, path: ['operations', key as string, name], layer }
    for (const tag of operation.tags) {
      const value = blocks.tags?.[tag]?.[name]
      if (value !== undefined) return { value, path: ['tags', tag, name], layer }
    }
    const value = blocks.defaults?.[name]
    if (value !== undefined) return { value, path: layer.flat === true ? [name] : ['defaults', name], layer }
  }
  const layer = layers.at(-1) as Layer
  if (name === 'errors') return { value: layer.blocks.errors, path: ['errors'], layer }
  return { value: undefined, path: ['defaults', name], layer }
}

/** Returns whether the layer configures any behaviour of the operation. */
export const isConfigured = (operation: Operation, { blocks, keys }: Layer): boolean =>
  blocks.defaults !== undefined || keys.has(operation) || operation.tags.some(tag => blocks.tags?.[tag] !== undefined)

/** Finds the operations and tags that a configuration names. */
export class ContractNames {
  readonly #operations: ReadonlyMap<string, Operation>
  readonly #ids: readonly string[]
  readonly #tags: ReadonlySet<string>

  constructor({ operations }: Contract) {
    this.#operations = new Map(
      operations.flatMap(one => [[one.id, one] as const, [`${one.method} ${one.path}`, one] as const]),
    )
    this.#ids = operations.map(({ id }) => id)
    this.#tags = new Set(operations.flatMap(({ tags }) => tags))
  }

  /** Finds an operation by its id, or by its method and path template; reports that there is none. */
  operation(name: string, place: Place, report: Diagnostics): Operation | undefined {
    const found = this.#operations.get(name)
    if (found !== undefined) return found
    const near = suggestAmongFew(report, () => nearest(name, this.#operations.keys()))
    const hint =
      near === undefined ? suggestAmongFew(report, () => suggest(name, this.#ids)) : `did you mean "${near}"?`
    report.error('unknown-operation', `the contract has no operation "${name}"`, place, hint)
    return undefined
  }

  checkTag(tag: string, place: Place, report: Diagnostics): void {
    if (this.#tags.has(tag)) return
    const hint = suggestAmongFew(report, () => suggest(tag, this.#tags))
    report.error('unknown-tag', `no operation has the tag "${tag}"`, place, hint)
  }
}

/** Reports a consumer that the configuration does not have. */
export function checkConsumer(name: string, consumers: readonly string[], place: Place, report: Diagnostics): void {
  if (consumers.includes(name)) return
  const hint = suggestAmongFew(report, () => suggest(name, consumers))
  report.error('unknown-consumer', `there is no consumer "${name}"`, place, hint)
}

/** Looks for a hint while mistakes are shown: comparing a name with many others takes long. */
const suggestAmongFew = (report: Diagnostics, look: () => string | undefined): string | undefined =>
  report.count('error') < MOST_SHOWN ? look() : undefined

/** Makes a layer, and reports tags and operations that the contract does not have. */
export function compileLayer(
  names: ContractNames,
  blocks: Layer['blocks'],
  source: Source,
  path: Path,
  report: Diagnostics,
  scope: string,
): Layer {
  for (const tag of Object.keys(blocks.tags ?? {})) {
    names.checkTag(tag, source.locate([...path, 'tags', tag], 'key'), report)
  }
  const keys = new Map<Operation, string>()
  for (const key of Object.keys(blocks.operations ?? {})) {
    const operation = names.operation(key, source.locate([...path, 'operations', key], 'key'), report)
    if (operation !== undefined) keys.set(operation, key)
  }
  return { blocks, keys, source, path, report, scope }
}
