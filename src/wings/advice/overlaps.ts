// Alternatives of `oneOf` that can never be the only one: what fits one of them fits another, too, so that it is refused.

import { isDeepStrictEqual } from 'node:util'
import { childOf, type Documents, identityOf, isReference, membersOf, type Node } from '../../contract/documents.ts'
import { isNote } from '../../contract/schema/keywords.ts'
import { layersOf, type SchemaNode, shapeOf } from '../../contract/schema/shape.ts'

/** The maximum number of alternatives that are compared with each other, and of schemas within one another. */
const MOST = 30
const DEEPEST = 6

/** Returns the first alternative that another one includes, and that one. */
export const overlapIn = (items: readonly Node[], documents: Documents): readonly [number, number] | undefined =>
  items
    .slice(0, MOST)
    .map((narrow, i) => [i, items.findIndex((one, j) => i !== j && includes(one, narrow, documents))] as const)
    .find(([, j]) => j >= 0)

/** Whether a value of one schema that has only the properties which it describes surely fits another one. */
function includes(wide: Node, narrow: Node, documents: Documents, depth = 0): boolean {
  const [outer, inner] = [wide, narrow].map(one => documents.resolve(one))
  if (outer === undefined || inner === undefined || depth > DEEPEST) return false
  if (identityOf(outer) === identityOf(inner)) return true
  const [others = [], own = []] = [outer, inner].map(one => layersOf([one], documents, ['allOf']))
  // The keys beside a reference, and those of a discriminator, depend on more than the schema.
  const isPlain = (one: SchemaNode) =>
    one.value.discriminator === undefined && !(isReference(one) && Object.keys(one.value).length > 1)
  const has = (layers: readonly SchemaNode[], mark: string) => layers.some(({ value }) => value[mark] === true)
  const isAlike = (mark: string) => has(others, mark) === has(own, mark)
  if (others.length === 0 || ![...others, ...own].every(isPlain)) return false
  // A property of replies alone need not be in requests.
  if (!isAlike('readOnly') || !isAlike('writeOnly') || (has(own, 'nullable') && !has(others.slice(-1), 'nullable')))
    return false
  const { types, properties, required, open } = shapeOf(inner, documents)
  const holds = (layer: Node, keyword: string, value: unknown): boolean => {
    const declared = new Map(membersOf(childOf(layer, 'properties')))
    const values: unknown[] = [value].flat()
    const same = own.filter(one => one.value[keyword] !== undefined)
    if (keyword === 'type')
      return types.length > 0 && types.every(one => values.includes(one) || (one === 'integer' && value === 'number'))
    if (keyword === 'required') return values.every(name => required.has(name as string))
    if (keyword === 'enum') return same.some(one => [one.value.enum].flat().every(choice => values.includes(choice)))
    if (keyword === 'properties')
      return [...declared].every(([name, one]) => {
        const other = properties.get(name)
        return other === undefined ? !open : includes(one, other, documents, depth + 1)
      })
    if (keyword === 'additionalProperties')
      return value === true || (value === false && !open && [...properties.keys()].every(name => declared.has(name)))
    const isSaid = same.some(one => one.document === layer.document && isDeepStrictEqual(one.value[keyword], value))
    return isSaid || isNote(keyword) || keyword === '$ref' || keyword === 'allOf'
  }
  return others.every(one => Object.entries(one.value).every(([keyword, value]) => holds(one, keyword, value)))
}
