// Makes a made-up body refer to records that exist, and name the record that its path names.

import type { Operation } from '../contract/contract.ts'
import { isObject, type Json } from '../kernel/json.ts'
import type { Plan } from './compile.ts'

const ACTIONS = ['create', 'replace', 'update'] as const

/**
 * @param id of the record that the path names; ids in the body must not differ from it
 * @returns changes a body, wherever in it the record stands
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
  if (resource === undefined || !isObject(respond)) return value => value
  const known = new Map<string, Json>()
  for (const [field, to] of resource.references) {
    const owner = simulation.resources.get(typeof to === 'string' ? to : (to as { to: string }).to)
    const existing = owner?.seeds[0]?.[owner.idField]
    if (existing !== undefined) known.set(field, existing)
  }
  const { idField, seeds } = resource
  if (action !== 'create' && id !== undefined) known.set(idField, id)
  const highest = Math.max(0, ...seeds.map(seed => Number(seed[idField])))
  // A number that no record has: small ones are often taken.
  if (action === 'create' && resource.assign === 'client' && highest > 0) known.set(idField, highest + 1)
  if (known.size === 0) return value => value
  const change = (value: Json, depth: number): Json => {
    if (!isObject(value)) return value
    const entries = Object.entries(value as Readonly<Record<string, Json>>)
    return Object.fromEntries(
      entries.map(([name, item]) => {
        const wanted = known.get(name)
        if (wanted === undefined) return [name, depth > 0 ? change(item, depth - 1) : item]
        return [name, Array.isArray(item) ? [wanted] : item === null ? null : wanted]
      }),
    )
  }
  return value => change(value, 1)
}
