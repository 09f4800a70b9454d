// Which operation a method and a path lead to. Runs at load but for `find`; knows paths, and nothing of behaviours.

import type { Contract, Operation } from '../contract/contract.ts'
import { placeOf } from '../contract/document.ts'
import { type Found, type Method, PathTable } from '../contract/paths.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import { compileNear, type Near } from './near-paths.ts'

export interface Routes {
  /** Those that some path leads to; of two that cannot be told apart, the first. */
  readonly operations: readonly Operation[]
  /** Finds by method and path; `make` gives a place its target, once. */
  finder<Target>(
    make: (operation: Operation, basePath: string) => Target,
  ): (method: string, path: string) => Found<Target> | undefined
  methodsOf(path: string): readonly Method[]
  /** What a request that nothing matches may have meant. */
  readonly near: Near
}

export function layRoutes(contract: Contract, report: Diagnostics): Routes {
  const table = new PathTable<number>()
  const places: { operation: Operation; basePath: string }[] = []
  for (const operation of contract.operations) {
    const { method, path, basePaths, node } = operation
    for (const basePath of basePaths) {
      const added = table.add(method, basePath + path, places.length)
      if (added === 'added') {
        places.push({ operation, basePath })
        continue
      }
      const why = added === 'taken' ? 'another path matches the same requests' : 'it cannot be matched'
      const message = `${method} ${basePath}${path} is left out: ${why}`
      report.warning('ambiguous-path', message, placeOf(node, 'key'))
    }
  }
  return {
    operations: [...new Set(places.map(({ operation }) => operation))],
    finder: make => {
      const targets = places.map(({ operation, basePath }) => make(operation, basePath))
      return (method, path) => {
        const found = table.find(method, path)
        return found && { target: targets[found.target]!, segments: found.segments, broken: found.broken }
      }
    },
    methodsOf: path => table.methodsOf(path),
    near: compileNear(places, path => table.methodsOf(path)),
  }
}
