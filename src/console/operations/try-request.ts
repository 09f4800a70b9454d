// Makes a request out of the form "try it": the values of the parameters in their places, and the body.

import type { DocumentedOperation, FormSchema, OperationParameter } from '../model/shapes.ts'

export interface TryDraft {
  /** By `in` and name: `path.orderId`. An empty text leaves an optional parameter out. */
  readonly values: Readonly<Record<string, string>>
  /** Further headers, one `name: value` on a line. */
  readonly headers: string
  /** A media type; empty for no body. */
  readonly type: string
  readonly body: string
  /** The consumer whose credential is sent; empty for none. */
  readonly consumer: string
}

/** A request as `POST /requests` takes it. */
export interface TryRequest {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly consumer?: string
  readonly world: string
}

export const keyOf = ({ in: where, name }: OperationParameter): string => `${where}.${name}`

/** The values that a form begins with: the examples of required parameters, else those of the sample. */
export function startValues({ path, parameters, sample }: Pick<DocumentedOperation, 'path' | 'parameters' | 'sample'>) {
  const segments = sample.path.split('/')
  const inPath = path.split('/').map((name, i) => [`path.${name.replace(/^\{|\}$/g, '')}`, segments[i] ?? ''] as const)
  const query = new URLSearchParams(sample.query)
  const values: Record<string, string> = {}
  for (const parameter of parameters.filter(({ required }) => required)) {
    const key = keyOf(parameter)
    const sampled = parameter.in === 'query' ? query.get(parameter.name) : new Map<string, string>(inPath).get(key)
    const value = parameter.example === undefined ? decodeURIComponent(sampled ?? '') : textOf(parameter.example)
    if (value !== '') values[key] = value
  }
  return values
}

/** The schema behind a `$ref` into its own `$defs`, as far as a form reads it. */
export function resolveSchema(schema: FormSchema = {}): FormSchema {
  const name = /^#\/\$defs\/(.+)$/.exec(schema.$ref ?? '')?.[1]
  const found = name === undefined ? undefined : schema.$defs?.[name]
  return found === undefined ? schema : { ...found, $defs: schema.$defs ?? {} }
}

/** @param path the path template with its base path: `/v1/orders/{orderId}` */
export function requestOf(
  { method, path, parameters }: { method: string; path: string; parameters: readonly OperationParameter[] },
  draft: TryDraft,
  world: string,
): TryRequest {
  const given = (parameter: OperationParameter): string => draft.values[keyOf(parameter)] ?? ''
  const filled = parameters
    .filter(({ in: where }) => where === 'path')
    .reduce((text, one) => text.replace(`{${one.name}}`, encodeURIComponent(given(one))), path)
  const query = new URLSearchParams()
  const headers = headersOf(draft.headers)
  const cookies: string[] = []
  for (const parameter of parameters) {
    const value = given(parameter)
    if (value === '') continue
    const { name, in: where } = parameter
    if (where === 'query') for (const part of partsOf(parameter, value)) query.append(name, part)
    else if (where === 'header') headers[name.toLowerCase()] = value
    else if (where === 'cookie') cookies.push(`${name}=${encodeURIComponent(value)}`)
  }
  if (cookies.length > 0) headers.cookie = cookies.join('; ')
  const hasBody = draft.type !== '' && draft.body !== ''
  if (hasBody) headers['content-type'] ??= draft.type
  return {
    method,
    path: filled,
    ...(query.size === 0 ? {} : { query: query.toString() }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(hasBody ? { body: draft.body } : {}),
    ...(draft.consumer === '' ? {} : { consumer: draft.consumer }),
    world,
  }
}

/** A list is typed with commas and sent as a parameter for each value, the default of OpenAPI. */
const partsOf = ({ schema }: OperationParameter, value: string): string[] =>
  resolveSchema(schema).type === 'array' ? value.split(',').map(part => part.trim()) : [value]

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.map(textOf).join(',') : (JSON.stringify(value) ?? '')

function headersOf(text: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const at = line.indexOf(':')
    if (at > 0) headers[line.slice(0, at).trim().toLowerCase()] = line.slice(at + 1).trim()
  }
  return headers
}
