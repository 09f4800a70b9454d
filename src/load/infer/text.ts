// An inference as the text of a gateway.yaml, each line with the reason for it. Its reader is its next author.
// `settings.ts` has the same as a value.

import type { Contract, Operation } from '../../contract/contract.ts'
import { isObject, type Json, stringifyJson } from '../../kernel/json.ts'
import type { Assign } from '../../world/collection.ts'
import type { Inference, SchemaCandidate } from './inference.ts'
import { uniqueWithin } from './owners.ts'
import type { Seeds } from './seeds.ts'
import { fixedId } from './settings.ts'
import { proposeStates } from './states.ts'

/** The settings that are written. */
export interface WrittenInference {
  readonly inference: Inference
  readonly contract: Contract
  /** How the file will name the contract. */
  readonly reference: string
  readonly seeds: Seeds
  readonly candidateOf: (resource: string) => SchemaCandidate
  /** Settings that are left out, by operation id or `resource NAME`, with the reason. */
  readonly without: ReadonlyMap<string, string>
}

export function describeInference({
  inference: { resources, operations },
  contract,
  reference,
  seeds,
  candidateOf,
  without,
}: WrittenInference): string {
  const lines: string[] = []
  const push = (line: string) => void lines.push(line)
  push(`# Inferred from ${contract.title} ${contract.version}. Every line has its reason; correct wrong ones.`)
  push(`contract: ${scalar(reference)}`)
  push('seed: 1')
  const kept = resources.filter(({ name }) => !without.has(`resource ${name}`))
  push('')
  push(
    kept.length === 0
      ? 'resources: {}  # no path was found to list or create records of a schema that has a field to name them by'
      : 'resources:',
  )
  for (const { name, because } of kept) {
    const { schema, idField, added, assign, server } = candidateOf(name)
    push(`  ${scalar(name)}:  # ${oneLine(because)}`)
    push(`    schema: ${scalar(schema)}`)
    const within = uniqueWithin(candidateOf(name), name, operations, without)
    const unique = within.length === 0 ? '' : `within: ${flow(within)}, `
    const besides = added ? 'added: true, ' : ''
    const change = assign === 'client' ? ', change: ignore' : ''
    push(`    id: { field: ${scalar(idField)}, ${unique}${besides}assign: ${assign}${change} }  # ${REASONS[assign]}`)
    if (Object.keys(server.defaults).length > 0) push(`    defaults: ${flow(server.defaults)}`)
    if (Object.keys(server.set).length > 0) push(`    set: ${flow(server.set)}`)
    const states = proposeStates(name, operations, schema, contract)
    if (states !== undefined) {
      push(
        `    # states: { field: ${scalar(states.field)}, from: ${flow(states.from)} }  # a guess by ${states.because.join(', ')}`,
      )
    }
    const records = seeds.get(name) ?? []
    push(records.length === 0 ? '    seed: []' : '    seed:  # generated from the schema')
    for (const seed of records) push(`      - ${flow(seed)}`)
  }
  for (const [owner, reason] of without) {
    if (owner.startsWith('resource ')) push(`#  ${owner.slice('resource '.length)}: left out: ${oneLine(reason)}`)
  }
  push('')
  const spoken = new Set<Operation>()
  const written = operations.filter(({ operation }) => !without.has(operation.id))
  push(written.length === 0 ? 'operations: {}' : 'operations:')
  for (const { operation, resource, respond, because, fixed } of operations) {
    const reason = without.get(operation.id)
    spoken.add(operation)
    const id = fixed ? fixedId(resource, candidateOf, seeds) : {}
    const line = `  ${scalar(operation.id)}: { respond: ${flow({ ...respond, ...id })} }  # ${oneLine(because)}`
    if (reason === undefined) push(line)
    else push(`#${line}; left out: ${oneLine(reason)}`)
  }
  const rest = contract.operations.filter(one => !spoken.has(one))
  if (rest.length > 0) {
    push('')
    push('  # Answered by an example of the contract or a generated value:')
    for (const { id, method, path } of rest) push(`  #   ${id} (${method} ${path})`)
  }
  const deprecated = contract.operations.filter(one => one.deprecated)
  if (deprecated.length > 0) {
    push('')
    push('  # Deprecated in the contract. Give each its dates under its operation, to rehearse its end:')
    for (const { id } of deprecated) push(`  #   ${id}: { deprecation: { since: 2026-01-01, sunset: 2027-01-01 } }`)
  }
  return `${lines.join('\n')}\n`
}

const REASONS = {
  sequence: 'an integer: counted',
  uuid: 'text that no request sets: generated',
  client: 'given by the request that creates it',
  generate: 'text that no request gives: made in the form the contract shows',
} as const satisfies Record<Assign, string>

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
