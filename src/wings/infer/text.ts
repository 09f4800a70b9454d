// An inference as the settings of a gateway.yaml, and as its text, each line with the reason for it. Its reader is its next
// author.

import { isUnshown, type WithinConfig, withinsOf } from '../../behaviours/respond/config.ts'
import type { Contract } from '../../contract/contract.ts'
import { type Path, placeOfFile, Source } from '../../kernel/file/source.ts'
import { isObject, type Json, type JsonObject, put, stringifyJson } from '../../kernel/json.ts'
import type { ResourceFile } from '../../plan/simulation-file.ts'
import type { Assign } from '../../world/records/types.ts'
import { idIn } from '../../world/records/values.ts'
import type { SchemaCandidate } from './candidates.ts'
import { type Inference, type InferredOperation, isAsking, withinsIn } from './operations.ts'
import type { Seeds } from './seeds.ts'

/** The inference that is written. */
export interface WrittenInference {
  readonly inference: Inference
  readonly contract: Contract
  /** How the file will name the contract. */
  readonly reference: string | readonly string[]
  readonly seeds: Seeds
  readonly candidateOf: (resource: string) => SchemaCandidate
  /** Settings that are left out, by operation id or `resource NAME`, with the reason. */
  readonly without: ReadonlyMap<string, string>
}

/** Names the configuration that was inferred: no file has it. */
export const INFERRED_FILE = 'inferred gateway.yaml'

/** Returns the inferred settings. The text of a place is the operation id, `resource NAME` or `fields NAME` that it belongs to. */
export function settingsOf(written: WrittenInference): Source {
  const { inference, reference, seeds, candidateOf, without } = written
  const resources: Record<string, ResourceFile> = {}
  for (const { name } of inference.resources) {
    if (without.has(`resource ${name}`)) continue
    const { schema, idField, added, every, assign, from, filled, defaults } = candidateOf(name)
    const isWithin = assign === 'client' || (assign === 'sequence' && COUNTED.test(idField))
    const within = isWithin ? uniqueWithin(name, inference.operations, without) : []
    put(resources, name, {
      schema,
      id: {
        field: idField,
        ...(within.length > 0 ? { within } : {}),
        ...(added ? { added } : {}),
        ...(every ? { every } : {}),
        assign,
        ...(from === undefined ? {} : { from }),
        ...(assign === 'client' ? { change: 'ignore' } : {}),
      },
      ...(filled.length > 0 ? { filled } : {}),
      ...(Object.keys(defaults).length > 0 ? { defaults } : {}),
      seed: seeds.get(name) ?? [],
    })
  }
  const operations: Record<string, Json> = {}
  for (const one of inference.operations) {
    if (!without.has(one.operation.id)) put(operations, one.operation.id, { respond: respondSettings(one, written) })
  }
  const settings = { contract: reference, seed: 1, resources, operations }
  const text = () => describeSettings(resources, written)
  return new Source(INFERRED_FILE, settings, text, path => ({ ...placeOfFile(INFERRED_FILE), text: ownerAt(path) }))
}

function ownerAt([section, name = '', key]: Path): string {
  if (section !== 'resources') return String(name)
  return `${key === 'defaults' || key === 'filled' ? 'fields' : 'resource'} ${name}`
}

/** The block `respond`; where its path names no record or owner it has the id of the first one. */
function respondSettings(one: InferredOperation, { candidateOf, seeds }: WrittenInference): JsonObject {
  const { operation, resource, respond, fixed } = one
  const firstOf = (name: string) => ({ id: idIn(candidateOf(name).idField, seeds.get(name)?.[0] ?? {}) as Json })
  const within = withinsOf(respond.within as WithinConfig).map(owner =>
    isAsking(owner, operation) ? { ...owner, ...firstOf(owner.resource as string) } : owner,
  )
  const owned =
    within.length === 0 ? respond : { ...respond, within: within.length === 1 ? (within[0] as Json) : within }
  return fixed ? { ...owned, ...firstOf(resource) } : owned
}

/** Names of numbers that count the things of one owner: the issues of a repository begin with 1. */
const COUNTED = /^(?:number|iid|index|position|no)$/i

/**
 * The fields that the ids of a resource are unique within, if they can be: the owners that every path to one of its records
 * names.
 */
function uniqueWithin(
  resource: string,
  operations: Inference['operations'],
  without: ReadonlyMap<string, string>,
): readonly string[] {
  const own = operations.filter(one => one.resource === resource && !without.has(one.operation.id) && !one.fixed)
  const fieldsIn = (one: InferredOperation) => withinsIn(one).map(({ field }) => field)
  const [first = [], ...others] = own.filter(({ action }) => action !== 'list' && action !== 'create').map(fieldsIn)
  const creators = own.filter(({ action }) => action === 'create').map(fieldsIn)
  return first.filter(
    field =>
      others.every(fields => fields.includes(field)) &&
      (isUnshown(field) || creators.every(fields => fields.includes(field))),
  )
}

function describeSettings(blocks: Readonly<Record<string, ResourceFile>>, written: WrittenInference): string {
  const { inference, contract, reference, without } = written
  const { resources, operations } = inference
  const lines = [
    `# Inferred from ${contract.title} ${contract.version}. Every line has its reason; correct wrong ones.`,
    `contract: ${flow(reference)}`,
    'seed: 1',
    '',
  ]
  const push = (...all: string[]) => void lines.push(...all)
  push(Object.keys(blocks).length === 0 ? `resources: {}  # ${NO_RESOURCES}` : 'resources:')
  for (const { name, because } of resources) {
    const block = without.has(`resource ${name}`) ? undefined : blocks[name]
    if (block === undefined) continue
    const { schema, id, filled, defaults } = block
    const seed = block.seed as readonly JsonObject[]
    push(`  ${plainOrQuoted(name)}:  # ${oneLine(because)}`, `    schema: ${plainOrQuoted(schema)}`)
    push(`    id: ${flow(id as JsonObject)}  # ${REASONS[id?.assign as Assign]}`)
    if (filled !== undefined) push(`    filled: ${flow(filled)}  # no request to create one has these`)
    if (defaults !== undefined) push(`    defaults: ${flow(defaults)}`)
    push(seed.length === 0 ? '    seed: []' : '    seed:  # generated from the schema')
    push(...seed.map(record => `      - ${flow(record)}`))
  }
  for (const [owner, reason] of without) {
    if (owner.startsWith('resource ')) push(`#  ${owner.slice('resource '.length)}: left out: ${oneLine(reason)}`)
  }
  const isLeftOut = ({ operation }: InferredOperation) => without.has(operation.id)
  push('', operations.every(isLeftOut) ? 'operations: {}' : 'operations:')
  for (const one of operations) {
    const { operation, because } = one
    const reason = without.get(operation.id)
    const respond = flow({ respond: respondSettings(one, written) })
    const line = `  ${plainOrQuoted(operation.id)}: ${respond}  # ${oneLine(because)}`
    push(reason === undefined ? line : `#${line}; left out: ${oneLine(reason)}`)
  }
  const met = new Set(operations.map(({ operation }) => operation))
  const rest = contract.operations.filter(one => !met.has(one))
  if (rest.length > 0) push('', '  # Answered by an example of the contract or a generated value:')
  push(...rest.map(({ id, method, path }) => `  #   ${id} (${method} ${path})`))
  const deprecated = contract.operations.filter(one => one.deprecated)
  if (deprecated.length > 0)
    push('', '  # Deprecated in the contract. Give each its dates under its operation, to rehearse its end:')
  push(...deprecated.map(({ id }) => `  #   ${id}: { deprecation: { since: 2026-01-01, sunset: 2027-01-01 } }`))
  return `${lines.join('\n')}\n`
}

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
