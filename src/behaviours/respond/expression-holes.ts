// Replaces the expressions of a page's or record's template by template fields, so that the template itself does not know
// them.

import { ExpressionFailure } from '../../expression/expression.ts'
import { partsOf } from '../../expression/template.ts'
import { isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import type { Path } from '../../kernel/source.ts'
import { JsonText, type TemplateFields, VARIABLE } from '../../kernel/template.ts'
import type { Exchange, Site } from '../behaviour.ts'

interface InExchange {
  /** Absent while the template is tried at load. */
  readonly exchange?: Exchange
}

export interface Replaced<Context> {
  /** The template, with `${page.#0}` in place of the first expression. */
  readonly template: Json
  /** The expressions by the name of their field. An expression that fails for a request gives null. */
  readonly fields: TemplateFields<Context>
}

/**
 * Compiles the expressions of a template, and reports their mistakes.
 *
 * @param namespace of the template's own fields: `page`
 * @param path of the template within the behaviour's configuration
 */
export function replaceExpressions<Context extends InExchange>(
  template: Json,
  namespace: string,
  path: Path,
  site: Site,
): Replaced<Context> {
  const fields: Record<string, TemplateFields<Context>[string]> = {}
  const replaceIn = (text: string, at: Path): string =>
    partsOf(text)
      .map(part => {
        if (typeof part === 'string') return part
        const whole = `\${${part.text}${part.closed ? '}' : ''}`
        if (!part.closed || part.text.startsWith(`${namespace}.`) || VARIABLE.test(part.text)) return whole
        const name = `#${Object.keys(fields).length}`
        fields[name] = compileHole(part.text, part.start, at, site)
        return `\${${namespace}.${name}}`
      })
      .join('')
  const replace = (value: Json, at: Path): Json => {
    if (typeof value === 'string') return value.includes('${') ? replaceIn(value, at) : value
    if (Array.isArray(value)) return value.map((item, i) => replace(item, [...at, i]))
    if (!isObject(value)) return value
    const members = Object.entries(value as JsonObject).map(([name, item]) => [name, replace(item, [...at, name])])
    return Object.fromEntries(members)
  }
  return { template: replace(template, path), fields }
}

function compileHole<Context extends InExchange>(
  text: string,
  start: number,
  path: Path,
  site: Site,
): TemplateFields<Context>[string] {
  const compiled = site.expressions.expression(text, path, start, site.error)
  if (compiled === undefined) return () => null
  if (compiled.references.some(({ kind }) => kind === 'resource')) {
    const at = { start, end: start + text.length }
    site.error('unknown-expression', 'records cannot be read here', path, 'use record() in a rule or a fixed reply', at)
  }
  const sample = SAMPLES[compiled.type.replace(/<.*/s, '')] ?? null
  return ({ exchange }) => {
    if (exchange?.world === undefined) return sample
    try {
      const value = compiled.evaluate(site.expressions.scope(exchange)) as Json
      return typeof value === 'string' || typeof value === 'boolean' || value === null
        ? value
        : new JsonText(stringifyJson(value))
    } catch (error) {
      if (error instanceof ExpressionFailure) return null
      throw error
    }
  }
}

/** A value of each type, for checking the template at load. */
const SAMPLES: Readonly<Record<string, string | number | boolean>> = { string: 'text', int: 1, double: 0.5, bool: true }
