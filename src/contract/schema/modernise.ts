// Translates the keywords of older dialects, and common mixtures of two dialects.

import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { isObject } from '../../kernel/json.ts'
import { childOf, type Node, placeOf } from '../documents.ts'

/**
 * Translates OpenAPI 3.0 (JSON Schema Wright 00) to 2020-12.
 *
 * @param node the schema as it is written
 * @param out its translated keywords
 */
export function modernise(node: Node, out: Record<string, unknown>, report: Diagnostics): Record<string, unknown> {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof out[flag] !== 'boolean') continue
    const exclusive = out[flag]
    delete out[flag]
    if (exclusive && out[bound] !== undefined) {
      out[flag] = out[bound]
      delete out[bound]
    }
  }
  mendEnum(node, out, report)
  if (!isObject(node.value) || (node.value.nullable !== true && node.value['x-nullable'] !== true)) return out
  if (Array.isArray(out.enum) && !out.enum.includes(null)) out.enum = [...out.enum, null]
  const { type } = out
  if (type === undefined) return Object.keys(out).length === 0 ? out : { anyOf: [out, { type: 'null' }] }
  const others = ['const', 'allOf', 'anyOf', 'oneOf', '$ref', 'if'].some(keyword => out[keyword] !== undefined)
  if (others) return { anyOf: [out, { type: 'null' }] }
  return { ...out, type: [...new Set([type, 'null'].flat())] }
}

/** YAML turns unquoted words into numbers: `type: string` beside `enum: [1, 2]` means the texts. */
function mendEnum(node: Node, out: Record<string, unknown>, report: Diagnostics): void {
  const { type } = out
  if (!Array.isArray(out.enum) || typeof type !== 'string') return
  const mended = out.enum.map(value => {
    if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
    if ((type === 'integer' || type === 'number') && typeof value === 'string' && value.trim() !== '') {
      return Number.isFinite(Number(value)) ? Number(value) : value
    }
    return value
  })
  if (mended.every((value, index) => value === (out.enum as unknown[])[index])) return
  report.warning(
    'invalid-keyword',
    `"enum" contains values that are not of type ${type}`,
    placeOf(childOf(node, 'enum'), 'key'),
  )
  out.enum = mended
}
