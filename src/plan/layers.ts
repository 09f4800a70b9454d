// Layers of configuration, in order of precedence: the gateway file is one, weather is laid over it.

import type { Operation } from '../contract/contract.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import type { ContractNames } from './names.ts'
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
  /** Set for the blocks of weather. */
  readonly weather?: boolean
  /** Set for the blocks of an answer on demand. */
  readonly onDemand?: boolean
}

/** The setting of a behaviour, and its path within a layer. */
export interface Setting {
  readonly value: unknown
  readonly path: Path
  readonly layer: Layer
}

/** The blocks of a layer for an operation with their paths, the most specific first. */
export function blocksFor(operation: Operation, { blocks, keys, flat }: Layer) {
  const key = keys.get(operation)
  return [
    ...(key === undefined ? [] : [{ block: blocks.operations?.[key], path: ['operations', key], own: true }]),
    ...operation.tags.map(tag => ({ block: blocks.tags?.[tag], path: ['tags', tag], own: false })),
    { block: blocks.defaults, path: flat === true ? [] : ['defaults'], own: false },
  ]
}

/** Returns the most specific setting of a behaviour: the operation's, its tag's, or the default. `null` switches it off. */
export function layerSetting(name: string, operation: Operation, layers: readonly Layer[]): Setting {
  for (const layer of layers) {
    for (const { block, path } of blocksFor(operation, layer)) {
      const value = block?.[name]
      if (value !== undefined) return { value, path: [...path, name], layer }
    }
  }
  const layer = layers.at(-1) as Layer
  if (name === 'errors') return { value: layer.blocks.errors, path: ['errors'], layer }
  return { value: undefined, path: ['defaults', name], layer }
}

/** Returns whether the layer configures any behaviour of the operation. */
export const isConfigured = (operation: Operation, layer: Layer): boolean =>
  blocksFor(operation, layer).some(({ block }) => block !== undefined)

/** Makes a layer, and reports tags and operations that the contract does not have. */
export function compileLayer(names: ContractNames, layer: Omit<Layer, 'keys'>): Layer {
  const { blocks, source, path, report } = layer
  for (const tag of Object.keys(blocks.tags ?? {})) {
    names.checkTag(tag, source.locate([...path, 'tags', tag], 'key'), report)
  }
  const keys = new Map<Operation, string>()
  for (const key of Object.keys(blocks.operations ?? {})) {
    const operation = names.operation(key, source.locate([...path, 'operations', key], 'key'), report)
    if (operation !== undefined) keys.set(operation, key)
  }
  return { ...layer, keys }
}
