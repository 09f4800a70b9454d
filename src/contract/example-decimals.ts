// Decimals of an OpenAPI document: those of examples keep their digits, all others are numbers to calculate with.

import type { Diagnostics } from '../kernel/diagnostic.ts'
import { Decimal } from '../kernel/json.ts'
import { readSource } from '../kernel/read-source.ts'
import type { Source } from '../kernel/source.ts'

/** Reads an OpenAPI document; see `readSource`. Its duplicate keys are warnings, and its decimals are rounded beyond examples. */
export function readDocument(path: string, name: string, report: Diagnostics): Source | undefined {
  const source = readSource(path, name, report, { lenient: true, decimals: true })
  roundBeyondExamples(source?.value)
  return source
}

/**
 * Replaces each `Decimal` of a parsed document by the nearest double, in place. The examples of bodies (`content.*.example`,
 * `content.*.examples`, `components.examples`) keep theirs, because they are sent as they are written.
 */
export function roundBeyondExamples(value: unknown): void {
  if (typeof value === 'object' && value !== null) round(value, '', '', 0)
}

/** @param key the key of `value`, below `owner` */
function round(value: unknown, key: string, owner: string, depth: number): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i]
      if (item instanceof Decimal) value[i] = Number(item)
      else if (typeof item === 'object' && item !== null) round(item, '', key, depth + 1)
    }
    return
  }
  const isMedia = owner === 'content' && key.includes('/')
  const members = value as Record<string, unknown>
  for (const name in members) {
    const item = members[name]
    if (typeof item !== 'object' || item === null) continue
    if (isMedia && (name === 'example' || name === 'examples')) continue
    if (depth === 1 && key === 'components' && name === 'examples') continue
    if (item instanceof Decimal) members[name] = Number(item)
    else round(item, name, key, depth + 1)
  }
}
