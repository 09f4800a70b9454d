// Makes a request out of the form "try it": the values of the parameters in their places, and the body.

import type { FormParameter, Sending } from '../../http/control/types.ts'
import { keywordsAt, type SchemaPart } from '../editor/schema-path.ts'

export interface TryDraft {
  /** By `in` and name: `path.orderId`. An empty text leaves an optional parameter out. */
  readonly values: Readonly<Record<string, string>>
  /** Further headers, one `name: value` on a line. */
  readonly headers: string
  /** A media type; empty for no body. */
  readonly type: string
  readonly body: string
  /** The consumer whose credential is sent; empty for none; `GENERATED` for a generated credential. */
  readonly consumer: string
}

/** The choice of a caller with a generated credential. No consumer has this name. */
export const GENERATED = '*'

export const parameterKey = ({ in: where, name }: Pick<FormParameter, 'in' | 'name'>): string => `${where}.${name}`

/** The values that a form begins with: the samples of the required parameters. */
export const startValues = ({ parameters }: { parameters: readonly FormParameter[] }): Record<string, string> =>
  Object.fromEntries(
    parameters.flatMap(one => (one.required && one.sample !== undefined ? [[parameterKey(one), one.sample]] : [])),
  )

/** @param path the path template with its base path: `/v1/orders/{orderId}` */
export function sendingFrom(
  { method, path, parameters }: { method: string; path: string; parameters: readonly FormParameter[] },
  draft: TryDraft,
  world: string,
): Sending {
  const given = (parameter: FormParameter): string => draft.values[parameterKey(parameter)] ?? ''
  const filled = parameters
    .filter(({ in: where }) => where === 'path')
    .reduce((text, one) => text.replace(`{${one.name}}`, encodeURIComponent(given(one))), path)
  const query = new URLSearchParams()
  const headers = headersInText(draft.headers)
  const cookies: string[] = []
  for (const parameter of parameters) {
    const value = given(parameter)
    if (value === '') continue
    const { name, in: where } = parameter
    if (where === 'query') for (const part of splitList(parameter, value)) query.append(name, part)
    else if (where === 'header') headers[name.toLowerCase()] = value
    else if (where === 'cookie') cookies.push(`${name}=${encodeURIComponent(value)}`)
  }
  if (cookies.length > 0) headers.cookie = cookies.join('; ')
  const hasBody = draft.type !== '' && draft.body !== ''
  if (hasBody) headers['content-type'] ??= draft.type
  return {
    method,
    path: filled,
    query: query.toString() || undefined,
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    body: hasBody ? draft.body : undefined,
    consumer: draft.consumer === GENERATED ? undefined : draft.consumer || undefined,
    credential: draft.consumer === GENERATED ? 'any' : undefined,
    world,
  }
}

/** A list is typed with commas and sent as a parameter for each value, the default of OpenAPI. */
const splitList = ({ schema }: FormParameter, value: string): string[] =>
  keywordsAt((schema ?? {}) as SchemaPart).type === 'array' ? value.split(',').map(part => part.trim()) : [value]

function headersInText(text: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const at = line.indexOf(':')
    if (at > 0) headers[line.slice(0, at).trim().toLowerCase()] = line.slice(at + 1).trim()
  }
  return headers
}
