// The webhooks and callbacks of a contract by name, and the runtime expressions of callbacks (OpenAPI "Runtime Expressions").

import type { Contract, MediaType, Operation } from '../../contract/contract.ts'
import { childOf, membersOf, type Node } from '../../contract/documents.ts'
import { type Json, memberAt, parsePointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'

/** A webhook or a callback that a contract has. */
export interface Documented {
  readonly node: Node
  /** The operation that calls back, and the expression of the URL; unset for a webhook. */
  readonly callback?: { readonly operation: string; readonly url: string }
}

const books = new WeakMap<Contract, ReadonlyMap<string, readonly Documented[]>>()

/** Returns the webhooks and callbacks of a contract by name; a callback also as `operationId.name`. Several may have one name. */
export const documentedIn = (contract: Contract): ReadonlyMap<string, readonly Documented[]> =>
  getOrMake(books, contract, () => {
    const found = new Map<string, Documented[]>()
    const add = (name: string, one: Documented) => getOrMake(found, name, () => []).push(one)
    for (const [name, node] of membersOf(contract.at('#/webhooks') ?? NOTHING)) add(name, { node })
    for (const { id, node } of contract.operations) {
      for (const [name, entry] of membersOf(childOf(node, 'callbacks'))) {
        for (const [url, item] of membersOf(contract.resolve(entry))) {
          if (url.startsWith('x-')) continue
          const callback = { node: item, callback: { operation: id, url } }
          add(name, callback)
          add(`${id}.${name}`, callback)
        }
      }
    }
    return found
  })

const NOTHING = { value: undefined } as unknown as Node

/** Returns the operation of a webhook: its first one. */
export const operationOf = ({ node }: Documented, contract: Contract): Operation | undefined =>
  contract.pathItem(node)[0]

/** Returns the media type of the body of a webhook, JSON if it has that, with the schema for values that the API sends. */
export function mediaOf({ body }: Operation, contract: Contract): readonly [type: string, MediaType] | undefined {
  const all = [...(body?.content ?? [])]
  const [type, media] = all.find(([name]) => /[/+]json/.test(name)) ?? all[0] ?? []
  if (type === undefined || media === undefined) return undefined
  return [type, { ...media, schema: media.schema && contract.use(media.schema.node) }]
}

/** A call and its reply, as expressions see them. */
export interface Called {
  readonly url: string
  readonly method: string
  readonly status: number
  /** By place and name: `header.x-id`, `query.page`, `path.id`. */
  readonly request: { part(place: string, name: string): string | undefined; readonly body: Json | undefined }
  readonly response: { part(place: string, name: string): string | undefined; readonly body: Json | undefined }
}

/** Fills in a URL with the expressions of a contract; returns the expression that finds nothing, if one does. */
export function fillUrl(url: string, called: Called): { readonly url: string } | { readonly missing: string } {
  let missing: string | undefined
  const find = (expression: string): string => {
    const value = valueAt(expression, called)
    if (value === undefined) missing ??= expression
    return value ?? ''
  }
  const filled = url.startsWith('$') ? find(url) : url.replace(/\{(\$[^{}]*)\}/g, (_, inner: string) => find(inner))
  return missing === undefined ? { url: filled } : { missing }
}

function valueAt(expression: string, called: Called): string | undefined {
  if (expression === '$url') return called.url
  if (expression === '$method') return called.method
  if (expression === '$statusCode') return String(called.status)
  const [, side, place = '', name = ''] =
    /^\$(request|response)\.(?:(header|query|path)\.(.+)|body)/s.exec(expression) ?? []
  if (side !== 'request' && side !== 'response') return undefined
  const { part, body } = called[side]
  if (place !== '') return part(place, place === 'header' ? name.toLowerCase() : name)
  const [, at = ''] = expression.split('#')
  return textOf(memberAt(body, parsePointer(at) ?? []))
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined
