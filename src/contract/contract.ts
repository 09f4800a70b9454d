// What an API promises, as read from its OpenAPI document: immutable, and nothing in it about simulation.

import type { Json } from '../kernel/json.ts'
import type { SchemaUse, Shape } from '../schema/dialect.ts'
import type { Node } from '../schema/document.ts'
import type { FormReader } from './forms.ts'
import type { Parameter } from './parameters.ts'
import type { Method } from './paths.ts'
import type { Sequence } from './sequences.ts'

export interface Contract {
  readonly title: string
  readonly version: string
  /** The version of OpenAPI itself: `3.1.0`. */
  readonly openapi: string
  /** The path of each server URL, without a trailing slash: `/v1`; `['']` where there is none. */
  readonly basePaths: readonly string[]
  /** The host of each server URL, without a port; loopback and relative URLs have none. */
  readonly hosts: readonly string[]
  readonly operations: readonly Operation[]
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>
  /** `components.schemas`, by name. */
  readonly schemas: ReadonlyMap<string, SchemaUse>
  /** What the schema at a node says of an object, gathered through `$ref` and `allOf`. */
  shapeOf(node: Node): Shape
  /** One name per place in the documents, references followed: two nodes with one name are the same thing. */
  identify(node: Node): string
  /** The node that a chain of references ends at; the node itself where a reference leads nowhere. */
  resolve(node: Node): Node
  /** The node at a JSON Pointer into the contract's own document, `#/components/schemas/Book`, if there is one. */
  at(pointer: string): Node | undefined
  /** The schema at a node, ready to check with: as a reply has it. */
  use(node: Node): SchemaUse
  /** Runs `work`, in which checking a few values costs less: no schema is compiled for a value that fits. */
  walking<Result>(work: () => Promise<Result>): Promise<Result>
  /** Absolute paths of all the files it is written in. */
  readonly files: readonly string[]
}

export interface Operation {
  /** `operationId`, or `GET /books` where there is none. */
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
  /** Alternatives, each a list of schemes that hold together; none at all for a public operation. */
  readonly security: readonly (readonly SecurityRequirement[])[]
  /** Below which paths it is served: its own servers', else the contract's. */
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
  /** Whether an object is written `R=100,G=200` rather than `R,100,G,200` (style `simple`). */
  readonly explode: boolean
}

export interface MediaType {
  readonly schema: SchemaUse | undefined
  readonly examples: readonly Example[]
  /** How the fields of a form are written, by name. */
  readonly encoding?: ReadonlyMap<string, Encoding>
  /** Set for a sequence: `schema` then speaks of the list of its items. */
  readonly sequence?: Sequence
  /** Set for a form: its fields as an object of their types. */
  readonly form?: FormReader
}

export interface Encoding {
  readonly contentType: string | undefined
  readonly style: string | undefined
  readonly explode: boolean | undefined
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
  /** What nothing is known of: every request passes it. */
  | { readonly type: 'other' }

export interface SecurityRequirement {
  /** The name of a security scheme. */
  readonly scheme: string
  readonly scopes: readonly string[]
}

/** Whether a scheme is a bearer credential with scopes. */
export const isOauth = (scheme: SecurityScheme | undefined): boolean =>
  scheme?.type === 'oauth2' || scheme?.type === 'openIdConnect'

/** The documented response for a status: exact, then its range, then `default`. */
export function responseFor(operation: Operation, status: number): ResponseSpec | undefined {
  const { responses } = operation
  return responses.get(`${status}`) ?? responses.get(`${Math.floor(status / 100)}XX`) ?? responses.get('default')
}

/** The first of the statuses that the operation documents exactly, or the lowest documented 2xx, or the first. */
export function successStatus(operation: Operation, ...preferred: [number, ...number[]]): number {
  const exact = preferred.find(status => operation.responses.has(`${status}`))
  if (exact !== undefined) return exact
  const documented = [...operation.responses.keys()].filter(status => /^2\d\d$/.test(status)).map(Number)
  return documented.length > 0 ? Math.min(...documented) : preferred[0]
}

/** Whether a media type carries JSON (RFC 6839 §3.1 for `+json`). */
export const isJson = (mediaType: string): boolean => /^application\/(?:[\w.!#$&^-]+\+)?json(?:\s*;|$)/i.test(mediaType)

/** A media type without its parameters, in lower case: `text/html; charset=utf-8` → `text/html`. */
export const essenceOf = (type: string): string => (type.split(';', 1)[0] as string).trim().toLowerCase()
