// Finds schemas without valid values: replies that cannot be in contract, and request bodies that no client can send. Both
// are reported with their operation and property before a client meets them.

import type { Gap } from '../../sample/terms.ts'
import { type Contract, isJson, type MediaType, type Operation } from '../contract.ts'
import type { Node } from '../documents.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import type { ContractReading } from './reading.ts'

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
  const gapsOf = compileGaps()
  const look = (operation: Operation, subject: string, { schema, examples }: MediaType, request: boolean): void => {
    if (schema === undefined) return
    const sampler = schema.sampler
    // The example is served in this case.
    if (!request && examples.some(({ value }) => sampler.fits(schema.key, schema.prune(value)))) return
    for (const gap of gapsOf(schema, request)) {
      const code = request ? 'impossible-body' : 'impossible-reply'
      const node = nodeAt(schema, gap, contract, reading)
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
      for (const media of content.values()) {
        look(operation, `no body can match the schema of the reply ${status} of ${operation.id}`, media, false)
      }
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

/** The invalid parts of each schema, found once. */
function compileGaps(): (schema: SchemaUse, request: boolean) => readonly Gap[] {
  const known = new Map<string, readonly Gap[]>()
  return (schema, request) => {
    const key = `${request} ${schema.key}`
    let gaps = known.get(key)
    if (gaps === undefined) {
      gaps = schema.sampler.sample(schema.key, { seed: 1, request }).gaps
      known.set(key, gaps)
    }
    return gaps
  }
}

/** Returns the schema of the part without valid values, as far as its path leads through `properties` and `items`. */
function nodeAt(schema: SchemaUse, { path }: Gap, contract: Contract, { documents }: ContractReading): Node {
  let node = schema.node
  for (const key of path) {
    const { properties, items, additional } = contract.shapeOf(node)
    const next = typeof key === 'number' ? items : (properties.get(key) ?? additional)
    // A required property without a declaration is a mistake of the object's schema.
    if (next === undefined) return documents.resolve(node) ?? node
    node = next
  }
  return node
}
