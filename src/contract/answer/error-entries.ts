// The entries of a list of errors: one for each broken rule, as texts, as objects or by field.

import type { Path } from '../../kernel/file/source.ts'
import { type BrokenRule, describeRule, type Refusal } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject, mapValues, parsePointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { GuardedValue } from './echo.ts'
import {
  codesOf,
  DETAILS,
  ERROR_PATHS,
  FLAGS,
  PARTS,
  POINTERS,
  plainly,
  RULES,
  ruleWordsOf,
  STATUSES,
  TITLES,
} from './error-words.ts'

/** Returns a sentence for each broken rule, `name is required`, else one for the whole refusal. */
export const reasonsOf = ({ errors, detail }: Refusal): string[] =>
  errors?.map(rule =>
    rule.in === 'body' && rule.path !== '' ? `${dotted(rule)} ${rule.message}` : describeRule(rule),
  ) ?? [detail]

/** Names of lists for errors that are not about one field. */
const GENERAL = /^(?:base|general|global|body|common|form|.*errors|.*messages)$/i

/**
 * Returns objects of errors by field, `{ name: ["is required"] }`, and with all of them in a list that the schema names,
 * `{ base: ["name is required"] }`; best first.
 *
 * @param declared the fields that the schema names
 * @param form what is written in place of a value of the shape
 */
export function formsByField(
  shape: JsonObject,
  { errors = [] }: Refusal,
  declared: ReadonlySet<string>,
  form: (known: Json, at: Path) => Json | undefined,
): Json[] {
  const lists = new Map<string, string[]>()
  for (const rule of errors) {
    const field = dotted(rule) || rule.in
    getOrMake(lists, field, (): string[] => []).push(rule.message)
  }
  const byField = Object.fromEntries(lists)
  const free: Json[] = errors.length === 0 ? [] : [byField, mapValues(byField, messages => messages.join('; '))]
  const names = Object.keys(shape).filter(name => declared.has(name))
  const named = names
    .sort((a, b) => Number(GENERAL.test(b)) - Number(GENERAL.test(a)))
    .flatMap(name => {
      const made = form(shape[name] as Json, [name])
      return made === undefined ? [] : [{ [name]: made }]
    })
  const all = [...named, Object.assign({}, ...named)]
  const isFree = declared.size === 0 || [...lists.keys()].every(field => declared.has(field))
  return isFree ? [...free, ...all] : [...all, ...free]
}

/** The subject of an entry: a broken rule, or the whole refusal. */
interface EntrySubject {
  readonly refusal: Refusal
  readonly rule: BrokenRule | undefined
}

/**
 * Returns the entries of a refusal in a list of errors: one for each broken rule, else one for the whole. A field without a
 * known value is left out; no value is invented.
 *
 * @param template a valid entry
 * @returns `undefined` if a required field has no known value
 */
export function writeEntries(template: Json, refusal: Refusal, fits: (entry: Json) => boolean): Json[] | undefined {
  const rules: readonly (BrokenRule | undefined)[] = refusal.errors ?? [undefined]
  const entries = rules.map(rule => {
    if (isObject(template)) return fillFields(template as JsonObject, { refusal, rule }, fits)
    if (typeof template !== 'string') return undefined
    const [text = ''] = rule === undefined ? [refusal.detail] : reasonsOf({ ...refusal, errors: [rule] })
    return [text, rule?.message ?? refusal.problem.title].find(fits)
  })
  return entries.includes(undefined) ? undefined : (entries as Json[])
}

const BLANKS: readonly Json[] = [null, '', [], {}]

const isBlank = (value: Json): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** Returns the template with each field filled, removed or emptied; `undefined` if a field allows none of these. */
function fillFields(template: JsonObject, subject: EntrySubject, fits: (value: Json) => boolean): Json | undefined {
  const entry = new GuardedValue(template, fits)
  const names = Object.keys(template)
  const isPath = (name: string) => ERROR_PATHS.has(plainly(name))
  // A message says which field is meant if no other field of the entry can.
  for (const name of [...names].sort((a, b) => Number(isPath(b)) - Number(isPath(a)))) {
    const known = template[name] as Json
    const put = (value: Json) => entry.put([name], value)
    if (isObject(known)) {
      const filled = fillFields(known as JsonObject, subject, value => entry.fits([name], value))
      if (filled !== undefined && Object.values(filled as JsonObject).some(one => !isBlank(one)) && put(filled))
        continue
    } else if (
      candidatesFor(name, known, names, subject, Object.keys(entry.value as JsonObject).some(isPath)).some(put)
    )
      continue
    if (entry.drop([name]) || BLANKS.some(put)) continue
    // A code that the schema requires stays beside the message, rather than no entry at all.
    const isCode = typeof known === 'string' && !/\s/.test(known) && names.some(one => DETAILS.has(plainly(one)))
    if (!isCode) return undefined
  }
  return entry.value
}

function candidatesFor(
  name: string,
  known: Json,
  siblings: readonly string[],
  subject: EntrySubject,
  isNamed: boolean,
): readonly Json[] {
  const { rule, refusal } = subject
  const { problem, status, detail } = refusal
  const plain = plainly(name)
  const others = siblings.map(plainly).filter(one => one !== plain)
  const has = (names: ReadonlySet<string>) => others.some(one => names.has(one))
  const out: Json[] = []
  if (typeof known === 'number') return STATUSES.has(plain) ? [status] : []
  if (typeof known === 'boolean') return FLAGS.has(plain) ? [false] : []
  if (ERROR_PATHS.has(plain) && rule !== undefined) out.push(...pathsOf(plain, known, siblings, rule))
  if (Array.isArray(known)) return out
  if (DETAILS.has(plain) || plain === 'error') {
    // A message beside the field's name need not repeat it.
    const told = rule === undefined ? detail : isNamed ? rule.message : describeRule(rule)
    if (plain !== 'reason' || !has(DETAILS)) out.push(told, problem.title)
  }
  if (RULES.has(plain)) out.push(...(rule === undefined ? [] : ruleWordsOf(rule.rule)), ...codesOf(problem, status))
  if (TITLES.has(plain)) out.push(problem.title)
  if (STATUSES.has(plain)) out.push(`${status}`)
  return out
}

/** Returns the candidate values of a field, best first, in the type and spelling of the template's value. */
function pathsOf(plain: string, known: Json, siblings: readonly string[], rule: BrokenRule): readonly Json[] {
  const steps = stepsOf(rule)
  if (Array.isArray(known)) return plain === 'loc' ? [[rule.in, ...steps], steps] : [steps, steps.map(String)]
  const others = siblings.map(plainly)
  if (PARTS.has(plain)) {
    // If no other field has the name, the location has it.
    const isNamed = others.some(one => ERROR_PATHS.has(one) && !PARTS.has(one))
    return isNamed || plain === 'in' ? [rule.in] : [rule.in, dotted(rule)]
  }
  const inBody = rule.in === 'body'
  // JSON:API's `source` has one member for each part of the request.
  const isSplit = others.includes('pointer') && others.includes('parameter')
  if (isSplit && ((plain === 'pointer' && !inBody) || (plain === 'parameter' && inBody))) return []
  const field = dotted(rule) || rule.in
  if (!inBody) return [field]
  const text = typeof known === 'string' ? known : ''
  if (/^\$[.[]/.test(text)) return [`$${steps.map(step => `.${step}`).join('')}`]
  if (text.startsWith('#/')) return [`#${rule.path}`]
  return POINTERS.has(plain) || text.startsWith('/') ? [rule.path, field] : [field, rule.path]
}

/** Returns the parameter's name and the keys in its value, or the keys in the body. */
function stepsOf({ in: place, path }: BrokenRule): (string | number)[] {
  const end = path.indexOf('/')
  const name = place === 'body' ? '' : end === -1 ? path : path.slice(0, end)
  const keys = parsePointer(path.slice(name.length)) ?? []
  return [...(name === '' ? [] : [name]), ...keys.map(key => (/^\d+$/.test(key) ? Number(key) : key))]
}

const dotted = (rule: BrokenRule): string => stepsOf(rule).join('.')
