// Finds the operation for a method and a path. Everything but `find` runs at load. Depends on paths, not on behaviours.

import type { Contract, Operation } from '../contract/contract.ts'
import { placeOf } from '../contract/documents.ts'
import { type Accepts, expressionsOf, type Method, type PathMatch, PathTable } from '../contract/paths.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import { compileNear, type Near } from './near-paths.ts'

export interface Routes {
  /** The operations of a path; the first of two that cannot be distinguished. */
  readonly operations: readonly Operation[]
  /** Finds an operation by method and path; `make` makes each target once. */
  finder<Target>(
    make: (operation: Operation, basePath: string) => Target,
  ): (method: string, path: string) => PathMatch<Target> | undefined
  methodsOf(path: string): readonly Method[]
  /** Suggests an operation for a request that matches none. */
  readonly near: Near
}

export function layRoutes(contract: Contract, report: Diagnostics): Routes {
  const table = new PathTable<number>()
  const places: { operation: Operation; basePath: string }[] = []
  for (const operation of contract.operations) {
    const { method, path, basePaths, node } = operation
    for (const basePath of basePaths) {
      const added = table.add(method, basePath + path, places.length, () => acceptsOf(operation))
      if (added === 'added') {
        places.push({ operation, basePath })
        continue
      }
      const why = added === 'taken' ? 'an earlier path matches the same requests' : 'its template cannot be matched'
      const message = `${method} ${basePath}${path} is left out: ${why}`
      report.warning('ambiguous-path', message, placeOf(node, 'key'))
    }
  }
  return {
    operations: [...new Set(places.map(({ operation }) => operation))],
    finder: make => {
      const targets = places.map(({ operation, basePath }) => make(operation, basePath))
      return (method, path) => {
        const found = table.find(method, path) ?? (method === 'HEAD' ? table.find('GET', path) : undefined)
        return found && { target: targets[found.target]!, segments: found.segments, broken: found.broken }
      }
    },
    methodsOf: path => table.methodsOf(path),
    near: compileNear(places, path => table.methodsOf(path)),
  }
}

/** Returns tests for the parameters of a path; `undefined` if each accepts any text. */
function acceptsOf({ path, parameters }: Operation): Accepts | undefined {
  const checks = expressionsOf(path).map(name => {
    const parameter = parameters.find(one => one.in === 'path' && one.name === name)
    if (parameter === undefined) return undefined
    const takes = (text: string): boolean => {
      const read = parameter.read([text])
      return !('fault' in read) && parameter.schema.check(read.value, read.exact) === undefined
    }
    return PROBES.every(takes) ? undefined : takes
  })
  if (checks.every(takes => takes === undefined)) return undefined
  return segments => checks.every((takes, i) => takes === undefined || takes(segments[i] as string))
}

/** A parameter that accepts all of these accepts any text. */
const PROBES = ['~', '1', 'a', `${'a'.repeat(300)} é`]
