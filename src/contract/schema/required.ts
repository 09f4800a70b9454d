// Translates `required`, which applies to replies only or to requests only if a property is readOnly or writeOnly.

import type { RequiredBy } from '../../kernel/schema-keywords.ts'
import { childOf, type Node, placeOf } from '../documents.ts'
import { isMarked } from './shape.ts'
import type { Here, Surroundings } from './translation-context.ts'

/** Separates properties that one side only must send (OpenAPI "readOnly": required "affects the response only"). */
export function translateRequired(
  child: Node,
  node: Node,
  { outer }: Here,
  { documents, report }: Surroundings,
): { required?: string[]; requiredBy?: RequiredBy } {
  if (!Array.isArray(child.value) || !child.value.every(name => typeof name === 'string')) {
    const hint = 'write it beside "properties": required: [name]'
    report.warning('invalid-keyword', '"required" must be a list of names', placeOf(child), hint)
    if (!Array.isArray(child.value)) return {}
  }
  const own = childOf(node, 'properties')
  const both: string[] = []
  const request: string[] = []
  const reply: string[] = []
  for (const name of new Set((child.value as unknown[]).filter(item => typeof item === 'string'))) {
    const declared = childOf(own, name)
    const property = declared.value === undefined ? outer?.().get(name) : declared
    if (property !== undefined && isMarked(property, 'readOnly', documents)) reply.push(name)
    else if (property !== undefined && isMarked(property, 'writeOnly', documents)) request.push(name)
    else both.push(name)
  }
  return {
    ...(both.length + reply.length > 0 ? { required: [...both, ...reply] } : {}),
    ...(request.length + reply.length > 0 ? { requiredBy: { request, reply } } : {}),
  }
}
