// Describes mistakes in the shape of gateway.yaml, and removes the invalid parts so that the rest can be checked too. Knows
// no key by name.

import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { isObject, parsePointer } from '../kernel/json.ts'
import type { Check, Schema } from '../kernel/schema.ts'
import type { Violation } from '../kernel/schema-errors.ts'
import type { Path, Source } from '../kernel/source.ts'
import { blockAt } from './foreign-words.ts'
import { culpritOf, treeOf, without } from './invalid-parts.ts'
import { homesOf, listed, suggestKey, underEmptyBlock } from './key-hints.ts'

/** A format of the schema: a description of valid texts, and the texts that are invalid only because of a maximum. */
interface Like {
  readonly like: string
  readonly above?: { readonly pattern: string; readonly rule: string }
}
export type Likes = Readonly<Record<string, Like>>

export interface ShapeCheck {
  readonly schema: Schema
  readonly formats: Likes
  /** The message and the hint for a file that has none of the schema's keys. Unset: each of its keys is reported. */
  readonly stranger?: { readonly message: string; readonly hint: string }
}

/**
 * Reports the mistakes in the value of a source.
 *
 * @param check validates the value, also after parts have been removed
 * @returns the value without its invalid parts; `undefined` if nothing remains
 */
export function checkShape(source: Source, check: Check, shape: ShapeCheck, report: Diagnostics): unknown {
  let { value } = source
  let violations = check(value, true)
  if (violations !== undefined && shape.stranger !== undefined && isAnotherFile(value, shape.schema)) {
    report.error('not-a-gateway-file', shape.stranger.message, source.locate([]), shape.stranger.hint)
    return undefined
  }
  for (const violation of violations ?? []) reportViolation(source, violation, shape, report)
  if (violations?.omitted !== undefined) {
    report.omit(violations.omitted)
    return undefined
  }
  // Removing a part may make its parent incomplete, and so on outwards.
  for (let depth = 0; violations !== undefined; depth++) {
    const culprits = violations.map(violation => culpritOf(value, violation))
    if (depth > 10 || culprits.some(path => path.length === 0)) return undefined
    // Names that others can refer to are one level below the top.
    for (const path of culprits) if (path.length === 2) report.broken.add(path[1] as string)
    value = without(value, treeOf(culprits))
    violations = check(value, true)
  }
  return value
}

/** Returns whether none of the keys is known. */
const isAnotherFile = (value: unknown, schema: Schema): boolean => {
  const known = (schema as { properties?: object }).properties ?? {}
  return !isObject(value) || !Object.keys(known).some(key => Object.hasOwn(value, key))
}

function reportViolation(
  source: Source,
  violation: Violation,
  { formats, schema }: ShapeCheck,
  report: Diagnostics,
): unknown {
  const { pointer, message, keyword, params } = violation
  const path: Path = parsePointer(pointer) ?? []
  const holder = path.slice(0, -1)
  const name = nameOf(source.value, path)
  const say = (code: string, text: string, part: 'key' | 'value', hint?: string) => {
    const place = source.locate(path, part)
    // The value depends on an environment variable that is not set.
    if (!report.has('missing-variable', place)) report.error(code, text, place, hint)
  }
  const format = formats[(params.format ?? params.declaredFormat) as string]
  switch (keyword) {
    case 'additionalProperties': {
      const key = String(path.at(-1))
      const homes = path.length === 1 ? homesOf(key, schema) : []
      // The key is beside the blocks that accept it, and no block is more likely than the others.
      if (homes.length > 2)
        return say('unknown-key', `"${key}" is not a key here; it belongs under ${listed(homes)}`, 'key')
      const hint = underEmptyBlock(key, path, source.value, schema) ?? suggestKey(key, params.known as string[], schema)
      return say('unknown-key', `unknown key "${key}"`, 'key', hint)
    }
    case 'required': {
      const place = source.locate(holder, 'key')
      const about = (params.about as string | undefined)?.split(/\. /, 1)[0]?.replace(/\.$/, '')
      return report.error('missing-key', `"${String(path.at(-1))}" is missing`, place, about)
    }
    case 'format':
      if (format?.above !== undefined && new RegExp(`^(?:${format.above.pattern})$`).test(String(params.given)))
        return say('invalid-value', `${name} must ${format.above.rule}`, 'value')
      return say(
        'invalid-unit',
        `${name} must be ${article(String(params.format))}`,
        'value',
        `write, for instance, ${format?.like}`,
      )
    case 'type': {
      if (format !== undefined && params.given === 'number') {
        return say('missing-unit', `${name} needs a unit`, 'value', `write, for instance, ${format.like}`)
      }
      const types = [params.type].flat().filter(type => type !== 'null')
      const words = types.map(type => TYPES[String(type)] ?? String(type)).join(' or ')
      if (params.given === null) return say('wrong-type', `${name} is empty; it must be ${words}`, 'key')
      const hint = types.includes('object') ? blockAt(path) : quoted(path, params.given)
      return say('wrong-type', `${name} must be ${words}`, 'value', hint)
    }
    case 'enum': {
      const allowed = (params.allowedValues as unknown[]).map(String)
      const { propertyName } = params
      if (propertyName === undefined) {
        return say('invalid-value', `${name} ${message}`, 'value', suggest(String(params.given), allowed))
      }
      const place = source.locate([...path, String(propertyName)], 'key')
      const text = `unknown key "${propertyName}"`
      return report.error('unknown-key', text, place, suggest(String(propertyName), allowed))
    }
    case 'minProperties':
      return say('missing-key', `${name} is empty`, 'key')
    case 'propertyNames':
      return undefined
    default:
      return say('invalid-value', `${name} ${message}`, 'value')
  }
}

/** A condition is text: YAML reads `when: true` as a boolean. */
const quoted = (path: Path, given: unknown): string | undefined =>
  path.at(-1) === 'when' && (typeof given === 'boolean' || given === 'number')
    ? 'write the condition as an expression in quotes, such as when: "true"'
    : undefined

const article = (word: string): string => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`

const TYPES: Readonly<Record<string, string>> = {
  object: 'a block of keys',
  array: 'a list',
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
}

/** Returns the key in quotes; for an item of a list, the list's key. */
function nameOf(value: unknown, path: Path): string {
  const key = path.at(-1)
  if (key === undefined) return 'the file'
  const holder = path.slice(0, -1).reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], value)
  return Array.isArray(holder) ? `an item of "${String(path.at(-2))}"` : `"${String(key)}"`
}
