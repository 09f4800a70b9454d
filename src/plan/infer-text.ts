// An inference as the text of a gateway.yaml, each line with what it was inferred from. Its reader is the author to be.

import type { Contract, Operation } from '../contract/contract.ts'
import type { Json } from '../kernel/json.ts'
import { isObject, stringifyJson } from '../kernel/json.ts'
import type { Inference, InferredResource } from './infer.ts'

export interface InferredText {
  readonly text: string
  /** Which lines, counted from 1, belong to which operation or resource: to leave out what does not hold. */
  readonly owners: ReadonlyMap<number, string>
}

/**
 * @param reference how the file will name the contract
 * @param seedsOf the records a resource begins with
 * @param without what is to be left out, by operation id or `resource NAME`, with the reason
 */
export function describeInference(
  { resources, operations }: Inference,
  contract: Contract,
  reference: string,
  seedsOf: (resource: InferredResource) => readonly Json[],
  without: ReadonlyMap<string, string> = new Map(),
): InferredText {
  const lines: string[] = []
  const owners = new Map<number, string>()
  const push = (line: string, owner?: string) => {
    lines.push(line)
    if (owner !== undefined) owners.set(lines.length, owner)
  }
  push(`# Inferred from ${contract.title} ${contract.version}. Every line says from what; correct what is not so.`)
  push(`contract: ${scalar(reference)}`)
  push('seed: 1')
  const kept = resources.filter(({ name }) => !without.has(`resource ${name}`))
  push('')
  push(
    kept.length === 0
      ? 'resources: {}  # no path was found to list records of a schema that the contract names'
      : 'resources:',
  )
  for (const resource of kept) {
    const { name, schema, idField, assign, because } = resource
    const owner = `resource ${name}`
    push(`  ${scalar(name)}:  # ${because}`, owner)
    push(`    schema: ${scalar(schema)}`, owner)
    push(`    id: { field: ${scalar(idField)}, assign: ${assign} }  # ${REASONS[assign]}`, owner)
    const seeds = seedsOf(resource)
    push(seeds.length === 0 ? '    seed: []' : '    seed:  # generated from the schema', owner)
    for (const seed of seeds) push(`      - ${flow(seed)}`, owner)
  }
  push('')
  const spoken = new Set<Operation>()
  push(operations.length === 0 ? 'operations: {}' : 'operations:')
  for (const { operation, respond, because } of operations) {
    const resource = String(Object.values(respond)[0])
    const reason =
      without.get(operation.id) ?? (kept.some(({ name }) => name === resource) ? undefined : 'its resource is left out')
    spoken.add(operation)
    const line = `  ${scalar(operation.id)}: { respond: ${flow(respond)} }  # ${because}`
    if (reason === undefined) push(line, operation.id)
    else push(`#${line}; left out: ${oneLine(reason)}`)
  }
  const rest = contract.operations.filter(one => !spoken.has(one))
  if (rest.length > 0) {
    push('')
    push('  # Answered from the contract alone, by example or generated:')
    for (const { id, method, path } of rest) push(`  #   ${id} (${method} ${path})`)
  }
  const deprecated = contract.operations.filter(one => one.deprecated)
  if (deprecated.length > 0) {
    push('')
    push('  # Deprecated in the contract. Give each its dates under its operation, to rehearse its end:')
    for (const { id } of deprecated) push(`  #   ${id}: { deprecation: { since: 2026-01-01, sunset: 2027-01-01 } }`)
  }
  return { text: `${lines.join('\n')}\n`, owners }
}

const REASONS = {
  sequence: 'an integer: counted',
  uuid: 'text that no request gives: made up',
  generate: 'text that no request gives: made in the form the contract shows',
  client: 'given by the request that creates it',
} as const

/** A value in YAML's flow style, which is JSON with fewer quotes. */
function flow(value: Json): string {
  if (typeof value === 'string') return scalar(value)
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (!isObject(value)) return stringifyJson(value)
  const members = Object.entries(value as Record<string, Json>).map(([key, item]) => `${scalar(key)}: ${flow(item)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Text that YAML reads back as the same text: plain where that is beyond doubt. */
const scalar = (text: string): string =>
  /^[A-Za-z_./][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')
