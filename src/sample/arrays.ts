// Generates arrays: the number of items, their values, and `uniqueItems`.

import type { Json } from '../kernel/value/json.ts'
import { DEAD_END } from './dead-end.ts'
import type { Facets } from './facets.ts'
import type { Writer } from './writer.ts'

/** The maximum length of a list, even if `minItems` is greater. */
const LONGEST = 10_000

export function writeArray(
  run: Writer,
  facets: Facets,
  name: string | undefined,
  budget: number,
  depth: number,
  variant: number,
): Json {
  const { schemas, unique } = facets
  // No list can be long enough. The stopgap has what a list has without the bound.
  if (facets.minItems > LONGEST && !run.settles) throw DEAD_END
  const prefix = Math.max(0, ...schemas.map(({ prefixItems }) => (Array.isArray(prefixItems) ? prefixItems.length : 0)))
  const schemasAt = (index: number) =>
    schemas.flatMap(({ prefixItems, items }) => {
      if (Array.isArray(prefixItems) && index < prefixItems.length) return [prefixItems[index]]
      return items === undefined ? [] : [items]
    })
  const contained = schemas.filter(({ contains }) => contains !== undefined)
  const sought = contained.flatMap(({ contains, minContains = 1 }) =>
    Array.from({ length: Math.min(Number(minContains), LONGEST) }, () => contains),
  )
  const unsought = contained.filter(one => one.maxContains !== undefined).map(({ contains }) => ({ not: contains }))
  const start = [prefix, 0, Math.max(0, prefix - sought.length)][variant % 3] as number
  const least = Math.max(facets.minItems, sought.length > 0 ? start + sought.length : 0)
  const ample = budget >= 1 && variant % 4 !== 1 && !run.circles(schemasAt(prefix))
  const usual = prefix > 0 ? prefix : schemasAt(0).length > 0 ? 2 : 0
  const want = Math.min(facets.maxItems, Math.max(least, ample ? usual : Math.min(prefix, facets.minItems)), LONGEST)
  const share = (budget - want) / Math.max(1, want)
  const singular = name?.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
  const out: Json[] = []
  const texts = new Set<string>()
  for (let index = 0; index < want; index++) {
    const inside = schemasAt(index)
    const seek = sought[index - start]
    const all = seek === undefined ? [...inside, ...unsought] : [...inside, seek]
    // A very long list without `uniqueItems` repeats its items.
    if (!unique && index >= prefix && index > 100 && seek === undefined) {
      out.push(out[index - 1] as Json)
      continue
    }
    const item = writeItem(run, all, singular, share, depth, unique ? texts : undefined, index)
    if (item === undefined) {
      if (out.length >= least || run.settles) break
      throw DEAD_END
    }
    const text = JSON.stringify(item)
    // Avoid examples with duplicate items.
    if (texts.has(text) && index >= Math.max(least, prefix)) break
    texts.add(text)
    out.push(item)
  }
  if (out.length < facets.minItems && !run.settles) throw DEAD_END
  return out
}

function writeItem(
  run: Writer,
  schemas: readonly unknown[],
  name: string | undefined,
  budget: number,
  depth: number,
  taken: ReadonlySet<string> | undefined,
  index: number,
): Json | undefined {
  for (let turn = 0; turn < (taken === undefined ? 1 : 12); turn++) {
    try {
      run.path.push(index)
      const item = run.value(schemas, name, budget, depth + 1, turn === 0 ? 0 : turn + index)
      if (taken === undefined || !taken.has(JSON.stringify(item))) return item
    } catch (error) {
      if (error !== DEAD_END) throw error
    } finally {
      run.path.pop()
    }
  }
  return undefined
}
