// Links generated records: a field `authorId` gets the id of an existing author.

import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { idIn } from '../../world/collection.ts'
import { wordFormOf } from './paths.ts'

/** The generated records of a resource, and the roles of their fields. */
export interface LinkedSeeds {
  readonly records: readonly JsonObject[]
  readonly schema: SchemaUse | undefined
  readonly idField: string
  /** Fields with the ids of owners in the path. They are not changed. */
  readonly owned: ReadonlySet<string>
}

/** Returns the records of every resource, with the ids of existing records in the fields that are named for them. */
export function linkSeeds(all: ReadonlyMap<string, LinkedSeeds>): ReadonlyMap<string, readonly JsonObject[]> {
  const linked = new Map<string, readonly JsonObject[]>()
  const byWord = new Map<string, LinkedSeeds>()
  for (const [name, seeds] of all) {
    const word = wordFormOf(name)
    if (!byWord.has(word)) byWord.set(word, seeds)
  }
  for (const [name, { records, schema, idField, owned }] of all) {
    const targets = [...(schema?.shape.properties.keys() ?? [])].flatMap(field => {
      const target = field === idField || owned.has(field) ? undefined : targetOf(field, byWord)
      return target === undefined ? [] : [[field, target] as const]
    })
    linked.set(
      name,
      targets.length === 0 ? records : records.map((record, i) => linkRecord(record, i, targets, schema)),
    )
  }
  return linked
}

/** Returns the ids that a field such as `authorId` or `author_id` may have; `undefined` where no resource has that name. */
function targetOf(field: string, byWord: ReadonlyMap<string, LinkedSeeds>): readonly Json[] | undefined {
  const word = /^(.*[a-z0-9])(?:_id|Id|ID)$/.exec(field)?.[1]
  const found = word === undefined ? undefined : byWord.get(wordFormOf(word))
  if (found === undefined || found.records.length === 0) return undefined
  return found.records.map(record => idIn(found.idField, record) as Json)
}

/** Returns the record with another id in each of its fields, as far as the schema allows. */
function linkRecord(
  record: JsonObject,
  number: number,
  targets: readonly (readonly [field: string, ids: readonly Json[]])[],
  schema: SchemaUse | undefined,
): JsonObject {
  let current = record
  for (const [field, ids] of targets) {
    const before = record[field]
    if (before === undefined || before === null || ids.includes(before as Json)) continue
    const next = { ...current, [field]: ids[number % ids.length] as Json }
    if (schema?.check(next, true) === undefined) current = next
  }
  return current
}
