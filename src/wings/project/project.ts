// The project that an import writes: a contract, a gateway.yaml, fixtures and files, as a person would have written them.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Place } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { writeYaml } from '../../kernel/file/write-yaml.ts'
import { type Json, type JsonObject, mapValues, put } from '../../kernel/json.ts'
import { singular } from '../../kernel/names.ts'
import {
  BODY_METHODS,
  createContract,
  INVALID,
  MISSING,
  nameOperation,
  operationFor,
  parametersIn,
  withoutEmpty,
} from './described.ts'
import {
  addFixture,
  allOf,
  type Imported,
  type ImportedCase,
  ImportedFile,
  type ImportedRecords,
  type ImportedRoute,
  isUsual,
  pascal,
  withType,
} from './imported.ts'
import { partialOf, schemaOfValues, withoutTemplates } from './schema-of.ts'

/** The files of a project by their names in its folder. */
export type ProjectFiles = ReadonlyMap<string, string | Uint8Array>

/** A part of a project, with its source in the import. */
export interface ProjectPart {
  readonly file: 'gateway.yaml' | 'openapi.yaml'
  readonly path: Path
  readonly place: Place | undefined
  /** The name of a setting, or a case, a route or records of the import. */
  readonly of: string | ImportedCase | ImportedRoute | ImportedRecords
}

export interface Project {
  readonly files: ProjectFiles
  readonly parts: readonly ProjectPart[]
}

/** Makes the files of a project. */
export function projectOf(imported: Imported): Project {
  const parts: ProjectPart[] = []
  const files = new Map<string, string | Uint8Array>()
  const operations: Record<string, Json> = {}
  const resources: Record<string, Json> = {}
  const contract = createContract()
  const add: AddOperation = (method, path, operation, settings, name) => {
    const id = contract.add(method, path, operation, name)
    put(operations, id, settings as Json)
    return id
  }
  const note = (of: ProjectPart['of'], place: Place | undefined, file: ProjectPart['file'], ...path: Path) =>
    parts.push({ of, place, file, path })
  for (const one of imported.records) {
    const addNoted: AddOperation = (method, path, ...rest) => {
      note(one, one.place, 'openapi.yaml', 'paths', path, method.toLowerCase())
      const id = add(method, path, ...rest)
      note(one, one.place, 'gateway.yaml', 'operations', id)
      return id
    }
    note(one, one.place, 'gateway.yaml', 'resources', one.name)
    addRecords(one, { add: addNoted, schemas: contract.schemas, resources, files })
  }
  if (imported.hasExamples) contract.addExamples(imported.routes)
  else {
    for (const given of imported.routes) {
      const route = withBodies(given)
      const { method, path, cases } = given
      const id = add(method, path, operationFor(route), settingsOfRoute(route, files), nameOperation(route))
      const place = cases[0]?.place ?? given.place
      note(given, place, 'openapi.yaml', 'paths', path, method.toLowerCase())
      const usual = cases.find(isUsual)
      note(usual ?? given, usual?.place ?? place, 'gateway.yaml', 'operations', id)
      for (const [i, one] of cases.entries()) {
        if (!isUsual(one)) note(one, one.place, 'gateway.yaml', 'operations', id, 'rules', i)
      }
    }
  }
  for (const name of Object.keys(imported.settings)) note(name, undefined, 'gateway.yaml', name)
  const settings = { ...imported.settings, resources, operations: withoutEmpty(operations) }
  const gateway = withoutEmpty<Json>({ contract: './openapi.yaml', ...settings })
  files.set('openapi.yaml', writeYaml(contract.write(imported)))
  files.set('gateway.yaml', writeYaml(gateway))
  return { files, parts }
}

/** An import without some of its parts. */
export const withoutParts = (imported: Imported, parts: ReadonlySet<ProjectPart['of']>): Imported => ({
  ...imported,
  settings: Object.fromEntries(Object.entries(imported.settings).filter(([name]) => !parts.has(name))),
  records: imported.records.filter(one => !parts.has(one)),
  routes: imported.routes
    .filter(one => !parts.has(one))
    .map(route => ({ ...route, cases: route.cases.filter(one => !parts.has(one)) }))
    .filter(({ cases }) => cases.length > 0),
})

/** A route whose empty replies have a text, where others with their status have a body: a contract cannot say that some have none. */
function withBodies(route: ImportedRoute): ImportedRoute {
  const typed = new Set(route.cases.map(({ type, status }) => type && status))
  const isBare = ({ type, status, settings }: ImportedCase) => !type && typed.has(status) && !settings?.respond
  return { ...route, cases: route.cases.map(one => (isBare(one) ? { ...one, type: 'text/plain', body: '' } : one)) }
}

/** The rules of a route, and its reply where none applies. */
export function settingsOfRoute({ cases }: ImportedRoute, files: Map<string, string | Uint8Array>): JsonObject {
  const rules: Json[] = []
  // JSON need not be named where the route has no other type.
  const isPlainJson = cases.every(({ type = 'application/json' }) => type === 'application/json')
  for (const one of cases) {
    const settings = settingsOfCase(one, files, isPlainJson)
    if (isUsual(one)) {
      return { ...settings, ...(rules.length > 0 ? { rules } : {}) }
    }
    rules.push({ ...(one.when.length > 0 ? { when: allOf(one.when) } : {}), ...settings })
  }
  return { respond: { status: 404 }, rules }
}

function settingsOfCase(
  { status, headers, type, body, settings }: ImportedCase,
  files: Map<string, string | Uint8Array>,
  isPlainJson: boolean,
): JsonObject {
  const all = withType(headers, type)
  if (body instanceof ImportedFile) {
    const name = `files/${body.name}`
    files.set(name, body.bytes)
    return { respond: { file: `./${name}`, headers: all }, ...settings }
  }
  const shown = withoutEmpty({ headers: isPlainJson ? headers : all })
  return { respond: { status, ...shown, ...(body === undefined ? {} : { body }) } as JsonObject, ...settings }
}

/** Adds an operation to the contract, with its settings, and returns its id. @param id its name, unless another has it */
type AddOperation = (method: string, path: string, operation: object, settings: object, id: string) => string

interface Parts {
  readonly add: AddOperation
  readonly schemas: Record<string, Json>
  readonly resources: Record<string, Json>
  readonly files: Map<string, string | Uint8Array>
}

const METHOD_OF: Readonly<Record<string, string>> = {
  list: 'GET',
  create: 'POST',
  read: 'GET',
  replace: 'PUT',
  update: 'PATCH',
  delete: 'DELETE',
}

/** Adds a collection with the operations on it. */
function addRecords(imported: ImportedRecords, parts: Parts): void {
  const {
    name,
    path,
    idField,
    records: given,
    isMade,
    references = {},
    takesIds,
    isPosted = false,
    owners = [],
  } = imported
  const { schemas, resources } = parts
  const isOne = idField === ''
  const records = isMade ? given.map(record => withoutTemplates(record) as JsonObject) : given
  const schema = pascal(isOne ? name : singular(name))
  const seen = schemaOfValues([...records, mapValues(references, () => null)])
  const { type, properties = {} } = seen as { type: Json; properties?: Record<string, Json> }
  const { [idField]: shownId = {}, ...fields } = properties
  // An id that a client gives may have another form.
  const idSchema: Json = takesIds ? { type: (shownId as JsonObject).type as Json } : shownId
  const collection: Described = { imported, schema, idSchema, partial: isOne ? seen : { ...seen, properties: fields } }
  if (isOne) {
    put(schemas, schema, { type: 'object', properties })
    put(resources, name, { schema, seed: records.map(one => ({ '{id}': 1, ...one })), unknownFields: 'keep' })
    for (const action of ['read', 'replace', 'update']) addAction(collection, path, { [action]: name, id: 1 }, parts)
    if (isPosted) addAction(collection, path, { replace: name, id: 1 }, parts, { method: 'POST' })
    return
  }
  put(schemas, schema, {
    type,
    ...(takesIds ? {} : { required: [idField] }),
    properties: { [idField]: { ...(idSchema as object), ...(takesIds ? {} : { readOnly: true }) }, ...fields },
  } as Json)
  put(resources, name, resourceOf(imported, records, schema, parts))
  for (const owner of [undefined, ...owners]) {
    const at = owner === undefined ? path : `/${owner.resource}/{id}/${name}`
    const within = owner && { within: { parameter: 'id', ...owner } }
    const suffix = owner === undefined ? '' : `Of${pascal(singular(owner.resource))}`
    const listed = name.charAt(0).toUpperCase() + name.slice(1) + suffix
    addAction(collection, at, { list: name, ...within }, parts, { id: listed })
    addAction(collection, at, { create: name, ...within }, parts, { id: schema + suffix })
  }
  for (const action of ['read', 'replace', 'update', 'delete'])
    addAction(collection, `${path}/{${idField}}`, { [action]: name }, parts)
}

/** Returns the settings of a collection, whose records are a file of the project unless they are to be generated. */
function resourceOf(
  { name, idField, isMade, references = {}, takesIds }: ImportedRecords,
  records: readonly JsonObject[],
  schema: string,
  { files }: Parts,
): JsonObject {
  const id: JsonObject = takesIds
    ? { id: { field: idField, assign: 'client', change: 'ignore' } }
    : idField === 'id'
      ? {}
      : { id: { field: idField } }
  return {
    schema,
    ...id,
    seed: isMade ? { generate: records.length } : `./${addFixture(files, name, records)}`,
    ...withoutEmpty({ references }),
    unknownFields: 'keep',
    ...(records.length < 90_000 ? {} : { maxRecords: 2 * records.length }),
  }
}

/** A collection with what is known of its schema. */
interface Described {
  readonly imported: ImportedRecords
  /** The name of the schema of its records. */
  readonly schema: string
  readonly idSchema: Json
  /** The schema of a change. */
  readonly partial: JsonObject
}

/** Adds an operation on a collection. @param given its name behind the action, and its method; default: those of the action */
function addAction(
  { imported, schema, idSchema, partial }: Described,
  at: string,
  respond: JsonObject,
  { add }: Parts,
  given: { readonly id?: string; readonly method?: string } = {},
): void {
  const { name, path, tag, idField, pages, respond: keys = {}, query = {} } = imported
  const [action = ''] = Object.keys(respond)
  const { id = schema, method = METHOD_OF[action] ?? '' } = given
  const $ref = `#/components/schemas/${schema}`
  const items = { type: 'array', items: { $ref } }
  const isBare = action === 'delete' && keys.delete !== undefined
  const shown = { 'application/json': { schema: action !== 'list' ? (isBare ? {} : { $ref }) : pages ? {} : items } }
  const isWritten = BODY_METHODS.has(method)
  const patches = { 'application/json': { schema: partialOf(partial) }, 'application/merge-patch+json': {} }
  const content = action === 'update' ? patches : shown
  const own = { name: idField, in: 'path', required: true, schema: idSchema }
  const isItem = at === `${path}/{${idField}}`
  const word = idField === '' ? name : singular(name)
  const description = action === 'delete' ? 'It is deleted' : action === 'list' ? `All of ${name}` : `The ${word}`
  const operation = {
    ...(tag !== undefined && { tags: [tag] }),
    parameters: [...(isItem ? [own] : (parametersIn(at).parameters ?? [])), ...(query[action] ?? [])],
    ...(isWritten ? { requestBody: { required: true, content } } : {}),
    responses: {
      [method === 'POST' ? 201 : 200]: { description, content: shown },
      ...(isWritten ? { 400: INVALID } : {}),
      ...(isItem ? { 404: MISSING } : {}),
    },
  }
  const settings = { respond: { ...respond, ...keys[action] } }
  const rules = pages && action === 'list' && [{ when: pages.when, respond: { ...respond, ...pages.respond } }]
  add(method, at, operation, { ...settings, ...(rules && { rules }) }, `${action === 'read' ? 'get' : action}${id}`)
}

/** Writes the files of a project to a folder. */
export function writeProject(folder: string, files: ProjectFiles): void {
  for (const [name, content] of files) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}
