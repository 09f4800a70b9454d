// Reads operations from paths (OpenAPI "Paths Object", "Path Item Object", "Operation Object"). An operation that cannot be
// served is reported and left out; the rest of the document stays.

import { suggest } from '../../kernel/diagnostic.ts'
import { isObject } from '../../kernel/json.ts'
import type { Operation } from '../contract.ts'
import { childOf, entriesOf, itemsOf, type Node } from '../documents.ts'
import { expressionsOf, METHODS, type Method } from '../paths.ts'
import { readSecurity } from '../security.ts'
import { type Parameter, readParameter } from './parameters.ts'
import { readRequestBody, readResponses } from './read-content.ts'
import { readServers } from './read-servers.ts'
import type { ContractReading } from './reading.ts'

const VERBS = METHODS.map(method => method.toLowerCase())
const PATH_KEYS = new Set([
  ...['$ref', 'summary', 'description', 'servers', 'parameters', 'additionalOperations'],
  ...VERBS,
])
const OPERATION_KEYS = new Set([
  ...['tags', 'summary', 'description', 'externalDocs', 'operationId', 'parameters', 'requestBody', 'responses'],
  ...['callbacks', 'deprecated', 'security', 'servers'],
])

/** The maximum length of a path: each of its parameters is known by its place, which contains the whole path. */
const LONGEST_PATH = 2000

/** @param basePaths the base paths of operations without their own servers */
export function readOperations(root: Node, basePaths: readonly string[], reading: ContractReading): Operation[] {
  const operations: Operation[] = []
  const paths = childOf(root, 'paths')
  if (!isObject(paths.value)) {
    const webhooks = isObject(childOf(root, 'webhooks').value) || isObject(childOf(root, 'components').value)
    if (!webhooks || paths.value !== undefined) reading.warn('invalid-contract', 'the contract has no paths', root)
    return []
  }
  const ids = new Map<string, Operation>()
  for (const [key, entry] of entriesOf(paths)) {
    if (key.startsWith('x-')) continue
    if (key.length > LONGEST_PATH) {
      const message = `a path of ${key.length} characters is left out; the most are ${LONGEST_PATH}`
      reading.warn('left-out', message, entry, 'key')
      continue
    }
    const item = readItem(entry, reading)
    if (item === undefined) {
      reading.warn('left-out', `the path ${key} is left out`, entry, 'key')
      continue
    }
    const path = readPath(key, entry, reading)
    for (const one of readPathItem(path, item, root, basePaths, reading)) {
      const taken = ids.get(one.id)
      const operation = taken === undefined ? one : { ...one, id: freeId(`${one.method} ${one.path}`, ids) }
      if (taken !== undefined) {
        const message = `duplicate operationId ${one.id} (${taken.method} ${taken.path} has it too); this operation is named ${operation.id}`
        reading.warn('duplicate-operation-id', message, childOf(one.node, 'operationId'))
      }
      ids.set(operation.id, operation)
      operations.push(operation)
    }
  }
  return operations
}

/** Returns an id that no operation has: two paths that differ only in their fragments are served as one. */
function freeId(id: string, taken: ReadonlyMap<string, unknown>): string {
  let free = id
  for (let n = 2; taken.has(free); n++) free = `${id} (${n})`
  return free
}

/** Reads a path item and follows its reference. Members beside the reference win. */
function readItem(entry: Node, reading: ContractReading): Node | undefined {
  if (!isObject(entry.value)) {
    if (entry.value !== null) return reading.warn('invalid-contract', 'a path must be an object', entry)
    return { ...entry, value: {} }
  }
  if (typeof entry.value.$ref !== 'string') return entry
  const target = reading.resolve(entry)
  if (target === undefined || !isObject(target.value)) return undefined
  const { $ref, ...beside } = entry.value
  // Nodes below must know their files, so the target is used unchanged only if nothing is beside the reference.
  return Object.keys(beside).some(key => VERBS.includes(key) || key === 'parameters') ? merge(entry, target) : target
}

/** Two path items combined. Each child belongs to its own file. */
function merge(own: Node, target: Node): Node {
  return {
    ...own,
    value: { ...(target.value as object), ...(own.value as object), $ref: undefined },
    merged: target,
  } as Node
}

/** Returns a child of a path item, from its own file. */
function childOfItem(item: Node, key: string): Node {
  const { merged } = item as Node & { merged?: Node }
  const own =
    merged === undefined || (isObject(item.value) && item.value[key] !== (merged.value as Record<string, unknown>)[key])
  return childOf(own ? item : (merged as Node), key)
}

/** Returns the served path: it begins with a slash and has no query. */
function readPath(key: string, entry: Node, reading: ContractReading): string {
  let path = key
  if (/[?#]/.test(path.replace(/\{[^{}]*\}/g, ''))) {
    path = path.replace(/(\{[^{}]*\})|[?#].*$/gs, (_, expression: string | undefined) => expression ?? '')
    reading.warn(
      'invalid-path',
      `a path must not have a query or a fragment; it is served as ${path || '/'}`,
      entry,
      'key',
    )
  }
  if (!path.startsWith('/')) {
    reading.warn('invalid-path', `a path must begin with a slash: "${key}"`, entry, 'key')
    path = `/${path}`
  }
  return path
}

function readPathItem(
  path: string,
  item: Node,
  root: Node,
  basePaths: readonly string[],
  reading: ContractReading,
): Operation[] {
  reading.unknownKeys(item, PATH_KEYS)
  const shared = readParameters(childOfItem(item, 'parameters'), reading)
  const servers = readServers(childOfItem(item, 'servers'), reading)
  const methods: [Method, Node][] = METHODS.map(method => [method, childOfItem(item, method.toLowerCase())])
  for (const [name, node] of entriesOf(childOfItem(item, 'additionalOperations'))) methods.push([name, node])
  return methods.flatMap(([method, entry]) => {
    if (entry.value === undefined || entry.value === null) return []
    const node = followOperation(entry, reading)
    if (node === undefined) {
      reading.warn('left-out', `${method} ${path} is left out: its $ref cannot be resolved`, entry, 'key')
      return []
    }
    if (!isObject(node.value)) {
      reading.warn('invalid-contract', 'an operation must be an object', node)
      return []
    }
    const own = readParameters(childOf(node, 'parameters'), reading)
    const body = readRequestBody(childOf(node, 'requestBody'), reading)
    if (shared === 'unreadable' || own === 'unreadable' || body === 'unreadable') {
      const what = body === 'unreadable' ? 'its request body' : 'one of its parameters'
      reading.warn('left-out', `${method} ${path} is left out: the $ref of ${what} cannot be resolved`, node, 'key')
      return []
    }
    reading.unknownKeys(node, OPERATION_KEYS)
    const overridden = (one: Parameter) => own.some(({ name, in: where }) => name === one.name && where === one.in)
    const parameters = [...shared.filter(one => !overridden(one)), ...own]
    const operation: Operation = {
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
      security: readSecurity(node, root, reading),
      basePaths: (readServers(childOf(node, 'servers'), reading) ?? servers)?.basePaths ?? basePaths,
      node,
    }
    return [operation]
  })
}

/**
 * Reads an operation and follows its reference. OpenAPI does not allow one there, but many documents have it; one warning
 * covers all.
 */
function followOperation(entry: Node, reading: ContractReading): Node | undefined {
  if (!isObject(entry.value) || typeof entry.value.$ref !== 'string') return entry
  const hint = 'refer to the path item, or write the operation here'
  reading.warnOnce(
    'operation-ref',
    'OpenAPI allows no $ref in place of an operation; it is resolved anyway',
    entry,
    'key',
    hint,
  )
  return reading.resolve(entry)
}

function readParameters(list: Node, reading: ContractReading): Parameter[] | 'unreadable' {
  if (list.value !== undefined && list.value !== null && !Array.isArray(list.value)) {
    reading.warn('invalid-contract', '"parameters" must be a list', list)
    return []
  }
  const out: Parameter[] = []
  for (const entry of itemsOf(list)) {
    const node = reading.resolve(entry)
    if (node === undefined) return 'unreadable'
    const parameter = readParameter(node, reading)
    if (parameter === undefined) continue
    if (out.some(({ name, in: where }) => name === parameter.name && where === parameter.in)) {
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
    reading.warn(
      'undeclared-path-parameter',
      `the path ${path} has no {${one.name}}`,
      one.node,
      'value',
      suggest(one.name, names),
    )
    return false
  })
}
