// Makes a generated body refer to existing records, and to the record in its path.

import type { Operation } from '../../contract/contract.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { Plan } from '../../plan/plan.ts'
import { type Id, idIn, withId } from '../../world/collection.ts'
import { valuesIn } from '../../world/record-field.ts'

/** The record that a request names: for a `delete` the first that no other record refers to, if there is one. */
export function recordToName(
  name: string,
  isDelete: boolean,
  resources: Plan['simulation']['resources'],
): JsonObject | undefined {
  const resource = resources.get(name)
  if (resource === undefined || !isDelete) return resource?.seeds[0]
  const referred = new Set<string>()
  for (const { references, seeds } of resources.values()) {
    for (const [field, { to, onDelete }] of references) {
      if (to !== name || onDelete !== 'restrict') continue
      for (const seed of seeds) for (const id of valuesIn(field, seed)) referred.add(String(id))
    }
  }
  return resource.seeds.find(seed => !referred.has(String(idIn(resource.idField, seed)))) ?? resource.seeds[0]
}

const ACTIONS = ['create', 'replace', 'update'] as const

/**
 * @param id of the record that the path names; ids in the body must not differ from it
 * @returns a function that changes a body, wherever the record is in it
 */
export function referring(
  { id: operation, method, path }: Operation,
  { simulation }: Plan,
  id: Json | undefined,
): (value: Json) => Json {
  const { operations = {} } = simulation.file
  const respond = (operations[operation] ?? operations[`${method} ${path}`])?.respond
  const action = isObject(respond) ? ACTIONS.find(one => respond[one] !== undefined) : undefined
  const resource = isObject(respond) && action ? simulation.resources.get(String(respond[action])) : undefined
  if (resource === undefined) return value => value
  const { idField, seeds, assign, references } = resource
  const known = new Map<string, Json>()
  for (const [field, { to }] of references) {
    const owner = simulation.resources.get(to)
    const [seed] = owner?.seeds ?? []
    const existing = owner && seed && idIn(owner.idField, seed)
    if (existing !== undefined) known.set(field, existing)
  }
  const highest = Math.max(0, ...seeds.map(seed => Number(idIn(idField, seed))))
  // A number that no record has: small ones are often taken.
  const free = assign === 'client' && highest > 0 ? highest + 1 : undefined
  const wanted = action === 'create' ? free : id
  const onlyInBody = action !== 'create' && !path.includes('{')
  if (known.size === 0 && wanted === undefined) return value => value
  const change = (value: Json, depth: number): Json => {
    if (!isObject(value)) return value
    const record = value as JsonObject
    const entries = Object.entries(record).map(([name, item]): [string, Json] => {
      const existing = known.get(name)
      if (existing === undefined) return [name, depth > 0 ? change(item, depth - 1) : item]
      return [name, Array.isArray(item) ? [existing] : item === null ? null : existing]
    })
    const changed = Object.fromEntries(entries)
    const isNamed = idIn(idField, record) !== undefined || (onlyInBody && depth === 1)
    if (wanted === undefined || !isNamed) return changed
    return { ...changed, ...withId(idField, wanted as Id, changed) }
  }
  return value => change(value, 1)
}
