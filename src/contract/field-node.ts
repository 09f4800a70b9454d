// Finds the schema of a field by its name, which may be a path: `metadata.name`.

import type { Contract } from './contract.ts'
import type { Node } from './documents.ts'
import type { Shape } from './schema/shape.ts'

/** The schema of `name` within `metadata` for `metadata.name`, unless a field has that very name. */
export function fieldNode(shape: Shape, field: string, contract: Contract): Node | undefined {
  const own = shape.properties.get(field)
  if (own !== undefined || !field.includes('.')) return own
  const [first = '', ...rest] = field.split('.')
  const node = shape.properties.get(first)
  return node && fieldNode(contract.shapeOf(node), rest.join('.'), contract)
}
