// The headers that the contract documents for a reply, whoever made its body.

import { fieldText, type Headers, NO_HEADERS, type Reply, type Request, withHeaders } from '../../kernel/http.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { Chance, hashOf } from '../../sample/chance.ts'
import { type Header, headersOf, type Operation, type ResponseSpec, responseFor } from '../contract.ts'
import { bareText } from '../media-types.ts'

/** The values that the headers of a reply may use. */
export interface Scene {
  readonly seed: number
  readonly dynamic: boolean
  readonly status: number
  readonly method: string
  /** The path as requested. */
  readonly path: string
  /** The authority as requested. */
  readonly host: string | undefined
  /** The body's value. */
  readonly body: Json | undefined
  /** Returns the value of a header, by its name in lower case, if the reply determines it. */
  readonly fact?: (name: string) => Json | undefined
}

/** Returns the scene of a reply about a place of the API, the same each time. Default: the path of the request. */
export function sceneOf({ request, operation }: Asked, status: number, place = request.path): Scene {
  const { method, path, headers } = request
  const host = headers.host?.toString()
  return { seed: hashOf(`${operation.id} ${place}`), dynamic: false, status, method, path, host, body: undefined }
}

interface Asked {
  readonly request: Pick<Request, 'method' | 'path' | 'headers'>
  readonly operation: Operation
}

/** Returns a reply with the headers that its operation documents for its status. @param scene Default: the place of the request */
export function withDocumentedHeaders(reply: Reply, asked: Asked, scene = sceneOf(asked, reply.status)): Reply {
  const response = responseFor(asked.operation, reply.status)
  if (response === undefined || headersOf(response).length === 0) return reply
  return withHeaders(reply, writeHeaders(response, scene, reply.headers))
}

/**
 * Returns the headers that a response documents, written in the style `simple`: what is known, an example, or a value of their
 * schema. Those without a valid value are left out.
 *
 * @param written the headers that the reply has: they stay as they are, but for a `Location` that has to be a whole URL
 */
export function writeHeaders(
  response: ResponseSpec,
  scene: Scene,
  written: Headers = NO_HEADERS,
): Record<string, string> {
  const out: Record<string, string> = {}
  for (const header of headersOf(response)) {
    const name = header.name.toLowerCase()
    const own = written[name]
    const value = own === undefined ? fieldValueOf(header, name, scene) : wholeAddress(own, header, name, scene)
    if (value === undefined) continue
    const text = simple(value, header.explode)
    // A field value is a line of ASCII (RFC 9110 §5.5).
    out[name] = fieldText(text.replace(/[\r\n\t]+/g, ' ')).trim()
  }
  return out
}

/** Returns an address that a reply has, with the host if only that is valid. */
function wholeAddress(address: string, { schema }: Header, name: string, { host }: Scene): string {
  if (!name.endsWith('location') || schema === undefined || schema.fits(address)) return address
  const whole = withHost(address, host)
  return schema.fits(whole) ? whole : address
}

const withHost = (target: string, host = 'localhost'): string => `http://${host}${target}`

function fieldValueOf({ schema, examples, required }: Header, name: string, scene: Scene): Json | undefined {
  const fits = (value: Json) => schema === undefined || schema.fits(value)
  const fact = scene.fact?.(name)
  if (fact !== undefined && fits(fact)) return fact
  const example = scene.dynamic ? undefined : examples.find(({ value }) => fits(value))
  if (example !== undefined) return example.value
  const seed = scene.seed ^ hashOf(name)
  const usual = usualOf(name, scene, new Chance(seed)).find(fits)
  if (usual !== undefined && !proposes(schema?.definitions[schema.key])) return usual
  return schema?.sample({ seed, dynamic: scene.dynamic, name }).value ?? (required ? (usual ?? 'value') : undefined)
}

/** Returns whether the schema itself determines the value. */
const proposes = (schema: unknown): boolean =>
  isObject(schema) && ['example', 'examples', 'default', 'const', 'enum'].some(keyword => schema[keyword] !== undefined)

const DATES = ['Wed, 21 Oct 2015 07:28:00 GMT', 'Mon, 06 May 2024 09:30:00 GMT', 'Fri, 13 Sep 2024 16:05:00 GMT']

/** Returns values of a well-known header, best first. */
function usualOf(name: string, scene: Scene, chance: Chance): Json[] {
  const { status, method, path, host, seed } = scene
  const absolute = (target: string) => [target, withHost(target, host)]
  switch (name) {
    case 'location':
    case 'content-location': {
      const { body } = scene
      const id = isObject(body) ? (body.id ?? body.uuid ?? body.key ?? body.name) : undefined
      const created = method === 'POST' && (status === 201 || status === 202)
      const end =
        typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint'
          ? String(id)
          : `${chance.between(1, 999)}`
      return absolute(created ? `${path.replace(/\/$/, '')}/${encodeURIComponent(end)}` : path)
    }
    case 'link':
      return [`<${path}?page=2>; rel="next"`]
    case 'etag':
      return [`"${(seed >>> 0).toString(16)}"`]
    case 'last-modified':
    case 'expires':
      return [chance.pick(DATES)]
    case 'retry-after':
      return [chance.between(1, 60), '30']
    case 'cache-control':
      return ['no-cache']
    case 'content-disposition':
      return ['attachment; filename="download"']
    case 'content-language':
      return ['en']
    case 'allow':
      return [method]
    case 'set-cookie':
      return [`session=${(seed >>> 0).toString(16)}; Path=/; HttpOnly`]
    case 'www-authenticate':
      return ['Bearer']
    default:
      return []
  }
}

/** Style `simple` (OpenAPI "Style Values"): lists by comma, objects as pairs. */
function simple(value: Json, explode: boolean): string {
  if (Array.isArray(value)) return value.map(bareText).join(',')
  if (!isObject(value)) return bareText(value as Json)
  const pairs = Object.entries(value as Record<string, Json>).map(([name, item]) => [name, bareText(item)])
  return pairs.map(pair => pair.join(explode ? '=' : ',')).join(',')
}
