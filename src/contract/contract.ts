// The contract of an API, as read from its OpenAPI document. Immutable, and without simulation.

import type { Json } from '../kernel/json.ts'
import type { FormReader } from './document/forms.ts'
import type { Parameter } from './document/parameters.ts'
import type { Node } from './documents.ts'
import type { Encoding } from './media-types.ts'
import type { Method } from './paths.ts'
import type { SchemaUse } from './schema/schema-book.ts'
import type { Shape } from './schema/shape.ts'
import type { Sequence } from './sequences.ts'

export { type Encoding, essenceOf, isJson, JSON_PATCH } from './media-types.ts'

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
  /** Identifies a node, with references followed: two nodes with one identity are the same. */
  identify(node: Node): string
  /** Returns the node at the end of a chain of references; the node itself if a reference is broken. */
  resolve(node: Node): Node
  /** The node at a JSON Pointer into the contract's own document, `#/components/schemas/Book`, if there is one. */
  at(pointer: string): Node | undefined
  /** Returns the schema at a node, for values in replies. */
  use(node: Node): SchemaUse
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

export type SecurityScheme =
  /** `scheme` in lower case: `bearer`, `basic`, `digest` … */
  | { readonly type: 'http'; readonly scheme: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  /** A bearer credential, with scopes. */
  | { readonly type: 'oauth2' | 'openIdConnect' }
  /** A client certificate. */
  | { readonly type: 'mutualTLS' }
  /** A security scheme type that is not supported. Always satisfied. */
  | { readonly type: 'other' }

export interface SecurityRequirement {
  /** The name of a security scheme. */
  readonly scheme: string
  readonly scopes: readonly string[]
}

/** Whether a scheme is a bearer credential with scopes. */
export const isOauth = (scheme: SecurityScheme | undefined): boolean =>
  scheme?.type === 'oauth2' || scheme?.type === 'openIdConnect'

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
