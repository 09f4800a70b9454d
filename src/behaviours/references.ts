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

export const findReferences = (contract: Contract, resources: ReadonlyMap<string, Referable>): References =>
  new ReferenceFinder(contract, resources)

/** The meaning of the name of a field. */
interface NameMeaning {
  /** The words before the resource: an origin and a destination are two stations. */
  readonly role: string
  readonly to: Referable | undefined
  /** Whether the name is that of an id. */
  readonly isId: boolean
}

class ReferenceFinder implements References {
  readonly #contract: Contract
  readonly #byWord = new Map<string, Referable>()
  /** The fields of objects by the identity of their schema. */
  readonly #fields = new Map<string, Map<string, Refer>>()
  /** Every generated reply asks for these. */
  readonly #wholes = new Map<Node, Refer | undefined>()

  constructor(contract: Contract, resources: ReadonlyMap<string, Referable>) {
    this.#contract = contract
    for (const [name, resource] of resources)
      if (resource.seeds.length > 0) getOrMake(this.#byWord, wordFormOf(name), () => resource)
  }

  /** A function of its own, because replies are made without the finder. */
  readonly within = (node: Node): Refer | undefined => {
    if (!this.#wholes.has(node)) this.#wholes.set(node, this.#compile(node, UNNAMED, 0, 0))
    return this.#wholes.get(node)
  }

  fields(node: Node, depth = 0): ReadonlyMap<string, Refer> {
    const identity = this.#contract.identify(node)
    const known = this.#fields.get(identity)
    if (known !== undefined || this.#byWord.size === 0 || depth > DEEPEST) return known ?? new Map()
    const fields = new Map<string, Refer>()
    this.#fields.set(identity, fields) // an object within itself has no references there
    const roles: string[] = []
    for (const [name, part] of this.#contract.shapeOf(node).properties) {
      const meaning = this.#meaningOf(name)
      if (meaning.to !== undefined && !roles.includes(meaning.role)) roles.push(meaning.role)
      const refer = this.#compile(part, meaning, roles.indexOf(meaning.role), depth)
      if (refer !== undefined) fields.set(name, refer)
    }
    return fields
  }

  /** Finds the resource that the last words of a name mean: `origin station id`. */
  #meaningOf(name: string): NameMeaning {
    const spaced = spacedName(name)
    const [, beforeId] = ID.exec(spaced) ?? []
    const words = FOREIGN.test(spaced) ? [] : (beforeId ?? spaced).split(' ')
    const kindAt = (at: number) => this.#byWord.get(wordFormOf(words.slice(at).join('')))
    const at = words.findIndex((_, i) => kindAt(i) !== undefined)
    return { role: words.slice(0, at).join(' '), to: at === -1 ? undefined : kindAt(at), isId: beforeId !== undefined }
  }

  /** @param shift keeps the references of one object apart */
  #compile(node: Node, meaning: NameMeaning, shift: number, depth: number): Refer | undefined {
    const { properties, items } = this.#contract.shapeOf(node)
    const { to, isId } = meaning
    if (items !== undefined) {
      const isNested = this.#contract.shapeOf(items).items !== undefined
      const item = isNested ? undefined : this.#compile(items, meaning, shift, depth)
      return item && ((list, turn) => (Array.isArray(list) ? list.map((value, i) => item(value, turn + i)) : list))
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
    const inner = new Map(this.fields(node, depth + 1))
    if (inner.size === 0) return undefined
    return (object, turn) =>
      isObject(object) ? mapValues(object as JsonObject, (said, name) => inner.get(name)?.(said, turn) ?? said) : object
  }
}

const UNNAMED: NameMeaning = { role: '', to: undefined, isId: false }
