// The operations, tags and consumers that a configuration names.

import type { Contract, Operation } from '../contract/contract.ts'
import { type Diagnostics, nearest, type Place, suggest } from '../kernel/diagnostic.ts'
import { MOST_SHOWN } from '../kernel/report.ts'

/** Finds the operations and tags that a configuration names. */
export class ContractNames {
  readonly #operations: ReadonlyMap<string, Operation>
  readonly #ids: readonly string[]
  readonly #tags: ReadonlySet<string>

  constructor({ operations }: Contract) {
    this.#operations = new Map(
      operations.flatMap(one => [[one.id, one] as const, [`${one.method} ${one.path}`, one] as const]),
    )
    this.#ids = operations.map(({ id }) => id)
    this.#tags = new Set(operations.flatMap(({ tags }) => tags))
  }

  /** Finds an operation by its id, or by its method and path template; reports that there is none. */
  operation(name: string, place: Place, report: Diagnostics): Operation | undefined {
    const found = this.#operations.get(name)
    if (found !== undefined) return found
    reportUnknownName('operation', `the contract has no operation "${name}"`, place, report, () => {
      const names = [...this.#operations.keys()]
      const near = nearest(name, names) ?? names.find(one => one.endsWith(` ${name}`))
      return near === undefined ? suggest(name, this.#ids) : `did you mean "${near}"?`
    })
    return undefined
  }

  checkTag(tag: string, place: Place, report: Diagnostics): void {
    if (this.#tags.has(tag)) return
    reportUnknownName('tag', `no operation has the tag "${tag}"`, place, report, () => suggest(tag, this.#tags))
  }
}

/** Reports a consumer that the configuration does not have. */
export function checkConsumer(name: string, consumers: readonly string[], place: Place, report: Diagnostics): void {
  if (consumers.includes(name)) return
  reportUnknownName('consumer', `there is no consumer "${name}"`, place, report, () => suggest(name, consumers))
}

/** Looks for a hint while mistakes are shown: comparing a name with many others takes long. */
const reportUnknownName = (
  what: string,
  message: string,
  place: Place,
  report: Diagnostics,
  look: () => string | undefined,
): void => report.error(`unknown-${what}`, message, place, report.count('error') < MOST_SHOWN ? look() : undefined)
