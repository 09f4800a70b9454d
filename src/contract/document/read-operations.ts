// Reads operations from paths (OpenAPI "Paths Object", "Path Item Object", "Operation Object"), and their servers. An
// operation that cannot be served is reported and left out; the rest of the document stays.

import { suggest } from '../../kernel/diagnostic.ts'
import { isObject } from '../../kernel/json.ts'
import type { Operation } from '../contract.ts'
import { childOf, isGiven, isReference, itemsOf, membersOf, type Node } from '../documents.ts'
import { expressionsOf, METHODS, type Method, safeDecode } from '../paths.ts'
import { readSecurity } from '../security.ts'
import { type Parameter, readParameter } from './parameters.ts'
import { readRequestBody, readResponses } from './read-content.ts'
import type { ContractReading } from './reading.ts'

const PATH_KEYS = new Set([
  ...'$ref summary description servers parameters additionalOperations'.split(' '),
  ...METHODS.map(method => method.toLowerCase()),
])
const OPERATION_KEYS = new Set(
  'tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated security servers'.split(
    ' ',
  ),
)

/** The maximum length of a path: each of its parameters is known by its place, which contains the whole path. */
const LONGEST_PATH = 2000

/** @param basePaths the base paths of operations without their own servers */
export function readOperations(reading: ContractReading, basePaths: readonly string[]): Operation[] {
  const { root } = reading
  const paths = reading.within(root, 'paths')
  if (!isObject(paths.value)) {
    const others = isObject(childOf(root, 'webhooks').value) || isObject(childOf(root, 'components').value)
    if (!others || paths.value !== undefined) reading.invalid('the contract has no paths', root)
    return []
  }
  const operations = new Map<string, Operation>()
  for (const [key, entry] of membersOf(paths)) {
    if (key.startsWith('x-')) continue
    if (key.length > LONGEST_PATH) {
      const message = `a path of ${key.length} characters is left out; the most are ${LONGEST_PATH}`
      reading.warn('left-out', message, entry, 'key', 'write a shorter path')
      continue
    }
    const item = readItem(entry, reading)
    if (item === undefined) {
      reading.warn('left-out', `the path ${key} is left out`, entry, 'key', 'see the other message about it')
      continue
    }
    for (const one of readPathItem(servedPath(key, entry, reading), item, basePaths, reading)) {
      const taken = operations.get(one.id)
      const id = taken === undefined ? one.id : freeId(`${one.method} ${one.path}`, operations)
      operations.set(id, { ...one, id })
      if (taken === undefined) continue
      const message = `duplicate operationId ${one.id} (${taken.method} ${taken.path} has it too); this operation is named ${id}`
      reading.warn('duplicate-operation-id', message, childOf(one.node, 'operationId'))
    }
  }
  return [...operations.values()]
}

/** Reads the operations of one path item, whose path is of no concern. */
export function readOperationsOf(entry: Node, reading: ContractReading): Operation[] {
  const item = readItem(entry, reading)
  return item === undefined ? [] : readPathItem('/', item, [], reading)
}

/** Returns an id that no operation has: two paths that differ only in their fragments are served as one. */
function freeId(id: string, taken: ReadonlyMap<string, unknown>): string {
  let free = id
  for (let n = 2; taken.has(free); n++) free = `${id} (${n})`
  return free
}

/** A path item, and the one that it refers to. Members beside the reference win; each belongs to its own file. */
type PathItem = readonly [own: Node, target?: Node]

function readItem(entry: Node, reading: ContractReading): PathItem | undefined {
  if (!isObject(entry.value)) {
    return entry.value === null ? [entry] : reading.invalid('a path must be an object', entry)
  }
  if (!isReference(entry)) return [entry]
  const target = reading.resolve(entry)
  if (target === undefined) return undefined
  return isObject(target.value) ? [entry, target] : reading.invalid('a path must be an object', target)
}

function memberOf([own, target]: PathItem, key: string): Node {
  const child = childOf(own, key)
  return child.value === undefined && target !== undefined ? childOf(target, key) : child
}

/** Returns the served path: it begins with a slash and has no query. */
function servedPath(key: string, entry: Node, reading: ContractReading): string {
  let path = key
  if (/[?#]/.test(path.replace(/\{[^{}]*\}/g, ''))) {
    path = path.replace(/(\{[^{}]*\})|[?#].*$/gs, (_, expression: string | undefined) => expression ?? '')
    const message = `a path must not have a query or a fragment; it is served as ${path || '/'}`
    reading.warn('invalid-path', message, entry, 'key')
  }
  if (path.startsWith('/')) return path
  reading.warn('invalid-path', `a path must begin with a slash: "${key}"`, entry, 'key')
  return `/${path}`
}

function readPathItem(
  path: string,
  item: PathItem,
  basePaths: readonly string[],
  reading: ContractReading,
): Operation[] {
  for (const one of item) if (one !== undefined) reading.unknownKeys(one, PATH_KEYS)
  const shared = readParameters(memberOf(item, 'parameters'), reading)
  const servers = readServers(memberOf(item, 'servers'), reading)
  const methods: [Method, Node][] = [
    ...METHODS.map((method): [Method, Node] => [method, memberOf(item, method.toLowerCase())]),
    ...membersOf(memberOf(item, 'additionalOperations')),
  ]
  return methods.flatMap(([method, entry]) => {
    if (!isGiven(entry)) return []
    const leaveOut = (why: string, at: Node): [] => {
      const message = `${method} ${path} is left out: ${why} cannot be resolved`
      reading.warn('left-out', message, at, 'key', 'refer to a part or a file that exists')
      return []
    }
    if (isReference(entry)) {
      const message = 'OpenAPI allows no $ref in place of an operation; it is resolved anyway'
      const hint = 'refer to the path item, or write the operation here'
      // Many documents have it; one warning covers all.
      reading.warnOnce('operation-ref', message, entry, hint)
    }
    const node = reading.resolve(entry)
    if (node === undefined) return leaveOut('its $ref', entry)
    if (!isObject(node.value)) {
      reading.invalid('an operation must be an object', node)
      return []
    }
    const own = readParameters(childOf(node, 'parameters'), reading)
    const body = readRequestBody(childOf(node, 'requestBody'), reading)
    if (body === 'unreadable') return leaveOut('the $ref of its request body', node)
    if (shared === undefined || own === undefined) return leaveOut('the $ref of one of its parameters', node)
    reading.unknownKeys(node, OPERATION_KEYS)
    const parameters = [...shared.filter(one => !own.some(other => isSameTemplate(one, other))), ...own]
    return {
      id: reading.text(childOf(node, 'operationId')) || `${method} ${path}`,
      method,
      path,
      tags: itemsOf(childOf(node, 'tags')).map(({ value }) => String(value)),
      summary: reading.text(childOf(node, 'summary')),
      deprecated: reading.flag(childOf(node, 'deprecated')),
      stability: reading.text(childOf(node, 'x-stability')),
      parameters: checkPathParameters(path, parameters, node, reading),
      body,
      responses: readResponses(node, reading),
      security: readSecurity(node, reading),
      basePaths: (readServers(childOf(node, 'servers'), reading) ?? servers)?.basePaths ?? basePaths,
      node,
    }
  })
}

const isSameTemplate = (one: Parameter, other: Parameter): boolean => one.name === other.name && one.in === other.in

/** Returns `undefined` if a reference is broken. */
function readParameters(list: Node, reading: ContractReading): Parameter[] | undefined {
  if (isGiven(list) && !Array.isArray(list.value)) {
    reading.invalid('"parameters" must be a list', list)
    return []
  }
  const out: Parameter[] = []
  for (const entry of itemsOf(list)) {
    const node = reading.resolve(entry)
    if (node === undefined) return undefined
    const parameter = readParameter(node, reading)
    if (parameter === undefined) continue
    if (out.some(other => isSameTemplate(parameter, other))) {
      reading.warn('duplicate-parameter', `duplicate ${parameter.in} parameter ${parameter.name}`, entry)
    } else out.push(parameter)
  }
  return out
}

/** Returns the parameters of the path. A template expression without a parameter accepts any text. */
function checkPathParameters(
  path: string,
  parameters: readonly Parameter[],
  node: Node,
  reading: ContractReading,
): readonly Parameter[] {
  const names = expressionsOf(path)
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) {
      reading.warn('invalid-path', `{${name}} occurs twice in ${path}; the first one is used`, node, 'key')
    } else if (!parameters.some(one => one.in === 'path' && one.name === name)) {
      const message = `{${name}} of ${path} is not declared; any text matches it`
      reading.warn('undeclared-path-parameter', message, node, 'key', 'declare a parameter with in: path')
    }
  }
  return parameters.filter(one => {
    if (one.in !== 'path' || names.includes(one.name)) return true
    const message = `the path ${path} has no {${one.name}}`
    return reading.warn('undeclared-path-parameter', message, one.node, 'value', suggest(one.name, names))
  })
}

/** The base paths and the hosts of servers (OpenAPI "Server Object"). */
interface ServerAddresses {
  /** Distinct, without a trailing slash; at least one. */
  readonly basePaths: readonly string[]
  readonly hosts: readonly string[]
}

/** The maximum number of a variable's values that are served side by side. */
const MOST_PATHS = 32
// A relative URL is resolved against localhost.
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|)$/
const PARTS = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)/i

/** Returns `undefined` without servers: the outer object's servers apply then. */
export function readServers(list: Node, reading: ContractReading): ServerAddresses | undefined {
  const paths = new Set<string>()
  const hosts = new Set<string>()
  for (const server of itemsOf(list)) {
    const url = childOf(server, 'url')
    if (typeof url.value !== 'string') {
      reading.warn('invalid-server', 'a server needs a url', server)
      continue
    }
    // A variable may be more than a segment: `{baseUrl}` is often a whole URL.
    for (const filled of fill(url.value, server, url, reading)) {
      const [, authority = '', path = ''] = PARTS.exec(filled) ?? []
      const host = authority
        .replace(/^[^@]*@/, '')
        .replace(/:\d*$/, '')
        .toLowerCase()
      if (!LOOPBACK.test(host)) hosts.add(host)
      if (paths.size < MOST_PATHS) paths.add(normalise(path))
    }
  }
  return paths.size > 0 ? { basePaths: [...paths], hosts: [...hosts] } : undefined
}

/** Returns the served path: absolute, dots resolved, without a trailing slash. */
export function normalise(path: string): string {
  const base = 'http://localhost/'
  const { pathname } = URL.canParse(path, base) ? new URL(path.replace(/^\/+/, '/'), base) : { pathname: path }
  return safeDecode(pathname)
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '')
}

/**
 * Returns the text with each variable at its default, then at each of its other values (OpenAPI "Server Variable Object").
 */
function fill(text: string, server: Node, url: Node, reading: ContractReading): string[] {
  let out = ['']
  for (const [index, part] of text.split(/\{([^{}]*)\}/).entries()) {
    const values = index % 2 === 0 ? [part] : valuesOf(part, server, url, reading)
    out = values.flatMap(value => out.map(before => before + value)).slice(0, MOST_PATHS)
  }
  return out
}

function valuesOf(name: string, server: Node, url: Node, reading: ContractReading): string[] {
  const variable = childOf(server, 'variables', name)
  const { default: fallback, enum: values } = isObject(variable.value) ? variable.value : {}
  const listed = Array.isArray(values) ? values.map(String) : []
  if (fallback === undefined || fallback === null) {
    reading.warn('invalid-server', `the server variable ${name} has no default`, url)
    return listed.length > 0 ? listed : ['']
  }
  return [...new Set([String(fallback), ...listed])]
}
