// The operations that do something with the records of a resource. They are found for all resources at once, because a
// large document has hundreds of resources and a thousand operations.

import type { RespondConfig } from '../../behaviours/respond/index.ts'
import type { Contract, Operation } from '../../contract/contract.ts'
import { isObject } from '../../kernel/json.ts'
import type { SimulationFile } from '../../plan/simulation-file.ts'

const ACTIONS = ['list', 'create', 'read', 'update', 'replace', 'delete'] as const

type Action = (typeof ACTIONS)[number]

/** The actions that name a record by the last parameter of their path. */
const NAMING: readonly Action[] = ['read', 'update', 'replace', 'delete']

interface RespondingOperation {
  readonly operation: Operation
  readonly respond: RespondConfig
}

export class ResourceOperations {
  readonly #byResource = new Map<unknown, RespondingOperation[]>()

  constructor({ operations: all }: Contract, operations: NonNullable<SimulationFile['operations']>) {
    for (const operation of all) {
      const { id, method, path } = operation
      const respond = (operations[id] ?? operations[`${method} ${path}`])?.respond
      if (!isObject(respond)) continue
      for (const name of new Set(ACTIONS.map(action => respond[action]))) {
        if (name === undefined) continue
        const known = this.#byResource.get(name)
        if (known === undefined) this.#byResource.set(name, [{ operation, respond }])
        else known.push({ operation, respond })
      }
    }
  }

  /** The operations that name a record of a resource by the last parameter of their path. */
  naming(name: string): Operation[] {
    return this.#on(name, NAMING)
  }

  creating(name: string): Operation[] {
    return this.#on(name, ['create'])
  }

  /** The `respond` blocks of the operations on a resource. */
  responders(name: string): RespondConfig[] {
    return (this.#byResource.get(name) ?? []).map(({ respond }) => respond)
  }

  #on(name: string, actions: readonly Action[]): Operation[] {
    return (this.#byResource.get(name) ?? [])
      .filter(({ respond }) => actions.some(action => respond[action] === name))
      .map(({ operation }) => operation)
  }
}
