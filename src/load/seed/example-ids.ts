// The ids that a contract's example requests create records under: no generated record may have one, or the documented
// request would be a conflict on a fresh server.

import type { Contract, Operation } from '../../contract/contract.ts'
import { describeField } from '../../contract/schema/field.ts'
import { isObject, type Json } from '../../kernel/json.ts'

/** @param creators the operations that create records of the resource */
export function exampleIds(creators: readonly Operation[], idField: string, contract: Contract): ReadonlySet<unknown> {
  const ids = new Set<unknown>()
  const add = (value: unknown, depth = 0): void => {
    if (!isObject(value)) return
    if (value[idField] !== undefined) ids.add(value[idField])
    // A wrapped request has it one level down.
    if (depth === 0) for (const inner of Object.values(value)) add(inner, 1)
  }
  for (const { body } of creators) {
    for (const { schema, examples } of body?.content.values() ?? []) {
      for (const { value } of examples) add(value)
      if (schema === undefined) continue
      add(describeField('', schema).example)
      const { properties } = schema.shape
      const inner = [...properties.values()].map(node => contract.shapeOf(node).properties)
      for (const fields of [properties, ...inner]) {
        const node = fields.get(idField)
        const field = node && describeField(idField, contract.use(node))
        const proposed: (Json | undefined)[] = [field?.example, field?.default]
        for (const id of proposed) if (id !== undefined) ids.add(id)
      }
    }
  }
  return ids
}
