// The project that an import writes: a contract, a gateway.yaml, fixtures and files, as a person would have written them.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeYaml } from '../../kernel/file/yaml-tree.ts'
import { isObject, type Json, type JsonObject, mapValues, memberAt, put, stringifyJson } from '../../kernel/json.ts'
import { freeName, singular } from '../../kernel/names.ts'
import {
  type Imported,
  type ImportedCase,
  ImportedFile,
  type ImportedRecords,
  type ImportedRoute,
  operationIdOf,
  pascal,
} from './imported.ts'
import {
  collectionOf,
  recordsShown,
  type ShownRecords,
  schemaOfReplies,
  schemaOfValues,
  unsavedReply,
} from './schema-of.ts'

/** The files of a project by their names in its folder. */
export type ProjectFiles = ReadonlyMap<string, string | Uint8Array>

/** A body that is no JSON is refused. */
const INVALID = { description: 'The request is not valid' }

const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH'])

/** Makes the files of a project. */
export function projectOf(imported: Imported): ProjectFiles {
  const files = new Map<string, string | Uint8Array>()
  const paths: Record<string, Record<string, Json>> = {}
  const operations: Record<string, Json> = {}
  const ids = new Map<string, true>()
  const add: AddOperation = (method, path, operation, settings, name = operationIdOf(method, path)) => {
    const id = freeName(name, ids)
    ids.set(id, true)
    paths[path] ??= {}
    ;(paths[path] as Record<string, Json>)[method.toLowerCase()] = { operationId: id, ...operation } as Json
    if (Object.keys(settings).length > 0) put(operations, id, settings as Json)
  }
  const schemas: Record<string, Json> = {}
  const resources: Record<string, Json> = {}
  for (const one of imported.records) addRecords(one, { add, schemas, resources, files })
  const shown = imported.hasExamples ? recordsShown(imported.routes) : new Map<string, ShownRecords>()
  for (const { name, values } of shown.values()) put(schemas, name, schemaOfValues(values))
  for (const route of imported.routes) {
    const { method, path } = route
    const settings = imported.hasExamples ? {} : settingsOfRoute(route, files)
    const records = imported.hasExamples && { name: shown.get(collectionOf(path))?.name }
    add(method, path, contractOf(route, records || undefined), settings, exampleIdOf(route))
  }
  const components = {
    ...(Object.keys(schemas).length > 0 ? { schemas } : {}),
    ...(imported.schemes === undefined ? {} : { securitySchemes: imported.schemes }),
  }
  const contract = {
    openapi: '3.1.0',
    info: { title: imported.title, version: '1' },
    paths,
    ...(Object.keys(components).length > 0 ? { components } : {}),
  }
  const gateway = {
    contract: './openapi.yaml',
    ...imported.settings,
    ...(Object.keys(resources).length > 0 ? { resources } : {}),
    ...(Object.keys(operations).length > 0 ? { operations } : {}),
  }
  files.set('openapi.yaml', writeYaml(contract as Json))
  files.set('gateway.yaml', writeYaml(gateway as Json))
  return files
}

/** Names an operation as its request is called, if that is some words. */
function exampleIdOf({ summary = '', method, path }: ImportedRoute): string {
  const [first = '', ...others] = summary.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const isName = others.length > 0 && others.length < 5 && /^[a-z]+$/i.test(first)
  return isName ? operationIdOf(first, others.join(' ')) : operationIdOf(method, path)
}

/** A parameter with the values that were given for it. */
function parameterNamed(place: string, name: string, values: readonly string[]): JsonObject {
  const given = values.filter(value => value !== '')
  const isInteger = given.length > 0 && given.every(value => /^(?:0|[1-9]\d{0,14})$/.test(value))
  return {
    ...{ name, in: place, ...(place === 'path' ? { required: true } : {}) },
    // A bound is compared as a number.
    schema: { type: isInteger ? 'integer' : /_[gl]te$/.test(name) ? 'number' : 'string' },
    ...(given.length > 0 ? { example: (isInteger ? Number(given[0]) : given[0]) as Json } : {}),
  }
}

/** The parameters of a path and a query. @param shown their values by place and name */
const parametersIn = (path: string, query: Iterable<string>, shown: ReadonlyMap<string, string[]> = new Map()) => {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => `path ${name}`)
  const keys = [...new Set([...names, ...[...query].map(name => `query ${name}`), ...shown.keys()])]
  const parameters = keys.map(key => {
    const [place = '', name = ''] = key.split(/ (.*)/s)
    return parameterNamed(place, name, shown.get(key) ?? [])
  })
  return parameters.length > 0 ? { parameters } : {}
}

/** The names of the query that the expressions of a route use. */
function queryOf({ cases }: ImportedRoute): ReadonlySet<string> {
  const texts = cases.flatMap(({ when, headers, body }) => [
    ...when,
    ...Object.values(headers),
    body === undefined || body instanceof ImportedFile ? '' : stringifyJson(body).replaceAll('\\"', '"'),
  ])
  const names = texts.flatMap(text => [...text.matchAll(/request\.query(?:\.(\w+)|\["([^"]*)"\])/g)])
  return new Set(names.map(([, word, quoted]) => (word ?? quoted) as string))
}

/** The responses of an operation by their status. @param schemaOf returns the schema of what some cases answer */
export function responsesOf(
  cases: readonly ImportedCase[],
  schemaOf: (own: readonly ImportedCase[]) => JsonObject = bodySchema,
): Record<string, JsonObject> {
  const responses: Record<string, JsonObject> = {}
  const statuses = [...new Set(cases.map(({ status }) => status))].sort()
  for (const status of statuses) {
    const own = cases.filter(one => one.status === status)
    const types = [...new Set(own.flatMap(({ type }) => (type === undefined ? [] : [type])))]
    const content = types.map(type => [type, { schema: schemaOf(own.filter(one => one.type === type)) }] as const)
    responses[status] = {
      description: own.find(({ name }) => name !== '')?.name ?? 'As imported',
      ...(content.length > 0 ? { content: Object.fromEntries(content) } : {}),
    }
  }
  return responses
}

/** @param records the name of the schema of the records that the cases show; unset if the cases are no examples */
function contractOf(route: ImportedRoute, records: { readonly name: string | undefined } | undefined): JsonObject {
  const { method, path, tag, summary, description, cases, shown } = route
  const responses: Record<string, JsonObject> =
    cases.length === 0
      ? unsavedReply(route, records?.name)
      : responsesOf(cases, own => (records ? schemaOfReplies(own, records.name) : bodySchema(own)))
  const isRead = cases.some(({ when }) => when.some(one => one.includes('request.body')))
  const bodies = new Map(shown.bodies)
  if (records !== undefined) {
    for (const { name, status, type = '', body } of cases) {
      const media = memberAt(responses, [`${status}`, 'content', type]) as { examples?: JsonObject } | undefined
      if (media !== undefined) media.examples = { ...media.examples, [name]: { value: body as Json } }
    }
  } else {
    if (cases.every(({ when, settings }) => when.length > 0 || settings?.times !== undefined))
      responses[404] ??= { description: 'No case fits the request' }
    if (BODY_METHODS.has(method) || isRead) {
      responses[400] ??= INVALID
      bodies.set('application/json', []).set('*/*', [])
    }
  }
  const content = mapValues(Object.fromEntries(bodies), all => {
    // One request shows fields that others may leave out.
    const { required, ...schema } = schemaOfValues(all)
    return all.length === 0 ? {} : { schema, example: all[0] as Json }
  })
  return {
    ...(summary ? { summary } : {}),
    ...(description ? { description } : {}),
    ...(tag === undefined ? {} : { tags: [tag] }),
    ...(shown.security.size > 0 ? { security: [...shown.security].map(name => ({ [name]: [] })) } : {}),
    ...parametersIn(path, queryOf(route), shown.parameters),
    ...(bodies.size > 0 ? { requestBody: { content } } : {}),
    responses,
  } as JsonObject
}

/** The schema of bodies: none where one has templates, whose values are not known. */
function bodySchema(cases: readonly ImportedCase[]): JsonObject {
  const bodies = cases.flatMap(({ body }) => (body === undefined || body instanceof ImportedFile ? [] : [body]))
  if (bodies.length === 0 || bodies.some(hasTemplate)) return {}
  return schemaOfValues(bodies)
}

function hasTemplate(value: Json): boolean {
  if (typeof value === 'string') return value.includes('${')
  if (Array.isArray(value)) return value.some(hasTemplate)
  return isObject(value) && Object.values(value as JsonObject).some(hasTemplate)
}

/** The rules of a route, and its reply where none applies. */
export function settingsOfRoute({ cases }: ImportedRoute, files: Map<string, string | Uint8Array>): JsonObject {
  const rules: Json[] = []
  for (const one of cases) {
    const settings = settingsOfCase(one, files)
    if (one.when.length === 0 && one.settings?.times === undefined) {
      return { ...settings, ...(rules.length > 0 ? { rules } : {}) }
    }
    rules.push({ ...(one.when.length > 0 ? { when: allOfThem(one.when) } : {}), ...settings })
  }
  return { respond: { status: 404 }, rules }
}

const allOfThem = (conditions: readonly string[]): string =>
  conditions.length === 1
    ? (conditions[0] as string)
    : conditions.map(one => (one.includes('||') || one.includes('?') ? `(${one})` : one)).join(' && ')

function settingsOfCase(
  { status, headers, type, body, settings }: ImportedCase,
  files: Map<string, string | Uint8Array>,
): JsonObject {
  const all = type === undefined ? headers : { 'content-type': type, ...headers }
  const withHeaders = Object.keys(headers).length > 0 || body === undefined ? { headers } : {}
  if (body instanceof ImportedFile) {
    const name = `files/${body.name}`
    files.set(name, body.bytes)
    return { respond: { file: `./${name}`, headers: all }, ...settings }
  }
  const isPlainJson = type === 'application/json'
  const given = isPlainJson ? withHeaders : { headers: all }
  const shown = Object.keys(given.headers ?? {}).length > 0 ? given : {}
  return { respond: { status, ...shown, ...(body === undefined ? {} : { body }) } as JsonObject, ...settings }
}

/** A value with one of the right type in place of each template. */
function withoutTemplates(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutTemplates)
  if (isObject(value)) return mapValues(value as JsonObject, withoutTemplates)
  if (typeof value !== 'string' || !value.includes('${')) return value
  if (value.startsWith('${int(')) return 1
  if (value.includes('< 0.5}')) return true
  return value === '${uuid()}' ? '5f0c2a34-7d0b-4a52-8a5e-0d8f5e6b7c91' : value.replace(/\$\{[^}]*\}/g, 'text')
}

/** Adds an operation to the contract, with its settings. @param id its name, unless another has it */
type AddOperation = (method: string, path: string, operation: object, settings: object, id?: string) => void

interface Parts {
  readonly add: AddOperation
  readonly schemas: Record<string, Json>
  readonly resources: Record<string, Json>
  readonly files: Map<string, string | Uint8Array>
}

/** The method of each action on records, and the word that begins the name of its operation. */
const ACTIONS_OF_RECORDS: Readonly<Record<string, readonly [method: string, word: string]>> = {
  ...{ list: ['GET', 'list'], create: ['POST', 'create'], read: ['GET', 'get'] },
  ...{ replace: ['PUT', 'replace'], update: ['PATCH', 'update'], delete: ['DELETE', 'delete'] },
}

/** Adds a collection with the operations on it. */
function addRecords(
  { name, path, tag, idField, records: given, isMade, list, query, owners = [] }: ImportedRecords,
  { add, schemas, resources, files }: Parts,
): void {
  const isOne = idField === ''
  const records = isMade ? given.map(record => withoutTemplates(record) as JsonObject) : given
  const word = isOne ? name : singular(name)
  const schema = pascal(word)
  const { properties = {}, ...rest } = schemaOfValues(records) as { properties?: Record<string, Json> }
  const $ref = `#/components/schemas/${schema}`
  const { [idField]: idSchema = {}, ...fields } = properties
  const operate = (at: string, respond: JsonObject, id = schema) => {
    const [action = ''] = Object.keys(respond)
    const [method, verb] = ACTIONS_OF_RECORDS[action] as readonly [string, string]
    const shown = { 'application/json': { schema: action === 'list' ? { type: 'array', items: { $ref } } : { $ref } } }
    const isWritten = BODY_METHODS.has(method)
    const content = action === 'update' ? { ...shown, 'application/merge-patch+json': {} } : shown
    const own = { name: idField, in: 'path', required: true, schema: idSchema as Json }
    const isItem = at === `${path}/{${idField}}`
    const description = action === 'delete' ? 'It is deleted' : action === 'list' ? `All of ${name}` : `The ${word}`
    const operation = {
      ...(tag === undefined ? {} : { tags: [tag] }),
      ...(isItem ? { parameters: [own] } : parametersIn(at, action === 'list' ? query : [])),
      ...(isWritten ? { requestBody: { required: true, content } } : {}),
      responses: {
        [action === 'create' ? 201 : 200]: { description, ...(action === 'delete' ? {} : { content: shown }) },
        ...(isWritten ? { 400: INVALID } : {}),
        ...(isItem ? { 404: { description: 'No such record' } } : {}),
      },
    }
    add(method, at, operation, { respond }, `${verb}${id}`)
  }
  if (isOne) {
    // Its id is in no reply.
    const id = { field: '{id}', added: true }
    put(schemas, schema, { type: 'object', properties })
    put(resources, name, { schema, id, seed: records.map(one => ({ '{id}': 'only', ...one })), unknownFields: 'keep' })
    for (const action of ['read', 'replace', 'update']) operate(path, { [action]: name, id: 'only' })
    return
  }
  put(schemas, schema, {
    ...rest,
    required: [idField],
    properties: { [idField]: { ...(idSchema as object), readOnly: true }, ...fields },
  } as Json)
  put(resources, name, {
    schema,
    ...(idField === 'id' ? {} : { id: { field: idField } }),
    seed: isMade ? { generate: records.length } : `./fixtures/${name}.yaml`,
    unknownFields: 'keep',
  })
  if (!isMade) files.set(`fixtures/${name}.yaml`, writeYaml(records))
  const plural = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  operate(path, { list: name, ...list }, plural)
  operate(path, { create: name })
  for (const { resource, field } of owners) {
    const at = `/${resource}/{id}/${name}`
    const within = { parameter: 'id', field, resource }
    const suffix = `Of${pascal(singular(resource))}`
    operate(at, { list: name, within, ...list }, plural + suffix)
    operate(at, { create: name, within }, schema + suffix)
  }
  for (const action of ['read', 'replace', 'update', 'delete']) operate(`${path}/{${idField}}`, { [action]: name })
}

/** The folder exists and is not empty. */
export class ProjectExists extends Error {
  override readonly name = 'ProjectExists'
}

/** Writes a project to a folder, whole or not at all. Throws a `ProjectExists`. */
export function writeProject(folder: string, files: ProjectFiles, force: boolean): void {
  if (!force && existsSync(folder) && readdirSync(folder).length > 0) throw new ProjectExists(folder)
  for (const [name, content] of files) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}
