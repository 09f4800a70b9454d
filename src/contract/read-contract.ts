// OpenAPI 3.0 and 3.1 documents in, a Contract out. What cannot be honoured is a diagnostic with a place, never silence.

import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { isObject, type Json, parsePointer } from '../kernel/json.ts'
import type {
  Contract,
  Example,
  Header,
  MediaType,
  Operation,
  RequestBody,
  ResponseSpec,
  SecurityScheme,
} from './contract.ts'
import { isJson } from './contract.ts'
import { SchemaBook, shapeOf } from './dialect.ts'
import { childOf, type Document, Documents, entriesOf, identityOf, itemsOf, type Node, placeOf } from './document.ts'
import { type Parameter, readParameter } from './parameters.ts'
import { expressionsOf, METHODS, type Method } from './paths.ts'

const ROOT_KEYS = [
  ...['openapi', 'info', 'jsonSchemaDialect', 'servers', 'paths', 'webhooks', 'components', 'security', 'tags'],
  'externalDocs',
]
const PATH_KEYS = ['$ref', 'summary', 'description', 'servers', 'parameters']
const OPERATION_KEYS = [
  ...['tags', 'summary', 'description', 'externalDocs', 'operationId', 'parameters', 'requestBody', 'responses'],
  ...['callbacks', 'deprecated', 'security', 'servers'],
]

/**
 * Reads the contract that begins in a document.
 *
 * @param home what file names in messages are relative to
 * @returns what could be read, even where there were errors; `undefined` where nothing could
 */
export function readContract(document: Document, home: string, report: Diagnostics): Contract | undefined {
  const documents = new Documents(document, home, report)
  const { root } = documents
  const version = childOf(root, 'openapi')
  if (!isObject(root.value)) {
    report.error('not-openapi', 'an OpenAPI document must be an object', placeOf(root))
    return undefined
  }
  if (root.value.swagger !== undefined) {
    const message = `Swagger ${String(root.value.swagger)} is not supported`
    report.error('unsupported-version', message, placeOf(childOf(root, 'swagger')), 'convert it to OpenAPI 3')
    return undefined
  }
  if (typeof version.value !== 'string') {
    const hint = 'the first line says which: openapi: 3.1.0'
    report.error('not-openapi', 'this is no OpenAPI 3 document: it has no "openapi" key', placeOf(root), hint)
    return undefined
  }
  if (!/^3\.[01]\.\d+/.test(version.value)) {
    report.error('unsupported-version', `OpenAPI ${version.value} is not supported`, placeOf(version), '3.0.x or 3.1.x')
    return undefined
  }
  const schemas = new SchemaBook(documents, version.value.startsWith('3.0'), report)
  const reader = new Reader(documents, schemas, report)
  reader.unknownKeys(root, ROOT_KEYS)
  const info = childOf(root, 'info')
  const contract: Contract = {
    title: reader.text(childOf(info, 'title')) ?? 'API',
    version: reader.text(childOf(info, 'version')) ?? '0',
    openapi: version.value,
    ...reader.servers(),
    securitySchemes: reader.securitySchemes(),
    operations: reader.operations(),
    schemas: new Map(
      entriesOf(childOf(root, 'components', 'schemas')).map(([name, node]) => [name, schemas.use(node)]),
    ),
    shapeOf: node => shapeOf(node, documents),
    identify: node => identityOf(documents.resolve(node) ?? node),
    files: documents.files,
  }
  schemas.compile()
  if (!report.failed) checkExamples(contract, report)
  return contract
}

// A relative URL is read against localhost.
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/

class Reader {
  readonly #documents: Documents
  readonly #schemas: SchemaBook
  readonly #report: Diagnostics
  readonly #root: Node

  constructor(documents: Documents, schemas: SchemaBook, report: Diagnostics) {
    this.#documents = documents
    this.#schemas = schemas
    this.#report = report
    this.#root = documents.root
  }

  text(node: Node): string | undefined {
    if (node.value === undefined || typeof node.value === 'string') return node.value
    if (typeof node.value === 'number') return String(node.value)
    this.#report.error('invalid-contract', `"${node.path.at(-1)}" must be text`, placeOf(node))
    return undefined
  }

  unknownKeys(node: Node, known: readonly string[]): void {
    for (const [key, child] of entriesOf(node)) {
      if (known.includes(key) || key.startsWith('x-')) continue
      const hint = suggest(key, known) ?? 'extensions begin with x-'
      this.#report.warning('unknown-key', `"${key}" means nothing here`, placeOf(child, 'key'), hint)
    }
  }

  servers(): { basePaths: string[]; hosts: string[] } {
    const urls = itemsOf(childOf(this.#root, 'servers')).flatMap(server => this.#serverUrl(server) ?? [])
    const paths = new Set(urls.map(({ pathname }) => decodeURI(pathname).replace(/\/+$/, '')))
    const hosts = new Set(urls.map(({ hostname }) => hostname).filter(host => !LOOPBACK.test(host)))
    return { basePaths: paths.size > 0 ? [...paths] : [''], hosts: [...hosts] }
  }

  /** A server's URL with every variable at its default (OpenAPI "Server Variable Object"). */
  #serverUrl(server: Node): URL | undefined {
    const url = childOf(server, 'url')
    if (typeof url.value !== 'string') {
      this.#report.error('invalid-server', 'a server needs a url', placeOf(server))
      return undefined
    }
    let whole = true
    const filled = url.value.replace(/\{([^{}]*)\}/g, (_, name: string) => {
      const fallback = childOf(server, 'variables', name, 'default')
      if (fallback.value !== undefined) return String(fallback.value)
      whole = false
      this.#report.error('invalid-server', `the server variable ${name} has no default`, placeOf(url))
      return ''
    })
    if (!whole) return undefined
    const parsed = URL.canParse(filled, 'http://localhost/') ? new URL(filled, 'http://localhost/') : undefined
    if (parsed === undefined) {
      this.#report.error('invalid-server', `"${filled}" is not a URL`, placeOf(url))
      return undefined
    }
    return parsed
  }

  securitySchemes(): Map<string, SecurityScheme> {
    const schemes = new Map<string, SecurityScheme>()
    for (const [name, entry] of entriesOf(childOf(this.#root, 'components', 'securitySchemes'))) {
      const node = this.#documents.resolve(entry)
      if (node === undefined) continue
      const scheme = this.#securityScheme(name, node)
      if (scheme !== undefined) schemes.set(name, scheme)
    }
    return schemes
  }

  #securityScheme(name: string, node: Node): SecurityScheme | undefined {
    const value = isObject(node.value) ? node.value : {}
    const scheme = typeof value.scheme === 'string' ? value.scheme.toLowerCase() : undefined
    if (value.type === 'http' && (scheme === 'bearer' || scheme === 'basic')) return { type: 'http', scheme }
    if (value.type === 'apiKey') {
      const { in: location, name: key } = value
      if ((location === 'header' || location === 'query' || location === 'cookie') && typeof key === 'string') {
        return { type: 'apiKey', in: location, name: location === 'header' ? key.toLowerCase() : key }
      }
      this.#report.error(
        'invalid-security-scheme',
        `the apiKey scheme ${name} needs "name" and "in"`,
        placeOf(node, 'key'),
      )
      return undefined
    }
    const hint = 'http with bearer or basic, or apiKey'
    this.#report.error(
      'unsupported-security',
      `the security scheme ${name} is not supported`,
      placeOf(node, 'key'),
      hint,
    )
    return undefined
  }

  operations(): Operation[] {
    const operations: Operation[] = []
    const paths = childOf(this.#root, 'paths')
    if (!isObject(paths.value)) {
      this.#report.error('invalid-contract', 'the contract has no paths', placeOf(paths, 'key'))
      return []
    }
    const ids = new Map<string, Operation>()
    for (const [path, entry] of entriesOf(paths)) {
      if (path.startsWith('x-')) continue
      const item = this.#documents.resolve(entry)
      if (item === undefined) continue
      if (!path.startsWith('/')) {
        this.#report.error('invalid-path', `a path must begin with a slash: "${path}"`, placeOf(entry, 'key'))
        continue
      }
      const shared = this.#parameters(childOf(item, 'parameters'))
      this.unknownKeys(item, [...PATH_KEYS, ...METHODS.map(method => method.toLowerCase())])
      for (const method of METHODS) {
        const node = childOf(item, method.toLowerCase())
        if (node.value === undefined) continue
        const operation = this.#operation(method, path, node, shared)
        if (operation === undefined) continue
        const twin = ids.get(operation.id)
        if (twin !== undefined) {
          const message = `the operationId ${operation.id} is taken by ${twin.method} ${twin.path}`
          this.#report.error('duplicate-operation-id', message, placeOf(childOf(node, 'operationId')))
        }
        ids.set(operation.id, operation)
        operations.push(operation)
      }
    }
    return operations
  }

  #operation(method: Method, path: string, node: Node, shared: readonly Parameter[]): Operation | undefined {
    if (!isObject(node.value)) {
      this.#report.error('invalid-contract', 'an operation must be an object', placeOf(node))
      return undefined
    }
    this.unknownKeys(node, OPERATION_KEYS)
    const own = this.#parameters(childOf(node, 'parameters'))
    const overridden = (one: Parameter) => own.some(({ name, in: where }) => name === one.name && where === one.in)
    const parameters = [...shared.filter(one => !overridden(one)), ...own]
    this.#checkPathParameters(path, parameters, node)
    const stability = childOf(node, 'x-stability')
    return {
      id: this.text(childOf(node, 'operationId')) ?? `${method} ${path}`,
      method,
      path,
      tags: itemsOf(childOf(node, 'tags')).map(({ value }) => String(value)),
      summary: this.text(childOf(node, 'summary')),
      deprecated: node.value.deprecated === true,
      stability: this.text(stability),
      parameters,
      body: this.#requestBody(childOf(node, 'requestBody')),
      responses: this.#responses(node),
      security: this.#security(node),
      node,
    }
  }

  #parameters(list: Node): Parameter[] {
    return itemsOf(list).flatMap(entry => {
      const node = this.#documents.resolve(entry)
      const parameter = node && readParameter(node, this.#schemas, this.#report)
      return parameter === undefined ? [] : [parameter]
    })
  }

  #checkPathParameters(path: string, parameters: readonly Parameter[], node: Node): void {
    const names = expressionsOf(path)
    for (const name of names) {
      if (parameters.some(one => one.in === 'path' && one.name === name)) continue
      const hint = 'a parameter with in: path'
      this.#report.error(
        'undeclared-path-parameter',
        `{${name}} of ${path} is not declared`,
        placeOf(node, 'key'),
        hint,
      )
    }
    for (const one of parameters) {
      if (one.in !== 'path' || names.includes(one.name)) continue
      const message = `the path ${path} has no {${one.name}}`
      this.#report.error('undeclared-path-parameter', message, placeOf(one.node), suggest(one.name, names))
    }
  }

  #requestBody(entry: Node): RequestBody | undefined {
    const node = entry.value === undefined ? undefined : this.#documents.resolve(entry)
    if (node === undefined || !isObject(node.value)) return undefined
    const content = this.#content(childOf(node, 'content'))
    for (const [type, media] of content) {
      if (isJson(type)) continue
      const place = placeOf(childOf(node, 'content', type), 'key')
      if (media.schema !== undefined)
        this.#report.error('unsupported-body', `bodies of ${type} are not supported`, place)
    }
    return { required: node.value.required === true, content }
  }

  #responses(operation: Node): Map<string, ResponseSpec> {
    const responses = new Map<string, ResponseSpec>()
    for (const [status, entry] of entriesOf(childOf(operation, 'responses'))) {
      if (status.startsWith('x-')) continue
      if (!/^(?:[1-5](?:\d\d|XX)|default)$/i.test(status)) {
        const hint = '200, 4XX or default'
        this.#report.error('invalid-status', `"${status}" is not a status`, placeOf(entry, 'key'), hint)
        continue
      }
      const node = this.#documents.resolve(entry)
      if (node === undefined) continue
      const description = this.text(childOf(node, 'description')) ?? ''
      const key = status === 'default' ? status : status.toUpperCase()
      const headers = this.#headers(childOf(node, 'headers'))
      responses.set(key, { description, content: this.#content(childOf(node, 'content')), headers, node })
    }
    return responses
  }

  #headers(list: Node): Header[] {
    return entriesOf(list).flatMap(([name, entry]) => {
      const node = this.#documents.resolve(entry)
      // The content type is the media type's to say (OpenAPI "Response Object": it shall be ignored).
      if (node === undefined || !isObject(node.value) || name.toLowerCase() === 'content-type') return []
      const { required, explode } = node.value
      const [content = this.#mediaType(node)] = this.#content(childOf(node, 'content')).values()
      return [{ name, required: required === true, explode: explode === true, ...content }]
    })
  }

  #content(node: Node): Map<string, MediaType> {
    return new Map(entriesOf(node).map(([type, media]) => [type.toLowerCase(), this.#mediaType(media)]))
  }

  /** What a media type has in common with a header: a schema and examples. */
  #mediaType(node: Node): MediaType {
    const schema = childOf(node, 'schema')
    const example = childOf(node, 'example')
    const examples: Example[] =
      example.value === undefined ? [] : [{ name: undefined, value: example.value as Json, node: example }]
    for (const [name, entry] of entriesOf(childOf(node, 'examples'))) {
      const target = this.#documents.resolve(entry)
      const value = target && childOf(target, 'value')
      if (value?.value !== undefined) examples.push({ name, value: value.value as Json, node: value })
    }
    return { schema: schema.value === undefined ? undefined : this.#schemas.use(schema), examples }
  }

  #security(operation: Node): string[][] {
    const own = childOf(operation, 'security')
    const list = own.value === undefined ? childOf(this.#root, 'security') : own
    const declared = childOf(this.#root, 'components', 'securitySchemes')
    return itemsOf(list).map(alternative =>
      entriesOf(alternative).map(([name, node]) => {
        if (childOf(declared, name).value === undefined) {
          const hint = suggest(
            name,
            entriesOf(declared).map(([known]) => known),
          )
          this.#report.error(
            'unknown-security-scheme',
            `there is no security scheme "${name}"`,
            placeOf(node, 'key'),
            hint,
          )
        }
        return name
      }),
    )
  }
}

/** A stand-in must not lie about its own contract: every example is held to its schema. */
function checkExamples(contract: Contract, report: Diagnostics): void {
  const contents = contract.operations.flatMap(({ body, responses }) => [
    ...(body === undefined ? [] : [body.content]),
    ...[...responses.values()].map(({ content }) => content),
  ])
  for (const [type, { schema, examples }] of contents.flatMap(content => [...content])) {
    if (schema === undefined || !isJson(type)) continue
    for (const { value, node } of examples) {
      for (const { pointer: at, message } of schema.check(value, true) ?? []) {
        report.error(
          'invalid-example',
          `this example breaks its schema: ${at || 'it'} ${message}`,
          placeOf(childOf(node, ...(parsePointer(at) ?? []))),
        )
      }
    }
  }
}
