// Layers of configuration, in order of precedence. The gateway file is one layer; weather is laid over it.

import { behaviours } from '../behaviours/index.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { type Diagnostics, MOST_SHOWN, nearest, suggest } from '../kernel/diagnostic.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Path, Source } from '../kernel/source.ts'
import type { SimulationFile } from './simulation-file.ts'

/**
 * Blocks of configuration with their paths. Layers are in order of precedence: the first one that configures a behaviour
 * wins.
 */
export interface Layer {
  readonly blocks: Pick<SimulationFile, 'defaults' | 'tags' | 'operations' | 'errors'>
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
export function settingOf(name: string, operation: Operation, layers: readonly Layer[]): Setting {
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
export const hasWordOn = (operation: Operation, { blocks, keys }: Layer): boolean =>
  blocks.defaults !== undefined || keys.has(operation) || operation.tags.some(tag => blocks.tags?.[tag] !== undefined)

/** Makes a layer, and reports tags and operations that the contract does not have. */
export function compileLayers(contract: Contract) {
  const tags = new Set(contract.operations.flatMap(operation => operation.tags))
  return (blocks: Layer['blocks'], source: Source, path: Path, report: Diagnostics, scope: string): Layer => {
    for (const tag of Object.keys(blocks.tags ?? {})) {
      if (tags.has(tag)) continue
      const place = source.locate([...path, 'tags', tag], 'key')
      const hint = report.count('error') < MOST_SHOWN ? suggest(tag, tags) : undefined
      report.error('unknown-tag', `no operation has the tag "${tag}"`, place, hint)
    }
    const keys = locateOperations(blocks.operations ?? {}, contract, source, path, report)
    return { blocks, keys, source, path, report, scope }
  }
}

/** Maps operations to their blocks in `operations`. A block that matches no operation is an error. */
function locateOperations(
  blocks: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  contract: Contract,
  source: Source,
  path: Path,
  report: Diagnostics,
): Map<Operation, string> {
  const out = new Map<Operation, string>()
  const byName = new Map(
    contract.operations.flatMap(one => [[one.id, one] as const, [`${one.method} ${one.path}`, one] as const]),
  )
  const ids = contract.operations.map(({ id }) => id)
  for (const key of Object.keys(blocks)) {
    const operation = byName.get(key)
    if (operation === undefined) {
      const place = source.locate([...path, 'operations', key], 'key')
      // Comparing a name with each operation takes long, and only the first mistakes are shown.
      const hint = report.count('error') < MOST_SHOWN ? hintAt(key, byName.keys(), ids) : undefined
      report.error('unknown-operation', `the contract has no operation "${key}"`, place, hint)
    } else out.set(operation, key)
  }
  return out
}

function hintAt(key: string, names: Iterable<string>, ids: readonly string[]): string | undefined {
  const near = nearest(key, names)
  return near === undefined ? suggest(key, ids) : `did you mean "${near}"?`
}

// The schema of each behaviour's block in gateway.yaml.

const nullable = (schema: Schema): Schema =>
  typeof schema === 'object' && schema.type !== undefined ? { ...schema, type: [schema.type, 'null'].flat() } : schema

/** Schemas by behaviour; `null` switches one off. Each is one object, so that it is compiled once (`shareRepeated`). */
export const behaviourSettings: ReadonlyMap<string, Schema> = new Map(
  behaviours.flatMap(({ name, schema }) => (schema === undefined ? [] : [[name, nullable(schema)] as const])),
)

/** Behaviours that have a key in gateway.yaml. */
export const keyed = behaviours.filter(({ schema }) => schema !== undefined)

/** Behaviours that an operation may configure. `errors` is configured for the whole API only. */
export const configurable = keyed.filter(({ name }) => name !== 'errors')
