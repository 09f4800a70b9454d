// An inference as the settings of a gateway.yaml, and as its text, each line with the reason for it. Its reader is its next
// author.

import { isUnshown, ownerField } from '../../behaviours/respond/config.ts'
import type { Contract } from '../../contract/contract.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { type Path, placeOfFile, Source } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, put, stringifyJson } from '../../kernel/json.ts'
import { schemaNamed } from '../../load/seed/seed.ts'
import type { ResourceFile } from '../../plan/simulation-file.ts'
import type { Assign, Id } from '../../world/records/types.ts'
import type { SchemaCandidate } from './candidates.ts'
import type { Inference, InferredOperation } from './operations.ts'
import type { InferredOwner } from './owners.ts'

/** The inference that is written. */
export interface WrittenInference {
  readonly inference: Inference
  readonly contract: Contract
  /** How the file will name the contract. */
  readonly reference: string | readonly string[]
  /** The id of the first record of a resource. */
  readonly firstIdOf: (resource: string) => Id
  readonly candidateOf: (resource: string) => SchemaCandidate
  /** Settings that are left out, by operation id or `resource NAME`, with the reason. */
  readonly without: ReadonlyMap<string, string>
}

/** The number of generated records of a resource; of many resources each has fewer, because they take time to generate. */
const SEEDS = 5
const FEW_SEEDS = 3
const MANY_RESOURCES = 60

/** Names the configuration that was inferred: no file has it. */
export const INFERRED_FILE = 'inferred gateway.yaml'

/** Returns the inferred settings. The text of a place is the operation id, `resource NAME` or `fields NAME` that it belongs to. */
export function settingsOf(written: WrittenInference): Source {
  const { inference, reference, without } = written
  const resources: Record<string, ResourceFile> = {}
  for (const { name } of inference.resources) {
    if (!without.has(`resource ${name}`)) put(resources, name, resourceSettings(name, written))
  }
  const operations: Record<string, Json> = {}
  for (const inferred of inference.operations) {
    const { id } = inferred.operation
    if (!without.has(id)) put(operations, id, { respond: respondSettings(inferred, written) })
  }
  const settings = { contract: reference, seed: 1, resources, operations }
  const text = () => describeSettings(resources, written)
  return new Source(INFERRED_FILE, settings, text, path => ({ ...placeOfFile(INFERRED_FILE), text: ownerAt(path) }))
}

function ownerAt([section, name = '', key]: Path): string {
  if (section !== 'resources') return String(name)
  return `${key === 'defaults' || key === 'filled' ? 'fields' : 'resource'} ${name}`
}

function resourceSettings(name: string, written: WrittenInference): ResourceFile {
  const { inference, candidateOf, without } = written
  const { schema, idField, assign, filled, defaults } = candidateOf(name)
  const within = assign === 'client' ? uniqueWithin(name, inference.operations, without) : []
  const id = isUnshown(idField)
    ? undefined
    : {
        field: idField,
        ...(within.length > 0 ? { within } : {}),
        assign,
        ...(assign === 'client' ? { change: 'ignore' as const } : {}),
      }
  return {
    schema,
    ...(id === undefined ? {} : { id }),
    ...(filled.length > 0 ? { filled } : {}),
    ...(Object.keys(defaults).length > 0 ? { defaults } : {}),
    seed: { generate: isUnshown(idField) ? 1 : inference.resources.length > MANY_RESOURCES ? FEW_SEEDS : SEEDS },
  }
}

/** Returns the block `respond`; where its path names no record it has the id of the first record. */
function respondSettings(
  inferred: InferredOperation,
  { candidateOf, contract, firstIdOf }: WrittenInference,
): JsonObject {
  const { resource, respond, owners, fixed } = inferred
  const { schema, idField } = candidateOf(resource)
  const records = { schema: schemaNamed(schema, contract) as SchemaUse, idField }
  const within = owners.map(owner => ownerSetting(owner, records))
  return {
    ...respond,
    ...(fixed ? { id: firstIdOf(resource) } : {}),
    ...(within.length === 0 ? {} : { within: within.length === 1 ? (within[0] as Json) : within }),
  }
}

/** Returns how a person writes an owner: by its parameter alone, where that says it. */
function ownerSetting({ parameter, field, resource }: InferredOwner, records: Parameters<typeof ownerField>[1]): Json {
  const isUsual = field === ownerField({ parameter }, records)
  if (isUsual && resource === undefined) return parameter
  return { parameter, ...(isUsual ? {} : { field }), ...(resource === undefined ? {} : { resource }) }
}

/**
 * The fields that the ids of a resource are unique within, if they can be: the owners that every path to one of its records
 * names.
 */
function uniqueWithin(
  name: string,
  operations: Inference['operations'],
  without: ReadonlyMap<string, string>,
): readonly string[] {
  const [first = [], ...others] = operations
    .filter(({ resource, action, fixed }) => resource === name && action !== 'list' && !fixed)
    .filter(({ operation }) => !without.has(operation.id))
    .map(({ owners }) => owners.map(({ field }) => field))
  return first.filter(field => others.every(fields => fields.includes(field)))
}

function describeSettings(blocks: Readonly<Record<string, ResourceFile>>, written: WrittenInference): string {
  const { contract, reference } = written
  const title = `# Inferred from ${contract.title} ${contract.version}. Every line has its reason; correct wrong ones.`
  const lines = [
    title,
    `contract: ${flow(reference)}`,
    'seed: 1',
    '',
    ...describeResources(blocks, written),
    '',
    ...describeOperations(written),
    ...describeRest(written),
  ]
  return `${lines.join('\n')}\n`
}

function describeResources(
  blocks: Readonly<Record<string, ResourceFile>>,
  { inference, without }: WrittenInference,
): string[] {
  const lines = [Object.keys(blocks).length === 0 ? `resources: {}  # ${NO_RESOURCES}` : 'resources:']
  for (const { name, because } of inference.resources) {
    const block = without.has(`resource ${name}`) ? undefined : blocks[name]
    if (block === undefined) continue
    const { schema, id, filled, defaults, seed } = block
    lines.push(`  ${plainOrQuoted(name)}:  # ${oneLine(because)}`, `    schema: ${plainOrQuoted(schema)}`)
    if (id !== undefined) lines.push(`    id: ${flow(id as JsonObject)}  # ${REASONS[id.assign as Assign]}`)
    if (filled !== undefined) lines.push(`    filled: ${flow(filled)}  # no request to create one has these`)
    if (defaults !== undefined) lines.push(`    defaults: ${flow(defaults)}`)
    lines.push(`    seed: ${flow(seed as JsonObject)}`)
  }
  for (const [owner, reason] of without) {
    if (owner.startsWith('resource ')) lines.push(`#  ${owner.slice('resource '.length)}: left out: ${oneLine(reason)}`)
  }
  return lines
}

function describeOperations(written: WrittenInference): string[] {
  const { without } = written
  const { operations } = written.inference
  const lines = operations.map(inferred => {
    const { id } = inferred.operation
    const reason = without.get(id)
    const respond = flow({ respond: respondSettings(inferred, written) })
    const line = `  ${plainOrQuoted(id)}: ${respond}  # ${oneLine(inferred.because)}`
    return reason === undefined ? line : `#${line}; left out: ${oneLine(reason)}`
  })
  return [operations.every(({ operation }) => without.has(operation.id)) ? 'operations: {}' : 'operations:', ...lines]
}

/** Describes the operations without state, and how to give one state by hand. */
function describeRest({ inference, contract }: WrittenInference): string[] {
  const met = new Set(inference.operations.map(({ operation }) => operation))
  const rest = contract.operations.filter(operation => !met.has(operation))
  const deprecated = contract.operations.filter(operation => operation.deprecated)
  return [
    ...(rest.length > 0 ? BY_HAND : []),
    ...rest.map(({ id, method, path }) => `  #   ${id} (${method} ${path})`),
    ...(deprecated.length > 0 ? DEPRECATED : []),
    ...deprecated.map(({ id }) => `  #   ${id}: { deprecation: { since: 2026-01-01, sunset: 2027-01-01 } }`),
  ]
}

const BY_HAND = [
  '',
  '  # No rule gives the operations below state: they answer with an example of the contract or a generated value.',
  '  # To give them state, write a resource, and for each operation what it does:',
  '  #   resources: { things: { schema: Thing, seed: { generate: 5 } } }',
  '  #   createThing: { respond: { create: things } }',
  '  #   getThing: { respond: { read: things } }',
  '  # Without state:',
]
const DEPRECATED = ['', '  # Deprecated in the contract. Give each its dates under its operation, to rehearse its end:']

const NO_RESOURCES = 'no path was found to list or create records of a schema that has a field to name them by'

const REASONS = {
  sequence: 'an integer: counted',
  uuid: 'text that no request sets: generated',
  client: 'given by the request that creates it',
  generate: 'text that no request gives: made in the form the contract shows',
} as const satisfies Record<Assign, string>

/** A value in YAML's flow style, which is JSON with fewer quotes. */
function flow(value: Json): string {
  if (typeof value === 'string') return plainOrQuoted(value)
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (!isObject(value)) return stringifyJson(value)
  const members = Object.entries(value as Record<string, Json>).map(
    ([key, item]) => `${plainOrQuoted(key)}: ${flow(item)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Text that YAML reads back as the same text: plain where that is beyond doubt. */
const plainOrQuoted = (text: string): string =>
  /^[A-Za-z_./][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')
