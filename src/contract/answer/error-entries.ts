// The entries of a list of errors: one for each rule that a request breaks, in the shape that the contract has for them.
// A field without a known value is left out; no value is invented.

import { isObject, type Json, type JsonObject, parsePointer } from '../../kernel/json.ts'
import { type BrokenRule, describeRule, type Refusal } from '../../kernel/problem.ts'
import {
  codesOf,
  DETAILS,
  FLAGS,
  PARTS,
  PATHS,
  POINTERS,
  plainly,
  RULES,
  ruleWordsOf,
  STATUSES,
  TITLES,
} from './error-words.ts'

/** Returns whether an entry is valid in its list. */
type EntryFits = (entry: Json) => boolean

/** The subject of an entry: a broken rule, or the whole refusal. */
interface Subject {
  readonly refusal: Refusal
  readonly rule: BrokenRule | undefined
}

/**
 * Returns the entries of a refusal: one for each broken rule, else one for the whole.
 *
 * @param template a valid entry
 * @returns `undefined` if a required field has no known value
 */
export function writeEntries(template: Json, refusal: Refusal, fits: EntryFits): Json[] | undefined {
  const rules: readonly (BrokenRule | undefined)[] = refusal.errors ?? [undefined]
  const entries = rules.map(rule => writeEntry(template, { refusal, rule }, fits))
  return entries.includes(undefined) ? undefined : (entries as Json[])
}

/** Returns errors by field, `{ name: ["is required"] }`; as texts if lists are invalid. */
export function writeByField(errors: readonly BrokenRule[], fits: EntryFits): Json | undefined {
  const lists = new Map<string, string[]>()
  for (const rule of errors) {
    const field = dotted(rule) || rule.in
    lists.set(field, [...(lists.get(field) ?? []), rule.message])
  }
  const asLists: Json = Object.fromEntries(lists)
  if (fits(asLists)) return asLists
  const asTexts: Json = Object.fromEntries([...lists].map(([field, messages]) => [field, messages.join('; ')]))
  return fits(asTexts) ? asTexts : undefined
}

function writeEntry(template: Json, subject: Subject, fits: EntryFits): Json | undefined {
  const { rule, refusal } = subject
  if (typeof template === 'string') {
    const text = rule === undefined ? refusal.detail : describeRule(rule)
    return [text, rule?.message ?? refusal.problem.title].find(fits)
  }
  if (!isObject(template)) return undefined
  return fillFields(template as JsonObject, subject, fits)
}

/** Returns the template with each field filled, removed or emptied; `undefined` if a field allows none of these. */
function fillFields(template: JsonObject, subject: Subject, fits: EntryFits): JsonObject | undefined {
  let current = template
  const attempt = (next: JsonObject): boolean => {
    const fit = fits(next)
    if (fit) current = next
    return fit
  }
  const names = Object.keys(template)
  for (const name of names) {
    const known = template[name] as Json
    const put = (value: Json) => attempt({ ...current, [name]: value })
    if (isObject(known)) {
      const within = (value: Json) => fits({ ...current, [name]: value })
      const filled = fillFields(known as JsonObject, subject, within)
      if (filled !== undefined && Object.values(filled).some(one => !isBlank(one)) && put(filled)) continue
    } else if (candidatesFor(name, known, names, subject).some(put)) continue
    const { [name]: _, ...without } = current
    if (!attempt(without) && !BLANKS.some(put)) return undefined
  }
  return current
}

const BLANKS: readonly Json[] = [null, '', [], {}]

const isBlank = (value: Json): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

function candidatesFor(name: string, known: Json, siblings: readonly string[], subject: Subject): readonly Json[] {
  const { rule, refusal } = subject
  const { problem, status, detail } = refusal
  const plain = plainly(name)
  const has = (names: ReadonlySet<string>) => siblings.some(one => names.has(plainly(one)))
  const out: Json[] = []
  if (typeof known === 'number') return STATUSES.has(plain) ? [status] : []
  if (typeof known === 'boolean') return FLAGS.has(plain) ? [false] : []
  if (PATHS.has(plain) && rule !== undefined) out.push(...pathsOf(plain, known, siblings, rule))
  if (Array.isArray(known)) return out
  if (DETAILS.has(plain) || plain === 'error') {
    // A message beside the field's name need not repeat it.
    const told = rule === undefined ? detail : has(PATHS) ? rule.message : describeRule(rule)
    out.push(...(plain === 'reason' && has(MESSAGES) ? [] : [told, problem.title]))
  }
  if (RULES.has(plain)) out.push(...(rule === undefined ? [] : ruleWordsOf(rule.rule)), ...codesOf(problem, status))
  if (TITLES.has(plain)) out.push(problem.title)
  if (STATUSES.has(plain)) out.push(`${status}`)
  return out
}

const MESSAGES: ReadonlySet<string> = new Set(['message', 'msg', 'detail', 'description', 'text', 'errormessage'])

/** Returns the candidate values of a field, best first, in the type and spelling of the template's value. */
function pathsOf(plain: string, known: Json, siblings: readonly string[], rule: BrokenRule): readonly Json[] {
  const steps = stepsOf(rule)
  if (Array.isArray(known)) return plain === 'loc' ? [[rule.in, ...steps], steps] : [steps, steps.map(String)]
  if (PARTS.has(plain)) {
    // If no other field has the name, the location has it.
    const named = siblings.some(one => PATHS.has(plainly(one)) && !PARTS.has(plainly(one)))
    return named || plain === 'in' ? [rule.in] : [rule.in, dotted(rule)]
  }
  const inBody = rule.in === 'body'
  // JSON:API's `source` has one member for each part of the request.
  const split = ['pointer', 'parameter'].every(part => siblings.some(one => plainly(one) === part))
  if (split && ((plain === 'pointer' && !inBody) || (plain === 'parameter' && inBody))) return []
  const field = dotted(rule) || rule.in
  if (!inBody) return [field]
  if (typeof known === 'string' && /^\$[.[]/.test(known)) return [`$${steps.map(step => `.${step}`).join('')}`]
  if (typeof known === 'string' && known.startsWith('#/')) return [`#${rule.path}`]
  return POINTERS.has(plain) || (typeof known === 'string' && known.startsWith('/'))
    ? [rule.path, field]
    : [field, rule.path]
}

/** Returns the parameter's name and the keys in its value, or the keys in the body. */
function stepsOf({ in: place, path }: BrokenRule): (string | number)[] {
  const end = path.indexOf('/')
  const name = place === 'body' ? '' : end === -1 ? path : path.slice(0, end)
  const keys = parsePointer(path.slice(name.length)) ?? []
  return [...(name === '' ? [] : [name]), ...keys.map(key => (/^\d+$/.test(key) ? Number(key) : key))]
}

const dotted = (rule: BrokenRule): string => stepsOf(rule).join('.')
