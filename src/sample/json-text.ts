// Generates strings that contain JSON: a value of `contentSchema`, written as text.

import { stringifyJson } from '../kernel/value/json.ts'
import type { Facets } from './facets.ts'
import type { Writer } from './writer.ts'

/**
 * Returns a value of `contentSchema` as text; `undefined` if the content is not JSON or another keyword decides the text.
 */
export function writeJsonText(
  run: Writer,
  facets: Facets,
  name: string | undefined,
  budget: number,
  depth: number,
): string | undefined {
  const content = facets.schemas.flatMap(({ contentSchema }) => (contentSchema === undefined ? [] : [contentSchema]))
  const types = facets.schemas.flatMap(({ contentMediaType }) =>
    typeof contentMediaType === 'string' ? contentMediaType : [],
  )
  if (content.length === 0 || !types.every(type => /\bjson\b/.test(type))) return undefined
  const text = stringifyJson(run.value(content, name, budget, depth + 1))
  return facets.schemas.every(schema => run.fitting.fits(schema, text)) ? text : undefined
}
