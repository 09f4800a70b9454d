// Checks a contract before it is served: its examples and defaults against their schemas, and whether each schema has a valid
// value. Otherwise replies cannot be in contract, or no client can send a body; operation and property are reported.

import { type Json, parsePointer } from '../../kernel/json.ts'
import type { Violations } from '../../kernel/schema/violations.ts'
import type { Gap } from '../../sample/terms.ts'
import type { Contract, MediaType, Operation } from '../contract.ts'
import { childOf, type Node } from '../documents.ts'
import { isJson } from '../media-types.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import type { ContractReading } from './reading.ts'

export function checkExamples(contract: Contract, reading: ContractReading): void {
  for (const { body, responses, parameters } of contract.operations) {
    const contents = [body, ...responses.values()].flatMap(one => [...(one?.content ?? [])])
    for (const [type, { schema, examples }] of contents) {
      for (const { value, node } of isJson(type) ? examples : []) {
        for (const { pointer, message } of sampleViolations(schema, value)) {
          const place = childOf(node, ...(parsePointer(pointer) ?? []))
          reading.warn('invalid-example', `this example breaks its schema: ${pointer || 'it'} ${message}`, place)
        }
      }
    }
    for (const { schema, default: fallback, name, node } of parameters) {
      if (fallback === undefined || fallback === null) continue
      for (const { message } of sampleViolations(schema, fallback)) {
        const place = childOf(node, 'schema', 'default')
        reading.warn('invalid-default', `the default of ${name} breaks its schema: it ${message}`, place)
      }
    }
  }
}

/** Returns the mistakes of a value; none for a schema that does not compile, which is reported elsewhere. */
function sampleViolations(schema: SchemaUse | undefined, value: unknown): Violations | readonly [] {
  try {
    return schema?.check(value, true) ?? []
  } catch {
    return []
  }
}

/** The operations that a part of a schema affects: the first is named, the others are counted. */
interface SampleFinding {
  readonly code: 'impossible-reply' | 'impossible-body'
  readonly subject: string
  readonly gap: Gap
  readonly node: Node
  readonly operations: Set<Operation>
}

export function checkSamples(contract: Contract, reading: ContractReading): void {
  const findings = new Map<string, SampleFinding>()
  const look = (operation: Operation, subject: string, { schema, examples }: MediaType, request: boolean): void => {
    if (schema === undefined) return
    // The example is served in this case.
    if (!request && examples.some(({ value }) => schema.fits(schema.prune(value as Json)))) return
    for (const gap of schema.sample({ seed: 1, request }).gaps) {
      const code = request ? 'impossible-body' : 'impossible-reply'
      const node = placeOfGap(schema, gap, contract)
      const key = `${code} ${contract.identify(node)} ${gap.path.at(-1)} ${gap.why}`
      const finding = findings.get(key) ?? { code, subject, gap, node, operations: new Set() }
      finding.operations.add(operation)
      findings.set(key, finding)
    }
  }
  for (const operation of contract.operations) {
    for (const [type, media] of operation.body?.content ?? []) {
      if (isJson(type)) look(operation, `no body can match the request schema of ${operation.id}`, media, true)
    }
    for (const [status, { content }] of operation.responses) {
      const subject = `no body can match the schema of the reply ${status} of ${operation.id}`
      for (const media of content.values()) look(operation, subject, media, false)
    }
  }
  for (const { code, subject, gap, node, operations } of findings.values()) {
    const place = gap.path.length === 0 ? 'it' : `/${gap.path.join('/')}`
    const others = operations.size - 1
    const further =
      others === 0 ? '' : `; the same applies to ${others} more ${others === 1 ? 'operation' : 'operations'}`
    const hint = code === 'impossible-reply' ? 'the closest value that was found is sent' : undefined
    reading.warn(code, `${subject}: ${place} ${gap.why}${further}`, node, 'key', hint)
  }
}

/** Returns the schema of the part without valid values, as far as its path leads through `properties` and `items`. */
function placeOfGap(schema: SchemaUse, { path }: Gap, contract: Contract): Node {
  let node = schema.node
  for (const key of path) {
    const { properties, items, additional } = contract.shapeOf(node)
    const next = typeof key === 'number' ? items : (properties.get(key) ?? additional)
    // A required property without a declaration is a mistake of the object's schema.
    if (next === undefined) return contract.resolve(node)
    node = next
  }
  return node
}
