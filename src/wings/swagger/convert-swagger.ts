// Converts Swagger 2.0 to OpenAPI 3.0. The only file that imports the converter. Prepares what the converter does not
// support: bodies that are spread over parameters, and the media types of single operations.

import { upgrade } from '@scalar/openapi-upgrader'
import {
  childOf,
  type Document,
  Documents,
  identityOf,
  isReference,
  itemsOf,
  membersOf,
  type Node,
  nameElsewhere,
  placeOf,
} from '../../contract/documents.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { isObject, pointer, put, unescapeKey } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { freeName } from '../../kernel/names.ts'

type SwaggerObject = Record<string, unknown>

const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

/** Text with a reference to another file. */
const TO_A_FILE = /\$ref["']?\s*:\s*["']?[^#"'\s]/

/** See `ConvertDocument`. */
export function convertSwagger(
  document: Document,
  home: string,
  report: Diagnostics,
  root?: string,
): Document | undefined {
  const { file, source } = document
  const { value } = source
  if (!isObject(value) || value.swagger === undefined || value.openapi !== undefined) return document
  const place = placeOf({ document, path: ['swagger'], value: value.swagger })
  if (!/^2(?:\.0)?(?:\.0)?$/.test(String(value.swagger))) {
    report.error('unsupported-version', `Swagger ${String(value.swagger)} is not supported`, place, '2.0')
    return undefined
  }
  const combined = TO_A_FILE.test(source.text) ? combine(new Documents(document, home, report, root)) : undefined
  try {
    const converted = upgrade(prepare(structuredClone(combined?.value ?? value)), '3.0') as unknown as SwaggerObject
    const derived =
      combined === undefined
        ? source.derive(converted, originOf)
        : source.combine(converted, path => {
            const { document, path: at } = combined.nodeOf(originOf(path))
            return { source: document.source, path: at }
          })
    return { file, source: derived, others: combined?.files }
  } catch {
    report.error('not-openapi', 'this Swagger document cannot be converted', place)
    return undefined
  }
}

/** Makes one document of several files, because the converter reads one: their schemas become definitions. */
function combine(documents: Documents) {
  const { root } = documents
  const definitions = new Map<string, Node>()
  /** The names of definitions that are in other files, by identity. */
  const names = new Map<string, string>()
  for (const [name, node] of membersOf(documents.within(root, 'definitions'))) {
    const target = documents.resolve(node)
    const isElsewhere = target !== undefined && target.document !== root.document
    if (isElsewhere) names.set(identityOf(target), name)
    definitions.set(name, isElsewhere ? target : node)
  }
  const nameOf = (node: Node): string =>
    getOrMake(names, identityOf(node), () => {
      const name = freeName(nameElsewhere(node) ?? String(node.path.at(-1)), definitions)
      definitions.set(name, node)
      return name
    })

  /** @param within the identities of the parts that contain this one */
  const copy = (node: Node, isSchema: boolean, within: readonly string[]): unknown => {
    if (isReference(node)) {
      if (node.document === root.document && node.value.$ref.startsWith('#')) return node.value
      const target = documents.follow(childOf(node, '$ref'), node.value.$ref)
      if (target === undefined) return {}
      if (target.document === root.document) return { $ref: `#${pointer(target.path)}` }
      if (isSchema) return { $ref: `#${pointer(['definitions', nameOf(target)])}` }
      const identity = identityOf(target)
      return within.includes(identity) ? {} : copy(target, isSchema, [...within, identity])
    }
    if (Array.isArray(node.value)) return itemsOf(node).map(item => copy(item, isSchema, within))
    const members = membersOf(node)
    if (members.length === 0) return node.value
    const copied = {}
    for (const [key, child] of members) put(copied, key, copy(child, isSchema || key === 'schema', within))
    return copied
  }

  const { definitions: _, ...rest } = root.value as SwaggerObject
  const value = copy({ ...root, value: rest }, false, []) as SwaggerObject
  const copies = {}
  for (const [name, node] of definitions) put(copies, name, copy(node, true, []))
  if (definitions.size > 0) value.definitions = copies

  /** Returns the node that a path of the combined document is from. */
  const nodeOf = (path: Path): Node => {
    const definition = path[0] === 'definitions' ? definitions.get(String(path[1])) : undefined
    const keys = definition === undefined ? path : path.slice(2)
    return keys.reduce<Node>((at, key) => {
      const child = childOf(at, key)
      const through = child.value === undefined && isReference(at) ? documents.resolve(at) : undefined
      return through === undefined ? child : childOf(through, key)
    }, definition ?? root)
  }
  return { value, nodeOf, files: documents.files }
}

function prepare(document: SwaggerObject): SwaggerObject {
  document.swagger = '2.0'
  for (const key of ['paths', 'definitions', 'parameters', 'responses', 'securityDefinitions']) {
    if (!isObject(document[key])) delete document[key]
  }
  for (const key of ['host', 'basePath']) if (typeof document[key] !== 'string') delete document[key]
  // Without a host the converter leaves them.
  if (document.host === undefined) delete document.schemes
  if (document.basePath !== undefined) document.basePath = `/${document.basePath}`.replace(/^\/\//, '/')
  const consumes = textsOf(document.consumes)
  const produces = textsOf(document.produces)
  delete document.consumes
  const { parameters: shared = {}, paths = {} } = document as Record<string, SwaggerObject | undefined>
  for (const item of Object.values(paths)) {
    if (!isObject(item)) continue
    const outer = parametersOf(item.parameters, shared)
    const spread = outer.filter(isBody)
    if (item.parameters !== undefined) item.parameters = outer.filter(one => !isBody(one))
    for (const verb of VERBS) {
      const operation = item[verb]
      if (!isObject(operation)) {
        delete item[verb]
        continue
      }
      const own = parametersOf(operation.parameters, shared)
      const all = own.some(isBody) ? own : [...own, ...structuredClone(spread)]
      operation.parameters = gatherForm(all, textsOf(operation.consumes) ?? consumes, operation)
      operation.produces = textsOf(operation.produces) ?? produces ?? ['application/json']
      const responses = isObject(operation.responses) ? operation.responses : {}
      for (const status of Object.keys(responses)) if (!isObject(responses[status])) delete responses[status]
    }
  }
  for (const [name, one] of Object.entries(shared)) {
    if (!isObject(one) || isBody(one) || !isSoundParameter(one)) delete shared[name]
  }
  // The converter prefers the document's media types to an operation's.
  if (produces !== undefined && document.responses === undefined) delete document.produces
  return document
}

const textsOf = (value: unknown): string[] | undefined => {
  const texts = Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
  return texts.length > 0 ? texts : undefined
}

const isBody = (one: SwaggerObject): boolean => one.in === 'body' || one.in === 'formData'
const isSoundParameter = (one: SwaggerObject): boolean =>
  typeof one.$ref === 'string' || (typeof one.in === 'string' && one.name !== undefined)

/** Returns the parameters of a list, with references to shared ones resolved. */
function parametersOf(list: unknown, shared: SwaggerObject): SwaggerObject[] {
  if (!Array.isArray(list)) return []
  return list.flatMap(entry => {
    if (!isObject(entry)) return []
    const [, part] = /^#\/parameters\/(.+)$/.exec(String(entry.$ref)) ?? []
    const target = part === undefined ? undefined : shared[unescapeKey(part)]
    const one = isObject(target) ? structuredClone(target) : entry
    return isSoundParameter(one) ? [one] : []
  })
}

/** Combines form fields to one body: an object with the fields as properties. */
function gatherForm(
  parameters: SwaggerObject[],
  consumes: string[] | undefined,
  operation: SwaggerObject,
): SwaggerObject[] {
  const fields = parameters.filter(one => one.in === 'formData')
  if (fields.length === 0) {
    operation.consumes = consumes ?? ['application/json']
    return parameters
  }
  const usual = fields.some(one => one.type === 'file') ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  const forms = consumes?.filter(type => /^(?:multipart\/|application\/x-www-form-urlencoded)/i.test(type)) ?? []
  operation.consumes = forms.length > 0 ? forms : [usual]
  const properties = fields.map(({ name, in: place, required, collectionFormat, allowEmptyValue, ...schema }) => [
    name,
    // Properties have no such keyword, so the empty text becomes an alternative.
    allowEmptyValue === true && schema.type !== 'file' ? { anyOf: [schema, { type: 'string', maxLength: 0 }] } : schema,
  ])
  const required = fields.filter(one => one.required === true).map(({ name }) => name)
  const isRequired = required.length > 0
  const schema = { type: 'object', properties: Object.fromEntries(properties), ...(isRequired ? { required } : {}) }
  const body = { in: 'body', name: 'body', required: isRequired, schema }
  return [...parameters.filter(one => one.in !== 'formData'), body]
}

const SECTIONS: Readonly<Record<string, string>> = {
  schemas: 'definitions',
  securitySchemes: 'securityDefinitions',
  responses: 'responses',
  parameters: 'parameters',
}

/** Returns the original path of a path in the converted document. */
function originOf(path: Path): Path {
  const [first, second, ...rest] = path
  if (first === 'openapi') return ['swagger']
  if (first === 'servers') return ['basePath']
  if (first === 'components') return [SECTIONS[String(second)] ?? 'swagger', ...rest]
  if (first !== 'paths') return path
  const body = path.indexOf('requestBody')
  if (body > 0) return [...path.slice(0, body), 'parameters']
  // In Swagger 2.0 the schema is in the place of the media types, and a parameter's keywords are in the parameter.
  const content = path.indexOf('content')
  if (content > 0) return path.toSpliced(content, 2)
  const schema = path.indexOf('schema')
  return schema > 0 && path.includes('parameters') ? path.toSpliced(schema, 1) : path
}
