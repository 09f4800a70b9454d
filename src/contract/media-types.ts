// Finds the documented media type for a content type (RFC 9110 §8.3.1). Parameters count; their order and the case of their
// names do not.

import { essenceOf } from './contract.ts'

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
    if (same.length <= 1) return (same[0] ?? rangeOf(documented, essence))?.value
    const sent = mediaParameters(type)
    const fitting = same.filter(({ parameters }) => parameters.every(one => sent.includes(one)))
    const best = fitting.reduce<Documented<Value> | undefined>(
      (a, b) => (a === undefined || b.parameters.length > a.parameters.length ? b : a),
      undefined,
    )
    return (best ?? same[0])?.value
  }
}

function rangeOf<Value>(documented: readonly Documented<Value>[], essence: string): Documented<Value> | undefined {
  const range = `${essence.split('/', 1)[0]}/*`
  return documented.find(one => one.essence === range) ?? documented.find(one => one.essence === '*/*')
}
