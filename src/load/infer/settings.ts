// An inference as the settings of a gateway.yaml: what its text says, as a value. See `text.ts`.

import { type Json, type JsonObject, put } from '../../kernel/json.ts'
import { type Path, placeOfFile, Source } from '../../kernel/source.ts'
import { idIn } from '../../world/collection.ts'
import type { Inference, SchemaCandidate } from './inference.ts'
import { uniqueWithin } from './owners.ts'
import type { Seeds } from './seeds.ts'

export interface Settled {
  readonly source: Source
  /** The operation id, `resource NAME`, `defaults NAME` or `set NAME` that a place of the source belongs to. */
  ownerOf(place: { readonly line: number }): string | undefined
}

/** The inference to be settled: see `Described`. */
export interface Unsettled {
  readonly inference: Inference
  readonly reference: string
  readonly seeds: Seeds
  readonly candidateOf: (resource: string) => SchemaCandidate
  readonly without: ReadonlyMap<string, string>
}

/**
 * Returns the inferred settings. Each block is a line in the places of its source.
 *
 * @param describe writes their text
 */
export function settingsOf(
  { inference, reference, seeds, candidateOf, without }: Unsettled,
  describe: () => string,
): Settled {
  const resources: Record<string, Json> = {}
  for (const { name } of inference.resources) {
    if (without.has(`resource ${name}`)) continue
    const { schema, idField, added, assign, server } = candidateOf(name)
    const within = uniqueWithin(candidateOf(name), name, inference.operations, without)
    const id: Record<string, Json> = { field: idField }
    if (within.length > 0) id.within = within
    if (added) id.added = true
    id.assign = assign
    if (assign === 'client') id.change = 'ignore'
    const block: Record<string, Json> = { schema, id }
    if (Object.keys(server.defaults).length > 0) block.defaults = server.defaults
    if (Object.keys(server.set).length > 0) block.set = server.set
    put(resources, name, { ...block, seed: seeds.get(name) ?? [] })
  }
  const operations: Record<string, Json> = {}
  for (const { operation, resource, respond, fixed } of inference.operations) {
    if (without.has(operation.id)) continue
    put(operations, operation.id, { respond: { ...respond, ...(fixed ? fixedId(resource, candidateOf, seeds) : {}) } })
  }
  const owners: string[] = []
  const locate = (path: Path) => {
    const owner = ownerOf(path)
    if (owner === undefined) return { ...placeOfFile(INFERRED_FILE), line: 0 }
    const known = owners.indexOf(owner)
    return { ...placeOfFile(INFERRED_FILE), line: known === -1 ? owners.push(owner) : known + 1 }
  }
  const source = new Source(
    INFERRED_FILE,
    { contract: reference, seed: 1, resources, operations },
    describe,
    () => locate,
  )
  return { source, ownerOf: ({ line }) => owners[line - 1] }
}

/** Names the configuration that was inferred: no file has it. */
export const INFERRED_FILE = 'inferred gateway.yaml'

function ownerOf([section, name, key]: Path): string | undefined {
  if (name === undefined) return undefined
  if (section === 'operations') return String(name)
  return section === 'resources' ? `${key === 'defaults' || key === 'set' ? key : 'resource'} ${name}` : undefined
}

/** The id of the record that an operation whose path names none is about: the first one. */
export const fixedId = (
  resource: string,
  candidateOf: (resource: string) => SchemaCandidate,
  seeds: Seeds,
): JsonObject => ({
  id: idIn(candidateOf(resource).idField, seeds.get(resource)?.[0] ?? {}) as Json,
})
