// Warnings about a contract: alternatives that overlap, examples and defaults that break their schemas, and schemas that no value
// fits.

import { gapText } from '../../contract/answer/body.ts'
import { type Contract, followSteps, type MediaType, type Operation } from '../../contract/contract.ts'
import type { ContractReading } from '../../contract/document/reading.ts'
import { childOf, identityOf, isReference, itemsOf, membersOf, type Node } from '../../contract/documents.ts'
import { isJson } from '../../contract/media-types.ts'
import { discriminatorOf } from '../../contract/schema/discriminator.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { isObject, type Json, parsePointer } from '../../kernel/json.ts'
import { attempted, getOrMake } from '../../kernel/memo.ts'
import { LIST, MAP, ONE } from '../../kernel/schema/schema.ts'
import type { Violations } from '../../kernel/schema/violations.ts'
import type { Gap } from '../../sample/terms.ts'
import { overlapIn } from './overlaps.ts'

export function examineContract(contract: Contract, reading: ContractReading, thorough: boolean): void {
  checkAlternatives(reading)
  checkSuccesses(contract, reading)
  if (!thorough) return
  checkExamples(contract, reading)
  checkSamples(contract, reading)
}

/** Checks that each operation documents a reply that is no error: strict clients refuse any other. */
function checkSuccesses({ operations }: Contract, reading: ContractReading): void {
  const isSilent = ({ responses }: Operation) => ![...responses.keys()].some(key => /^(?:[1-3]|default)/.test(key))
  const [first, ...others] = operations.filter(isSilent)
  if (first === undefined) return
  const count = others.length === 0 ? '' : ` (operations without one: ${others.length + 1})`
  reading.warn('no-success', `${first.id} documents no success${count}`, first.node, 'key', 'document a 2xx response')
}

/** Checks that no alternative of a `oneOf` includes another one. */
function checkAlternatives(reading: ContractReading): void {
  for (const node of schemasIn(reading)) {
    const items = itemsOf(childOf(node, 'oneOf'))
    if (items.length === 0 || discriminatorOf(node) !== undefined) continue
    const [i = 0, j] = overlapIn(items, reading) ?? []
    if (j === undefined) continue
    const message = `alternative ${i + 1} is never the only one: its values fit alternative ${j + 1}, too`
    const hint = 'write anyOf, or a discriminator, or require in each a property that the others lack'
    reading.warn('overlapping-one-of', message, items[i] as Node, 'value', hint)
  }
}

/** Visits the schemas that are in use and those within them, each once. */
function* schemasIn(reading: ContractReading): Iterable<Node> {
  const seen = new Set<string>()
  const stack = [...reading.schemas.nodes]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    // OpenAPI 3.0 ignores keywords beside a reference.
    if (!isObject(node.value) || (reading.legacy && isReference(node)) || seen.has(identityOf(node))) continue
    seen.add(identityOf(node))
    yield node
    for (const [keyword, child] of membersOf(node)) {
      if (ONE.has(keyword)) stack.push(child)
      if (LIST.has(keyword) || keyword === 'items') stack.push(...itemsOf(child))
      if (MAP.has(keyword) || keyword === 'dependencies') stack.push(...membersOf(child).map(([, schema]) => schema))
    }
  }
}

/** Checks examples and defaults against their schemas. */
function checkExamples(contract: Contract, reading: ContractReading): void {
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
const sampleViolations = (schema: SchemaUse | undefined, value: unknown): Violations | readonly [] =>
  attempted(() => schema?.check(value, true)) ?? []

/** The operations that a part of a schema affects: the first is named, the others are counted. */
interface SampleFinding {
  readonly code: 'impossible-reply' | 'impossible-body'
  readonly subject: string
  readonly gap: Gap
  readonly node: Node
  readonly operations: Set<Operation>
}

/** Checks that each schema has a valid value: otherwise replies are out of contract, or no client can send a body. */
function checkSamples(contract: Contract, reading: ContractReading): void {
  const findings = new Map<string, SampleFinding>()
  const look = (operation: Operation, subject: string, { schema, examples }: MediaType, request: boolean): void => {
    if (schema === undefined) return
    // The example is served in this case.
    if (!request && examples.some(({ value }) => schema.fits(schema.prune(value as Json)))) return
    for (const gap of schema.sample({ seed: 1, request }).gaps) {
      const code = request ? 'impossible-body' : 'impossible-reply'
      const { node } = followSteps(schema.node, gap.path, contract)
      const key = `${code} ${contract.identify(node)} ${gap.path.at(-1)} ${gap.why}`
      const make = (): SampleFinding => ({ code, subject, gap, node, operations: new Set() })
      getOrMake(findings, key, make).operations.add(operation)
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
    const others = operations.size - 1
    const further =
      others === 0 ? '' : `; the same applies to ${others} more ${others === 1 ? 'operation' : 'operations'}`
    const hint = code === 'impossible-reply' ? 'the closest value that was found is sent' : undefined
    reading.warn(code, `${subject}: ${gapText(gap)}${further}`, node, 'key', hint)
  }
}
