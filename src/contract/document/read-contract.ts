// Reads OpenAPI documents into a `Contract`. A mistake is a warning with a place if the rest can still be served; it is an
// error if the file is not an API description at all.

import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { isObject } from '../../kernel/json.ts'
import { freeName } from '../../kernel/names.ts'
import type { Contract } from '../contract.ts'
import { childOf, type Document, identityOf, membersOf, type Node, nameElsewhere, placeOf } from '../documents.ts'
import { branchesOf } from '../schema/discriminator.ts'
import type { SchemaUse } from '../schema/schema-book.ts'
import { shapeOf } from '../schema/shape.ts'
import { readSecuritySchemes } from '../security.ts'
import { normalise, readOperations, readOperationsOf, readServers } from './read-operations.ts'
import { ContractReading } from './reading.ts'

const ROOT_KEYS = new Set(
  'openapi info jsonSchemaDialect servers paths webhooks components security tags externalDocs $self'.split(' '),
)

export interface ReadOptions {
  /** The base path, which overrides those of the servers. */
  readonly basePath?: string | undefined
  /** A folder that its files may be in, besides its own and the working directory. */
  readonly root?: string | undefined
  /** Whether clients send certificates, so that `mutualTLS` can be checked. */
  readonly knowsClients?: boolean | undefined
  /** Whether every schema is compiled and every example checked. Unset: only if there are not too many. */
  readonly thorough?: boolean | undefined
  readonly examiners?: readonly ExamineContract[] | undefined
  readonly converters?: readonly ConvertDocument[] | undefined
}

/**
 * Returns a document of another kind as an OpenAPI document, and any other document as it is. Returns `undefined` after reporting why
 * that is impossible.
 *
 * @param home the folder that file names in messages are relative to
 */
export type ConvertDocument = (
  document: Document,
  home: string,
  report: Diagnostics,
  root?: string,
) => Document | undefined

/** Warns of what is doubtful in a contract. @param thorough whether that may take long */
export type ExamineContract = (contract: Contract, reading: ContractReading, thorough: boolean) => void

/** The maximum number of schemas of a contract that is examined thoroughly before serving. */
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
  const { converters = [], examiners = [] } = options
  let document: Document | undefined = given
  for (const convert of converters) document = document && convert(document, home, report, options.root)
  if (document === undefined) return undefined
  const reading = new ContractReading(document, home, report, options.root)
  const { root, schemas } = reading
  const fail: Fail = (code, message, node, hint) => {
    report.error(code, message, placeOf(node), hint)
  }
  const openapi = versionOf(root, fail)
  if (openapi === undefined) return undefined
  if (!/^3\.[012]\.\d+$/.test(openapi)) {
    const read = openapi.startsWith('3.0') || openapi === '3' ? '3.0' : openapi.startsWith('3.1') ? '3.1' : '3.2'
    const message = `the version ${openapi} is read as ${read}`
    reading.warn('odd-version', message, childOf(root, 'openapi'), 'value', 'write three numbers in quotes: "3.1.0"')
  }
  reading.unknownKeys(root, ROOT_KEYS)
  const info = childOf(root, 'info')
  if (!isObject(info.value)) reading.warn('missing-info', 'the contract has no info', root)
  const servers = readServers(childOf(root, 'servers'), reading) ?? { basePaths: [''], hosts: [] }
  const only = options.basePath === undefined ? undefined : [normalise(`/${options.basePath}`)]
  const named = namedSchemas(reading)
  const operations = readOperations(reading, servers.basePaths)
  if (operations.length === 0 && reading.outside !== undefined) {
    const message =
      'no operation is left to serve: the files of the contract are outside its folder and the working directory'
    return fail('outside-file', message, reading.outside.from, reading.outside.hint)
  }
  nameOthers(named, reading)
  tellFormats(reading)
  const contract: Contract = {
    title: reading.text(childOf(info, 'title')) || 'API',
    version: reading.text(childOf(info, 'version')) || '0',
    openapi,
    basePaths: only ?? servers.basePaths,
    hosts: servers.hosts,
    securitySchemes: readSecuritySchemes(reading, options.knowsClients),
    operations: only === undefined ? operations : operations.map(one => ({ ...one, basePaths: only })),
    schemas: named,
    shapeOf: node => shapeOf(node, reading),
    branchesOf: (node, union, property) => branchesOf(node, union, property, reading),
    identify: identifying(reading),
    resolve: node => reading.resolve(node) ?? node,
    at: pointer => reading.at(pointer),
    use: (node, side) => schemas.use(node, side),
    pathItem: node => readOperationsOf(node, reading),
    walking: work => schemas.walking(work),
    files: reading.files,
  }
  const thorough = options.thorough ?? schemas.size <= THOROUGH_UP_TO
  if (thorough) schemas.compile()
  for (const examine of examiners) examine(contract, reading, thorough)
  return contract
}

const namedSchemas = (reading: ContractReading): Map<string, SchemaUse> =>
  new Map(
    membersOf(reading.within(reading.root, 'components', 'schemas')).map(([name, node]) => [
      name,
      reading.schemas.use(node),
    ]),
  )

type Fail = (code: string, message: string, node: Node, hint?: string) => undefined

/** Returns the version of OpenAPI that a document has, or reports why it cannot be read. */
function versionOf(root: Node, fail: Fail): string | undefined {
  const version = childOf(root, 'openapi')
  const openapi = typeof version.value === 'number' ? String(version.value) : version.value
  if (!isObject(root.value)) return fail('not-openapi', 'an OpenAPI document must be an object', root)
  if (typeof openapi !== 'string') {
    const message = 'this is not an OpenAPI document: it has no "openapi" key'
    return fail('not-openapi', message, root, 'begin it with openapi: 3.1.0')
  }
  if (!/^3(?:\.\d+)*/.test(openapi.trim())) {
    const hint = '2.0, 3.0.x, 3.1.x or 3.2.x; a file is named by contract:'
    return fail('unsupported-version', `OpenAPI ${openapi} is not supported`, version, hint)
  }
  return openapi
}

/** Warns of all unknown formats at once: a document may have dozens. */
function tellFormats(reading: ContractReading): void {
  const { unknownFormats: formats } = reading.schemas
  const [first, ...others] = formats.values()
  if (first === undefined) return
  const names = [...formats.keys()].map(format => `"${format}"`).join(', ')
  const message =
    others.length === 0
      ? `unknown format ${names}; values are not checked against it`
      : `unknown formats ${names}; values are not checked against them`
  reading.warn('unknown-format', message, first)
}

/** Names the schemas in other files that references lead to. A component of the contract itself has its name already. */
function nameOthers(named: Map<string, SchemaUse>, reading: ContractReading): void {
  const { schemas } = reading
  const known = new Set([...named.values()].map(({ node }) => resolvedIdentity(node, reading)))
  for (const node of schemas.elsewhere.values()) {
    const name = nameElsewhere(node)
    if (name === undefined || known.has(resolvedIdentity(node, reading))) continue
    const free = freeName(name, named)
    named.set(free, schemas.use(node))
    if (free === name) continue
    const message = `several files have a schema "${name}"; this one is named "${free}"`
    reading.warn(
      'duplicate-schema',
      message,
      node,
      'key',
      'name its file otherwise, or list both in components.schemas',
    )
  }
}

/** The identity of a node, or of the target of its reference. */
const resolvedIdentity = (node: Node, reading: ContractReading): string => identityOf(reading.resolve(node) ?? node)

/** Inference reads the same nodes a hundred times, so the text is made once for each value. */
function identifying(reading: ContractReading): Contract['identify'] {
  const known = new WeakMap<object, string>()
  return node => {
    const key = typeof node.value === 'object' && node.value !== null ? node.value : undefined
    const identity = (key && known.get(key)) ?? resolvedIdentity(node, reading)
    if (key !== undefined) known.set(key, identity)
    return identity
  }
}
