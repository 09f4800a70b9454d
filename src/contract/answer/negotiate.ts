// Chooses among the documented media types for a client (RFC 9110 §12.5.1). The only file that imports the negotiation
// library.

import Negotiator from 'negotiator'
import { essenceOf, mediaParameters } from '../media-types.ts'

/** Returns the index of the documented type that the client prefers; `undefined` if it accepts none. */
export type Negotiate = (accept: string | undefined) => number | undefined

/** @param types as documented, ranges such as `text/*` among them */
export function compileNegotiation(types: readonly string[]): Negotiate {
  const essences = types.map(essenceOf)
  const concrete = types.map(type => withValues(concreteOf(type)))
  const negotiate = (accept: string): number | undefined => {
    const best = bestOf(withValues(accept), concrete) ?? bestOf(withoutParameters(accept), concrete.map(essenceOf))
    if (best !== undefined) return plainest(best, accept, types)
    // A documented range matches the requested types within it.
    const wanted = accept.split(',').map(essenceOf)
    const index = essences.findIndex(range => range.endsWith('/*') && wanted.some(type => within(type, range)))
    return index === -1 ? undefined : index
  }
  const known = new Map<string, number | undefined>()
  return accept => {
    // The most common value, and a missing header, accept anything.
    if (accept === undefined || accept === '' || accept === '*/*') return types.length > 0 ? 0 : undefined
    const kept = known.get(accept)
    if (kept !== undefined) return kept
    const index = negotiate(accept)
    // Clients repeat a few values, so these are cached; the cache is bounded.
    if (known.size < MOST_KNOWN) known.set(accept, index)
    return index
  }
}

const MOST_KNOWN = 50

/** Returns the documented type without parameters if the client names it and another one of its kind came first. */
function plainest(best: number, accept: string, types: readonly string[]): number {
  const essence = essenceOf(types[best] as string)
  const plain = types.indexOf(essence)
  if (plain === -1 || mediaParameters(types[best] as string).length === 0) return best
  const asked = accept.split(',').filter(range => essenceOf(range) === essence)
  return asked.some(range => mediaParameters(range).every(one => one.startsWith('q='))) ? plain : best
}

/** Adds a value to parameters without one, `;simple`, because the library ignores them. */
const withValues = (text: string): string => text.replace(/;\s*([^\s;=,"]+)\s*(?=[;,]|$)/g, ';$1=true')

/** Returns the content type to send for a documented type: for a range, the requested type within it, or its usual member. */
export function contentTypeFor(type: string, accept: string | undefined): string {
  const essence = essenceOf(type)
  if (!essence.endsWith('/*')) return type
  const wanted = (accept ?? '').split(',').map(essenceOf)
  return wanted.find(one => !one.includes('*') && within(one, essence)) ?? concreteOf(type)
}

const USUAL: Readonly<Record<string, string>> = {
  text: 'text/plain',
  image: 'image/png',
  audio: 'audio/mpeg',
  video: 'video/mp4',
  font: 'font/woff2',
  model: 'model/gltf-binary',
}

function concreteOf(type: string): string {
  const [kind = '', subtype] = essenceOf(type).split('/')
  return subtype === '*' ? (USUAL[kind] ?? 'application/json') : type
}

const within = (type: string, range: string): boolean => range === '*/*' || type.startsWith(range.slice(0, -1))

function bestOf(accept: string, types: readonly string[]): number | undefined {
  const best = new Negotiator({ headers: { accept } }).mediaTypes([...types])[0]
  return best === undefined ? undefined : types.indexOf(best)
}

/** Ignores undocumented versions and charsets. A weight is not a parameter. */
const withoutParameters = (accept: string): string =>
  accept
    .split(',')
    .map(range => {
      const weight = /;\s*q\s*=\s*[\d.]+/i.exec(range)
      return essenceOf(range) + (weight?.[0] ?? '')
    })
    .join(',')
