// The contract of an API, as read from its OpenAPI document. Immutable, and without simulation.

import { decodeUtf8, type Headers } from '../kernel/http.ts'
import { isObject, type Json, type Parsed, parseJson, pointer } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import type { Side } from '../kernel/schema/keywords.ts'
import type { Violation } from '../kernel/schema/violations.ts'
import type { Parameter } from './document/parameters.ts'
import type { FormReader } from './document/styles.ts'
import { identityOf, itemsOf, membersOf, type Node } from './documents.ts'
import { compileMediaTypes, type Encoding, isJson, type Sequence } from './media-types.ts'
import type { Method } from './paths.ts'
import type { SchemaUse } from './schema/schema-book.ts'
import type { Shape } from './schema/shape.ts'

export interface Contract {
  readonly title: string
  readonly version: string
  /** The version of OpenAPI itself: `3.1.0`. */
  readonly openapi: string
  /** The path of each server URL, without a trailing slash: `/v1`; `['']` if there is none. */
  readonly basePaths: readonly string[]
  /** The host of each server URL, without a port; loopback and relative URLs have none. */
  readonly hosts: readonly string[]
  readonly operations: readonly Operation[]
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>
  /** `components.schemas`, by name. */
  readonly schemas: ReadonlyMap<string, SchemaUse>
  /** Returns the properties of the schema at a node, gathered through `$ref` and `allOf`. */
  shapeOf(node: Node): Shape
  /** Returns the branches of a union by the property that its discriminator names. */
  branchesOf(
    node: Node,
    union: 'oneOf' | 'anyOf',
    property: string,
  ): readonly { readonly names: readonly string[] }[] | undefined
  /** Identifies a node, with references followed: two nodes with one identity are the same. */
  identify(node: Node): string
  /** Returns the node at the end of a chain of references; the node itself if a reference is broken. */
  resolve(node: Node): Node
  /** The node at a JSON Pointer into the contract's own document, `#/components/schemas/Book`, if there is one. */
  at(pointer: string): Node | undefined
  /** Returns the schema at a node, for values of a side. Default: replies. */
  use(node: Node, side?: Side): SchemaUse
  /** Reads the operations of a path item outside of `paths`: of a webhook, or of a callback. */
  pathItem(node: Node): readonly Operation[]
  /** Runs `work`. Meanwhile no schema is compiled for a valid value, which is cheaper for a few values. */
  walking<Result>(work: () => Promise<Result>): Promise<Result>
  /** Absolute paths of all its files. */
  readonly files: readonly string[]
}

export interface Operation {
  /** The `operationId`, or `GET /books` without one. */
  readonly id: string
  readonly method: Method
  /** The path template, without a base path. */
  readonly path: string
  readonly tags: readonly string[]
  readonly summary: string | undefined
  readonly deprecated: boolean
  /** `x-stability`. */
  readonly stability: string | undefined
  readonly parameters: readonly Parameter[]
  readonly body: RequestBody | undefined
  /** By status as written: `200`, `4XX`, `default`. */
  readonly responses: ReadonlyMap<string, ResponseSpec>
  /** Alternatives, each a list of schemes that must all be satisfied; empty for a public operation. */
  readonly security: readonly (readonly SecurityRequirement[])[]
  /** The base paths: those of its servers, else of the contract. */
  readonly basePaths: readonly string[]
  readonly node: Node
  /** Set for an operation of a wing, which the contract does not have. */
  readonly wing?: string
  /** Whether its messages hold credentials, so that the journal keeps neither their queries nor their bodies. */
  readonly secret?: boolean
}

export interface RequestBody {
  readonly required: boolean
  readonly content: ReadonlyMap<string, MediaType>
}

export interface ResponseSpec {
  readonly description: string
  readonly content: ReadonlyMap<string, MediaType>
  readonly headers: readonly Header[]
  readonly node: Node
}

/** A documented header of a response. */
export interface Header extends MediaType {
  /** As written. */
  readonly name: string
  readonly required: boolean
  /** Whether an object is written `R=100,G=200` instead of `R,100,G,200` (style `simple`). */
  readonly explode: boolean
}

export interface MediaType {
  readonly schema: SchemaUse | undefined
  readonly examples: readonly Example[]
  /** The encoding of a form's fields, by name. */
  readonly encoding?: ReadonlyMap<string, Encoding>
  /** Set for a sequence. `schema` then describes the list of its items. */
  readonly sequence?: Sequence
  /** Set for a list of operations of a JSON Patch (RFC 6902) that has another media type, such as `application/json`. */
  readonly patch?: true
  /** Set for a form: its fields as an object of their types. */
  readonly form?: FormReader
}

export interface Example {
  readonly name: string | undefined
  readonly value: Json
  readonly node: Node
}

/** A security scheme, by the place of a request where it has its credential. */
export type SecurityScheme =
  /** The field `Authorization` with a word before the credential (RFC 9110 §11.6.2); `scoped` for OAuth 2 and OpenID Connect. */
  | { readonly in: 'authorization'; readonly word: string; readonly scoped: boolean }
  /** The name of a header is in lower case. */
  | { readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  /** The client certificate of the connection. */
  | { readonly in: 'certificate' }
  /** The scheme is not supported: every request satisfies it. */
  | { readonly in: 'nowhere' }

export interface SecurityRequirement {
  /** The name of a security scheme. */
  readonly scheme: string
  readonly scopes: readonly string[]
}

/** Returns the documented response for a status: exact, then its range, then `default`. */
export function responseFor(operation: Operation, status: number): ResponseSpec | undefined {
  const { responses } = operation
  return responses.get(`${status}`) ?? responses.get(`${Math.floor(status / 100)}XX`) ?? responses.get('default')
}

/** Returns the first status that the operation documents exactly, or the lowest documented 2xx, or the first. */
export function successStatus(operation: Operation, ...preferred: [number, ...number[]]): number {
  const exact = preferred.find(status => operation.responses.has(`${status}`))
  if (exact !== undefined) return exact
  const documented = [...operation.responses.keys()].filter(status => /^2\d\d$/.test(status)).map(Number)
  return documented.length > 0 ? Math.min(...documented) : preferred[0]
}

/** Headers that the server sets itself, or that would change the reading of the body. */
const FRAMING = new Set([
  ...'connection content-encoding content-length content-type date keep-alive te trailer upgrade'.split(' '),
  ...'transfer-encoding content-range accept-ranges vary'.split(' '),
])

const documentedHeaders = new WeakMap<readonly Header[], readonly Header[]>()
/** Returns the documented headers of a response, but for those of its framing and of CORS. */
export const headersOf = ({ headers }: ResponseSpec): readonly Header[] =>
  getOrMake(documentedHeaders, headers, () =>
    headers.filter(({ name }) => !FRAMING.has(name.toLowerCase()) && !/^access-control-/i.test(name)),
  )

/** Whether a body of this type is read: JSON, or a sequence of values, with a schema. */
export const isRead = (media: MediaType, type: string): media is MediaType & { readonly schema: SchemaUse } =>
  media.schema !== undefined && (media.sequence !== undefined || isJson(type))

const choices = new WeakMap<object, (type: string) => MediaType | undefined>()
/** Returns the documented media type of a reply. */
export const mediaOfReply = ({ content }: ResponseSpec, headers: Headers): MediaType | undefined =>
  getOrMake(choices, content, () => compileMediaTypes(content))(headers['content-type'] ?? '')

const parsedBodies = new WeakMap<Uint8Array, Parsed>()
/** Parses the JSON of a body; the same bytes once. */
export const parseBody = (body: string | Uint8Array): Parsed =>
  typeof body === 'string' ? parseJson(body) : getOrMake(parsedBodies, body, () => parseBytes(body))

const checks = new WeakMap<Parsed, Map<SchemaUse, readonly Violation[]>>()
/** Checks a body by a schema; the same one once. */
export const checkBody = (parsed: Exclude<Parsed, { fault: string }>, schema: SchemaUse): readonly Violation[] =>
  getOrMake(
    getOrMake(checks, parsed, () => new Map()),
    schema,
    () => schema.check(parsed.value, parsed.exact) ?? [],
  )

function parseBytes(body: Uint8Array): Parsed {
  const text = decodeUtf8(body)
  return text === undefined ? { fault: 'is not UTF-8' } : parseJson(text)
}

/** Returns the schema of a field: of `name` within `metadata` for `metadata.name`, unless a field has that very name. */
export function fieldNode(shape: Shape, field: string, contract: Contract): Node | undefined {
  const own = shape.properties.get(field)
  if (own !== undefined || !field.includes('.')) return own
  const [first = '', ...rest] = field.split('.')
  const node = shape.properties.get(first)
  return node && fieldNode(contract.shapeOf(node), rest.join('.'), contract)
}

/** The key for the parts of other files. */
const ELSEWHERE = 'x-referenced'
/** Keys whose values are data, unless they are names of properties: a `$ref` in them refers to nothing. */
const DATA = new Set(['example', 'default', 'enum', 'const'])

/** An object of the bundled document. */
export type DocumentPart = Record<string, unknown>

/** Returns the document of a contract, self-contained. References within it stay as they are; broken ones do too. */
export function bundle(contract: Contract): DocumentPart | undefined {
  const part = contract.at('#/info') ?? contract.at('#/paths')
  if (part === undefined) return undefined
  const { document } = part
  const names = new Map<string, string>()
  const pending: { readonly name: string; readonly node: Node }[] = []
  const nameOf = (node: Node): string =>
    getOrMake(names, identityOf(node), () => {
      const last = String(node.path.at(-1) ?? 'document').replace(/[^\w.-]/g, '-')
      const name = [...names.values()].includes(last) ? `${last}-${names.size}` : last
      pending.push({ name, node })
      return name
    })
  const copy = (node: Node): unknown => {
    const { value } = node
    if (Array.isArray(value)) return itemsOf(node).map(copy)
    if (!isObject(value)) return value
    const reference = typeof value.$ref === 'string' ? value.$ref : undefined
    const target = reference === undefined ? node : contract.resolve(node)
    const out: DocumentPart = {}
    const isData = (key: string) => DATA.has(key) && node.path.at(-1) !== 'properties'
    for (const [key, child] of membersOf(node)) out[key] = isData(key) ? child.value : copy(child)
    if (target === node) return out
    const here = target.document.file === document.file
    // A reference to the document itself may pass through another file, or be written in one.
    if (here && reference?.startsWith('#') && node.document.file === document.file) return out
    return { ...out, $ref: here ? `#${pointer(target.path)}` : `#/${ELSEWHERE}/${nameOf(target)}` }
  }
  const bundled = copy({ document, path: [], value: document.source.value }) as DocumentPart
  const elsewhere: DocumentPart = {}
  // The list grows while it is gone through.
  for (const { name, node } of pending) elsewhere[name] = copy(node)
  return names.size === 0 ? bundled : { ...bundled, [ELSEWHERE]: elsewhere }
}

/** Stands for any item of a list among the steps to a value. */
export const ITEM = '*'

/** Follows steps below a schema, as far as it describes them, to the schema behind a reference where it does not. A number, or `ITEM`, is any item of a list. */
export function followSteps(
  start: Node,
  steps: readonly (string | number)[],
  contract: Contract,
): { readonly node: Node; readonly depth: number } {
  let node = start
  for (const [depth, step] of steps.entries()) {
    const { properties, items, additional } = contract.shapeOf(node)
    const field = typeof step === 'number' ? items : (properties.get(step) ?? additional)
    const next = field ?? (step === ITEM ? items : undefined)
    if (next === undefined) return { node: contract.resolve(node), depth }
    node = next
  }
  return { node, depth: steps.length }
}

/** Returns the schema at some steps below another; `undefined` where it does not describe them. */
export function nodeBelow(start: Node, steps: readonly (string | number)[], contract: Contract): Node | undefined {
  const { node, depth } = followSteps(start, steps, contract)
  return depth === steps.length ? node : undefined
}
