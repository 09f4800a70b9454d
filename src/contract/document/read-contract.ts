// Reads OpenAPI documents into a `Contract`. A mistake is a warning with a place if the rest can still be served; it is an
// error if the file is not an API description at all.

import { relative } from 'node:path'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { isObject } from '../../kernel/json.ts'
import type { Contract } from '../contract.ts'
import { childOf, type Document, identityOf, membersOf, nodeAt, placeOf } from '../documents.ts'
import { shapeOf } from '../schema/shape.ts'
import { readSecuritySchemes } from '../security.ts'
import { checkExamples, checkSamples } from './checks.ts'
import { readOperations } from './read-operations.ts'
import { normalise, readServers } from './read-servers.ts'
import { ContractReading } from './reading.ts'
import { convertSwagger } from './swagger.ts'

const ROOT_KEYS = new Set([
  ...['openapi', 'info', 'jsonSchemaDialect', 'servers', 'paths', 'webhooks', 'components', 'security', 'tags'],
  ...['externalDocs', '$self'],
])

interface ReadOptions {
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
  const reading = new ContractReading(document, home, report)
  const { root, schemas } = reading
  const version = childOf(root, 'openapi')
  const openapi = typeof version.value === 'number' ? String(version.value) : version.value
  if (!isObject(root.value)) {
    report.error('not-openapi', 'an OpenAPI document must be an object', placeOf(root))
    return undefined
  }
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
    reading.warn('odd-version', message, version, 'value', 'write three numbers in quotes: "3.1.0"')
  }
  reading.unknownKeys(root, ROOT_KEYS)
  const info = childOf(root, 'info')
  if (!isObject(info.value)) reading.warn('missing-info', 'the contract has no info', root)
  const servers = readServers(childOf(root, 'servers'), reading) ?? { basePaths: [''], hosts: [] }
  const only = options.basePath === undefined ? undefined : [normalise(`/${options.basePath}`)]
  const named = membersOf(childOf(root, 'components', 'schemas')).map(
    ([name, node]) => [name, schemas.use(node)] as const,
  )
  const operations = readOperations(reading, servers.basePaths)
  const contract: Contract = {
    title: reading.text(childOf(info, 'title')) || 'API',
    version: reading.text(childOf(info, 'version')) || '0',
    openapi,
    basePaths: only ?? servers.basePaths,
    hosts: servers.hosts,
    securitySchemes: readSecuritySchemes(reading, options.knowsClients),
    operations: only === undefined ? operations : operations.map(one => ({ ...one, basePaths: only })),
    schemas: new Map(named),
    shapeOf: node => shapeOf(node, reading),
    identify: identifying(reading),
    resolve: node => reading.resolve(node) ?? node,
    at: pointer => nodeAt(root, pointer),
    use: node => schemas.use(node),
    walking: work => schemas.walking(work),
    files: reading.files,
  }
  if (options.thorough ?? schemas.size <= THOROUGH_UP_TO) {
    schemas.compile()
    checkExamples(contract, reading)
    checkSamples(contract, reading)
  }
  return contract
}

/** Inference reads the same nodes a hundred times, so the text is made once for each value. */
function identifying(reading: ContractReading): Contract['identify'] {
  const known = new WeakMap<object, string>()
  return node => {
    const key = typeof node.value === 'object' && node.value !== null ? node.value : undefined
    const identity = (key && known.get(key)) ?? identityOf(reading.resolve(node) ?? node)
    if (key !== undefined) known.set(key, identity)
    return identity
  }
}

type ForeignValue = Readonly<Record<string, unknown>>

const CONVERT = 'make an OpenAPI document of it: npx'

/** The files of other tools, and how to convert each. */
const FOREIGN: readonly (readonly [kind: string, is: (value: ForeignValue) => boolean, hint: string])[] = [
  [
    'a Postman collection',
    ({ info, item, collection }) =>
      (isObject(info) && ('_postman_id' in info || String(info.schema).includes('postman') || Array.isArray(item))) ||
      (isObject(collection) && Array.isArray(collection.item)),
    `${CONVERT} -p postman-to-openapi@3 p2o FILE -f openapi.yaml`,
  ],
  [
    'a HAR recording',
    ({ log }) => isObject(log) && Array.isArray(log.entries),
    `${CONVERT} har-to-openapi@3 FILE --output openapi.yaml`,
  ],
  [
    'a Mockoon environment',
    ({ routes, lastMigration, endpointPrefix, uuid }) =>
      Array.isArray(routes) && [lastMigration, endpointPrefix, uuid].some(mark => mark !== undefined),
    `${CONVERT} @mockoon/cli export --input FILE --output openapi.json`,
  ],
  [
    'a file of WireMock stubs',
    ({ mappings, request, response }) =>
      (Array.isArray(mappings) && mappings.some(one => isObject(one) && 'request' in one)) ||
      (isObject(request) &&
        isObject(response) &&
        ['url', 'urlPath', 'urlPattern', 'urlPathPattern', 'method'].some(key => key in request)),
    'write its paths and bodies as an OpenAPI document (WireMock Cloud exports one), and the reply of each stub under operations: respond',
  ],
  [
    'an Insomnia export',
    ({ _type, __export_format, type }) =>
      (_type === 'export' && __export_format !== undefined) || String(type).startsWith('collection.insomnia'),
    'export its design document as OpenAPI, or write one for its requests',
  ],
  [
    'an AsyncAPI document',
    ({ asyncapi }) => asyncapi !== undefined,
    'the mock speaks HTTP: it needs an OpenAPI document',
  ],
]

/** Recognises the file of another tool, such as `a Postman collection`; `file` is its name, for the hint. */
export function foreignFile(value: unknown, file: string): { kind: string; hint: string } | undefined {
  if (!isObject(value) || 'openapi' in value || 'swagger' in value || 'contract' in value) return undefined
  const found = FOREIGN.find(([, is]) => is(value))
  if (found === undefined) return undefined
  const [kind, , hint] = found
  return { kind, hint: hint.replace('FILE', () => (/^[\w./-]+$/.test(file) ? file : `'${file}'`)) }
}
