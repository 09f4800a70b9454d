// The records of a real server as its replies show them: those in its lists, and those that this run made.

import { withinsOf } from '../../behaviours/respond/config.ts'
import type { Operation } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { respondBlock } from '../../load/seed/seed.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { isIdOf } from '../infer/records.ts'
import type { GivenParameters } from '../probe/probe.ts'
import { type ObservedReply, valueOfBody } from '../project/differences.ts'

/** A record that was made. */
export interface MadeRecord {
  readonly operation: Operation
  readonly id: Json | undefined
  readonly given: GivenParameters
}

/** Values for the path parameters of an operation. */
export interface PathValues {
  readonly given: GivenParameters
  /** Why a value is missing. */
  readonly lacking?: string | undefined
}

/** The path template that a path parameter's values are listed at: `/shelves/{shelf}/books` for `{book}` after it. */
const listOfParameter = (path: string, name: string): string => path.slice(0, path.indexOf(`/{${name}}`))

const isItemOf = (path: string, list: string): boolean =>
  path.startsWith(`${list}/{`) && path.indexOf('/', list.length + 1) === -1

export class ServerRecords {
  readonly #plan: Plan
  /** The items of each list, by its path template. */
  readonly #listed = new Map<string, readonly Json[]>()
  readonly #made: MadeRecord[] = []

  constructor(plan: Plan) {
    this.#plan = plan
  }

  /** The records that were made and not deleted, the last one first. */
  get left(): readonly MadeRecord[] {
    return this.#made.toReversed()
  }

  addList(path: string, items: readonly Json[]): void {
    this.#listed.set(path, items)
  }

  /** Returns values from lists for a read. */
  forRead(operation: Operation): PathValues {
    const given = new Map<string, Json>()
    let lacking: string | undefined
    for (const name of expressionsOf(operation.path)) {
      const [item] = this.#listed.get(listOfParameter(operation.path, name)) ?? []
      const id = this.#idOf(item, name, operation)
      if (id === undefined) lacking ??= `no list has a value for {${name}}`
      else given.set(name, id)
    }
    return { given, lacking }
  }

  /** Returns values for a write: the record must have been made by this run; its owners may be listed. */
  forWrite(operation: Operation): PathValues {
    const { path, method } = operation
    const owners = this.forRead({ ...operation, path: path.slice(0, path.lastIndexOf('/{')) })
    const name = expressionsOf(path).at(-1)
    if (name === undefined)
      return { ...owners, lacking: method === 'POST' ? undefined : 'it changes something that was there before' }
    const made = this.#made.findLast(record => record.operation.path === listOfParameter(path, name))
    if (made?.id !== undefined) return { given: new Map([...made.given, [name, made.id]]) }
    return { ...owners, lacking: owners.lacking ?? 'no record was made that it could change' }
  }

  /** Notes a record that a successful reply shows to be made, or deleted. */
  note(operation: Operation, given: GivenParameters, reply: ObservedReply): void {
    const { method, path } = operation
    if (method === 'DELETE') {
      const at = this.#made.findLastIndex(made => isItemOf(path, made.operation.path))
      if (at !== -1) this.#made.splice(at, 1)
    }
    if (method !== 'POST' || path.endsWith('}')) return
    const item = this.#plan.operations.find(planned => isItemOf(planned.operation.path, path))?.operation
    const located = reply.headers.location?.split('?')[0]?.split('/').filter(Boolean).at(-1)
    const id = item && this.#idOf(valueOfBody(reply), expressionsOf(item.path).at(-1) as string, item)
    if (item !== undefined || reply.status === 201) this.#made.push({ operation, id: id ?? located, given })
  }

  /** Returns the operation that deletes a record, with its path values; `undefined` without such an operation or the id. */
  deletionOf({ operation, id, given }: MadeRecord): (PathValues & { readonly planned: PlannedOperation }) | undefined {
    const planned = this.#plan.operations.find(
      ({ operation: { method, path } }) => method === 'DELETE' && isItemOf(path, operation.path),
    )
    if (planned === undefined || id === undefined) return undefined
    return { planned, given: new Map([...given, [expressionsOf(planned.operation.path).at(-1) as string, id]]) }
  }

  /** Returns the id of an item of a list, by the parameter that it is a value of. */
  #idOf(item: Json | undefined, parameter: string, operation: Operation): Json | undefined {
    if (!isObject(item)) return typeof item === 'string' || typeof item === 'number' ? item : undefined
    const { file, resources } = this.#plan.simulation
    const respond = respondBlock(operation, file)
    const names = [...Object.values(respond ?? {}), ...withinsOf(respond?.within).map(({ resource }) => resource)]
    const known = names.flatMap(name => resources.get(String(name))?.idField ?? [])
    const like = Object.keys(item).filter(name => isIdOf(name, parameter))
    const field = [parameter, ...known, ...like].find(name => Object.hasOwn(item, name))
    return field === undefined ? undefined : (item[field] as Json)
  }
}
