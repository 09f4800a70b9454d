// Reads OpenAPI documents into a `Contract`. A mistake is a warning with a place if the rest can still be served; it is an
// error if the file is not an API description at all.

import { relative } from 'node:path'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { isObject } from '../../kernel/json.ts'
import type { Contract } from '../contract.ts'
import { childOf, type Document, Documents, entriesOf, identityOf, nodeAt, placeOf } from '../documents.ts'
import { SchemaBook, type SchemaUse } from '../schema/schema-book.ts'
import { shapeOf } from '../schema/shape.ts'
import { checkExamples } from './check-examples.ts'
import { checkSamples } from './check-samples.ts'
import { foreignFile } from './foreign-file.ts'
import { readOperations } from './read-operations.ts'
import { readSecuritySchemes } from './read-security.ts'
import { normalise, readServers } from './read-servers.ts'
import { ContractReading } from './reading.ts'
import { convertSwagger } from './swagger.ts'

const ROOT_KEYS = new Set([
  ...['openapi', 'info', 'jsonSchemaDialect', 'servers', 'paths', 'webhooks', 'components', 'security', 'tags'],
  ...['externalDocs', '$self'],
])

export interface ReadOptions {
  /** The base path, which overrides those of the servers. */
  readonly basePath?: string | undefined
  /** Whether clients send certificates, so that `mutualTLS` can be checked. */
  readonly knowsClients?: boolean | undefined
  /** Whether every schema is compiled and every example checked. Unset: only if there are not too many. */
  readonly thorough?: boolean | undefined
}

/** The maximum number of schemas that are compiled and whose examples are checked before serving. */
const THOROUGH_UP_TO = 400

/**
 * Reads the contract that begins in a document.
 *
 * @param home the folder that file names in messages are relative to
 * @returns the readable part, even with errors; `undefined` if nothing is readable
 */
export function readContract(
  given: Document,
  home: string,
  report: Diagnostics,
  options: ReadOptions = {},
): Contract | undefined {
  const document = convertSwagger(given, report)
  if (document === undefined) return undefined
  const documents = new Documents(document, home, report)
  const { root } = documents
  const version = childOf(root, 'openapi')
  if (!isObject(root.value)) {
    report.error('not-openapi', 'an OpenAPI document must be an object', placeOf(root))
    return undefined
  }
  const openapi = typeof version.value === 'number' ? String(version.value) : version.value
  const foreign = foreignFile(root.value, relative(home, given.file))
  if (foreign !== undefined) {
    report.error('foreign-file', `this is ${foreign.kind}, not an OpenAPI document`, placeOf(root), foreign.hint)
    return undefined
  }
  if (typeof openapi !== 'string') {
    const message = 'this is not an OpenAPI document: it has no "openapi" key'
    report.error('not-openapi', message, placeOf(root), 'begin it with openapi: 3.1.0')
    return undefined
  }
  if (!/^3(?:\.\d+)*/.test(openapi.trim())) {
    const hint = '2.0, 3.0.x, 3.1.x or 3.2.x'
    report.error('unsupported-version', `OpenAPI ${openapi} is not supported`, placeOf(version), hint)
    return undefined
  }
  if (!/^3\.[012]\.\d+$/.test(openapi)) {
    const read = openapi.startsWith('3.0') || openapi === '3' ? '3.0' : openapi.startsWith('3.1') ? '3.1' : '3.2'
    const message = `the version ${openapi} is read as ${read}`
    report.warning('odd-version', message, placeOf(version), 'write three numbers in quotes: "3.1.0"')
  }
  const legacy = /^3(?:\.0|$)/.test(openapi.trim())
  const schemas = new SchemaBook(documents)
  const reading = new ContractReading(documents, schemas, legacy, report)
  reading.unknownKeys(root, ROOT_KEYS)
  const info = childOf(root, 'info')
  if (!isObject(info.value)) reading.warn('missing-info', 'the contract has no info', root)
  const servers = readServers(childOf(root, 'servers'), reading) ?? { basePaths: [''], hosts: [] }
  const only = options.basePath === undefined ? undefined : [normalise(`/${options.basePath}`)]
  const named = new Map<string, SchemaUse>()
  for (const [name, node] of entriesOf(childOf(root, 'components', 'schemas'))) {
    schemas.translate(node)
    named.set(name, schemas.use(node))
  }
  const operations = readOperations(root, servers.basePaths, reading)
  const contract: Contract = {
    title: reading.text(childOf(info, 'title')) || 'API',
    version: reading.text(childOf(info, 'version')) || '0',
    openapi,
    basePaths: only ?? servers.basePaths,
    hosts: servers.hosts,
    securitySchemes: readSecuritySchemes(root, reading, options.knowsClients),
    operations: only === undefined ? operations : operations.map(one => ({ ...one, basePaths: only })),
    schemas: named,
    shapeOf: node => shapeOf(node, documents),
    identify: identifying(documents),
    resolve: node => documents.resolve(node) ?? node,
    at: pointer => nodeAt(root, pointer),
    use: node => schemas.use(node),
    walking: work => schemas.walking(work),
    files: documents.files,
  }
  if (options.thorough ?? schemas.size <= THOROUGH_UP_TO) {
    schemas.compile()
    checkExamples(contract, reading)
    checkSamples(contract, reading)
  }
  return contract
}

/** Inference reads the same nodes a hundred times, so the text is made once for each value. */
function identifying(documents: Documents): Contract['identify'] {
  const known = new WeakMap<object, string>()
  return node => {
    const { value } = node
    const isKept = typeof value === 'object' && value !== null
    let identity = isKept ? known.get(value) : undefined
    if (identity === undefined) {
      identity = identityOf(documents.resolve(node) ?? node)
      if (isKept) known.set(value, identity)
    }
    return identity
  }
}
