// Lets generated fields that refer to a record of another resource name one that exists: `authorId`, `origin_station_id`, `stationIds`,
// `station: { id }`.

import type { Contract } from '../contract/contract.ts'
import type { Node } from '../contract/documents.ts'
import { isObject, type Json, type JsonObject, mapValues } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { wordFormOf } from '../kernel/names.ts'
import { spacedName } from '../sample/strings.ts'
import { idIn } from '../world/records/values.ts'

/** A resource that fields may refer to. */
interface Referable {
  readonly idField: string
  readonly seeds: readonly JsonObject[]
}

/**
 * Returns a generated value with existing records in it. They may break the value's schema, as where the id has a pattern there.
 *
 * @param turn other records for another turn
 */
export type Refer = (value: Json, turn: number) => Json

export interface References {
  /** Returns a function for values of a schema; `undefined` where there are no references in them. */
  within(node: Node): Refer | undefined
  /** Returns functions for the fields of an object that have references. */
  fields(node: Node): ReadonlyMap<string, Refer>
}

/** A name of an id, or of ids: its words but the last. */
const ID = /^(.+) ids?$/
/** Words in the names of ids that another system gives. */
const FOREIGN = /\b(?:external|foreign|remote)\b/

/** No value is nested deeper, and a document may have longer chains of schemas than the stack. */
const DEEPEST = 48

/** Returns a value that takes the place of another one, unless they are of different kinds. */
const inPlaceOf = (said: Json, next: Json): Json => (jsonTypeOf(said) === jsonTypeOf(next) ? next : said)

const jsonTypeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

export function findReferences(contract: Contract, resources: ReadonlyMap<string, Referable>): References {
  const byWord = new Map<string, Referable>()
  for (const [name, one] of resources) if (one.seeds.length > 0) getOrMake(byWord, wordFormOf(name), () => one)
  const known = new Map<string, Map<string, Refer>>()

  const fields = (node: Node, depth = 0): Map<string, Refer> => {
    const identity = contract.identify(node)
    const before = known.get(identity)
    if (before !== undefined || byWord.size === 0 || depth > DEEPEST) return before ?? new Map()
    const found = new Map<string, Refer>()
    known.set(identity, found) // an object within itself has no references there
    // An origin and a destination are two stations.
    const roles: string[] = []
    for (const [name, part] of contract.shapeOf(node).properties) {
      const { role, to, isId } = readName(name)
      if (to !== undefined && !roles.includes(role)) roles.push(role)
      const refer = compile(part, to, isId, roles.indexOf(role), depth)
      if (refer !== undefined) found.set(name, refer)
    }
    return found
  }

  /** Finds the resource that the last words of a name mean: `origin station id`. The first ones are its role. */
  function readName(name: string) {
    const spaced = spacedName(name)
    const [, beforeId] = ID.exec(spaced) ?? []
    const words = FOREIGN.test(spaced) ? [] : (beforeId ?? spaced).split(' ')
    const kindAt = (at: number) => byWord.get(wordFormOf(words.slice(at).join('')))
    const at = words.findIndex((_, i) => kindAt(i) !== undefined)
    return { role: words.slice(0, at).join(' '), to: at === -1 ? undefined : kindAt(at), isId: beforeId !== undefined }
  }

  /**
   * @param to what the name of the value refers to
   * @param isId whether the name is that of an id
   * @param shift keeps the references of one object apart
   */
  function compile(
    node: Node,
    to: Referable | undefined,
    isId: boolean,
    shift: number,
    depth: number,
  ): Refer | undefined {
    const { properties, items } = contract.shapeOf(node)
    if (items !== undefined) {
      const isNested = contract.shapeOf(items).items !== undefined
      const item = isNested ? undefined : compile(items, to, isId, shift, depth)
      return item && ((list, turn) => (Array.isArray(list) ? list.map((one, i) => item(one, turn + i)) : list))
    }
    const existing = ({ seeds }: Referable, turn: number) => seeds[(turn + shift) % seeds.length] as JsonObject
    if (properties.size === 0) {
      return to && isId ? (said, turn) => inPlaceOf(said, idIn(to.idField, existing(to, turn)) as Json) : undefined
    }
    if (to !== undefined && !isId && properties.has(to.idField)) {
      return (object, turn) => {
        if (!isObject(object)) return object
        const record = existing(to, turn)
        return mapValues(object as JsonObject, (said, name) =>
          Object.hasOwn(record, name) ? inPlaceOf(said, record[name] as Json) : said,
        )
      }
    }
    const inner = new Map(fields(node, depth + 1))
    if (inner.size === 0) return undefined
    return (object, turn) =>
      isObject(object) ? mapValues(object as JsonObject, (said, name) => inner.get(name)?.(said, turn) ?? said) : object
  }

  // Every generated reply asks for these.
  const wholes = new Map<Node, Refer | undefined>()
  const within = (node: Node): Refer | undefined => {
    if (!wholes.has(node)) wholes.set(node, compile(node, undefined, false, 0, 0))
    return wholes.get(node)
  }
  return { fields: node => fields(node), within }
}
