// Media types as they are written, and the documented one for a content type (RFC 9110 §8.3.1). Parameters count; their order
// and the case of their names do not.

/** How a field of a form is written. */
export interface Encoding {
  readonly contentType: string | undefined
  readonly style: string | undefined
  readonly explode: boolean | undefined
}

/** The media type of a JSON Patch (RFC 6902). */
export const JSON_PATCH = 'application/json-patch+json'

/** Returns whether a media type is JSON (RFC 6839 §3.1 for `+json`). */
export const isJson = (mediaType: string): boolean => /^application\/(?:[\w.!#$&^-]+\+)?json(?:\s*;|$)/i.test(mediaType)

/** Returns a media type without its parameters, in lower case: `text/html; charset=utf-8` → `text/html`. */
export const essenceOf = (type: string): string => (type.split(';', 1)[0] as string).trim().toLowerCase()

/** Returns the parameters of a media type as texts: `version=2`, or the name of one without a value. */
export function mediaParameters(type: string): string[] {
  const out: string[] = []
  for (const [, name = '', quoted, plain] of type.matchAll(PARAMETER)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    out.push(value === undefined ? name.toLowerCase() : `${name.toLowerCase()}=${value.toLowerCase()}`)
  }
  return out
}

const PARAMETER = /;\s*([^\s;=]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*)))?/g

interface Documented<Value> {
  readonly essence: string
  readonly parameters: readonly string[]
  readonly value: Value
}

/**
 * Compiles the choice among documented media types and ranges. The exact type wins; then the one with the most parameters,
 * all of which were sent; then one of the same name with other parameters; then the range that it lies in.
 */
export function compileMediaTypes<Value>(content: ReadonlyMap<string, Value>): (type: string) => Value | undefined {
  const documented: readonly Documented<Value>[] = [...content].map(([type, value]) => ({
    essence: essenceOf(type),
    parameters: mediaParameters(type),
    value,
  }))
  return type => {
    const essence = essenceOf(type)
    const same = documented.filter(one => one.essence === essence)
    if (same.length <= 1) return (same[0] ?? coveringRange(documented, essence))?.value
    const sent = mediaParameters(type)
    const fitting = same.filter(({ parameters }) => parameters.every(one => sent.includes(one)))
    const best = fitting.reduce<Documented<Value> | undefined>(
      (a, b) => (a === undefined || b.parameters.length > a.parameters.length ? b : a),
      undefined,
    )
    return (best ?? same[0])?.value
  }
}

function coveringRange<Value>(
  documented: readonly Documented<Value>[],
  essence: string,
): Documented<Value> | undefined {
  const range = `${essence.split('/', 1)[0]}/*`
  return documented.find(one => one.essence === range) ?? documented.find(one => one.essence === '*/*')
}
