// Documented response headers: an example, or a value of their schema, written in the style `simple`. Independent of
// sockets.

import { fieldText } from '../../kernel/http.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { Chance, hashOf } from '../../sample/chance.ts'
import type { Header } from '../contract.ts'
import { bareText } from '../sequences.ts'

/** The values that the headers of a reply may use. */
interface Scene {
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
}

/** Headers that the server sets itself, or that would change the reading of the body. */
const FRAMING = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive', 'te', 'trailer'],
  ...['upgrade', 'transfer-encoding', 'content-range', 'accept-ranges', 'vary'],
])

/** Returns the headers of a reply. Those with invalid names or values are left out. */
export function writeHeaders(documented: readonly Header[], scene: Scene): Record<string, string> {
  const out: Record<string, string> = {}
  for (const header of documented) {
    const name = header.name.toLowerCase()
    if (FRAMING.has(name) || name.startsWith('access-control-') || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) continue
    const value = fieldValueOf(header, name, scene)
    if (value === undefined) continue
    const text = simple(value, header.explode)
    // A field value is a line of ASCII (RFC 9110 §5.5).
    out[name] = fieldText(text.replace(/[\r\n\t]+/g, ' ')).trim()
  }
  return out
}

function fieldValueOf({ schema, examples, required }: Header, name: string, scene: Scene): Json | undefined {
  const fits = (value: Json) => schema === undefined || schema.fits(value)
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
function usualOf(name: string, { status, method, path, host, body, seed }: Scene, chance: Chance): Json[] {
  const absolute = (target: string) => [target, `http://${host ?? 'localhost'}${target}`]
  switch (name) {
    case 'location':
    case 'content-location': {
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
