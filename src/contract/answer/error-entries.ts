// The entries of a list of errors: one for each broken rule, as texts, as objects or by field. The names of fields in error
// bodies, their purposes, and the values that fill them.

import { STATUS_CODES } from 'node:http'
import type { Path } from '../../kernel/file/source.ts'
import { type BrokenRule, describeRule, type Problem, type Refusal } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject, mapValues, parsePointer } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { GuardedValue } from './echo.ts'

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
 * @param isExample whether the shape is an example: its names mean something
 */
export function formsByField(
  shape: JsonObject,
  refusal: Refusal,
  declared: ReadonlySet<string>,
  form: (known: Json, at: Path, about: Refusal) => Json | undefined,
  isExample: boolean,
): Json[] {
  const { errors = [] } = refusal
  const byField = new Map<string, BrokenRule[]>()
  for (const rule of errors) getOrMake(byField, dotted(rule) || rule.in, (): BrokenRule[] => []).push(rule)
  const rulesOf = Object.fromEntries(byField)
  const lists = mapValues(rulesOf, rules => rules.map(({ message }) => message))
  const entries = ([name, known]: [string, Json]): Json[] => {
    const made = mapValues(rulesOf, rules => form(known, [name], { ...refusal, errors: rules }) ?? null)
    return Object.values(made).includes(null) ? [] : [made]
  }
  const [first] = Object.entries(shape)
  // Without a field, the error is about what the example names, or about the request.
  const subject = first !== undefined && isExample ? first[0] : 'request'
  const about = form(first?.[1] ?? [], [subject], refusal)
  const free: Json[] =
    errors.length === 0
      ? [about, [refusal.detail], refusal.detail].flatMap(one => (one === undefined ? [] : [{ [subject]: one }]))
      : [lists, mapValues(lists, messages => messages.join('; ')), ...(first === undefined ? [] : entries(first))]
  const others = errors.filter(rule => !declared.has(dotted(rule)))
  const rest = errors.length === 0 ? refusal : { ...refusal, errors: others }
  const isMixed = others.length < errors.length
  const named = Object.keys(shape)
    .filter(name => declared.has(name))
    .sort((a, b) => Number(GENERAL.test(b)) - Number(GENERAL.test(a)))
    .flatMap(name => {
      // The list of a field has its own mistakes, and a general one those of the other fields.
      const isRest = !isMixed || (others.length > 0 && GENERAL.test(name))
      const made = lists[name] ?? (isRest ? form(shape[name] as Json, [name], rest) : undefined)
      return made === undefined ? [] : [{ [name]: made }]
    })
  const all = [...(isMixed ? [] : named), Object.assign({}, ...named)]
  const isFree = declared.size === 0 || (errors.length > 0 && [...byField.keys()].every(field => declared.has(field)))
  return (isFree ? [...free, ...all] : [...all, ...free]).filter(made => Object.keys(made as JsonObject).length > 0)
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
  // A message beside the field's name need not repeat it.
  const told = rule === undefined ? detail : isNamed ? rule.message : describeRule(rule)
  if (Array.isArray(known)) return /(?:errors|messages|reasons)$/.test(plain) ? [...out, [told]] : out
  if (DETAILS.has(plain) || plain === 'error') {
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

// --- names and values --------------------------------------------------------------------------------------------------

/** Returns a name without case and punctuation: `error_code` and `errorCode` become `errorcode`. */
export const plainly = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '')

const set = (...names: string[]): ReadonlySet<string> => new Set(names.join(' ').split(' '))

/** Fields with the message for people. */
export const DETAILS = set(
  'message msg detail details description text info reason explanation errormessage errordescription',
  'developermessage usermessage errordetail errortext errormsg errordetails why cause problem faultstring diagnostics ' +
    'longmessage displaymessage localizedmessage messagetext',
)
/** Fields that name the kind of the error for people. */
export const TITLES = set('title summary error statustext errortitle')
/** Fields that name the kind of the error for programs. */
export const CODES = set('code errorcode type errortype reason error name status kind errorname messagecode')
/** Fields that hold the HTTP status and nothing else, unless an enum says so. */
export const HTTP_STATUSES = set('status statuscode httpstatus httpcode httpstatuscode')
/** Fields that may hold it. */
export const STATUSES = set(...HTTP_STATUSES, 'code errorcode')
/** Fields that contain errors, possibly nested. They are searched. */
export const HOLDERS = set(
  'error errors fault faults detail details problem problems message messages meta status issue issues violation',
  'violations data body response result fields fielderrors validationerrors validation invalidparams invalidparameters',
  'errordetails causes failures',
)
/** Fields that say whether the request succeeded. */
export const FLAGS = set('success ok succeeded')

/** In an entry of a list of errors: the name of the invalid field. */
export const ERROR_PATHS = set(
  'field fieldname property propertyname propertypath param paramname parameter parametername attribute key target path',
  'pointer jsonpointer jsonpath instancepath datapath loc ref element member argument input name in location source where',
)
/** The ones that are a JSON Pointer and not a name. */
const POINTERS = set('pointer jsonpointer instancepath datapath ref')
/** The ones that may also be the part of the request. */
const PARTS = set('in location source where')
/** In an entry: the broken rule. */
const RULES = set(
  'rule code errorcode type errortype keyword constraint validation validator issue kind reason messagekey errorkey',
)

/** Further codes for a problem, most likely first. */
const SYNONYMS: Readonly<Record<string, string>> = {
  invalid_request:
    'bad_request validation_error validation_failed invalid_argument invalid_input invalid_parameter invalid ' +
    'invalid_arguments invalid_args invalid_parameters invalid_params invalid_form_data invalid_arg_name invalid_json',
  unauthorized:
    'unauthenticated authentication_required authentication_error invalid_token access_denied not_authed invalid_auth',
  forbidden:
    'permission_denied access_denied insufficient_scope authorization_error no_permission missing_scope not_allowed',
  not_found: 'resource_not_found no_such_resource unknown',
  conflict: 'already_exists duplicate resource_exists',
  precondition_failed: 'failed_precondition',
  payload_too_large: 'request_too_large content_too_large too_large',
  unsupported_media_type: 'invalid_content_type unsupported_content_type invalid_post_type',
  too_many_requests: 'rate_limited rate_limit_exceeded rate_limit resource_exhausted throttled',
  internal_error: 'internal_server_error server_error internal unknown_error',
  not_simulated: 'not_implemented unimplemented',
  unavailable: 'service_unavailable temporarily_unavailable',
}
/** Codes for any error of a client, or of a server, where an enum has none for the problem itself. */
const CLIENT_ERRORS = 'invalid_request bad_request client_error request_error'
const SERVER_ERRORS = 'internal_error server_error api_error'
const RULE_SYNONYMS: Readonly<Record<string, string>> = {
  required: 'missing_field missing required_field field_required is_required field_value_required blank',
  type: 'invalid_type type_error wrong_type',
  enum: 'invalid_value invalid_choice not_in_list inclusion',
  format: 'invalid_format',
  pattern: 'invalid_format',
  reference: 'not_found does_not_exist missing invalid_reference',
  additionalProperties: 'unknown_field unknown',
  unknownField: 'unknown_field unknown',
}

/**
 * Returns the spellings of a code: `bad_request`, `BAD_REQUEST`, `BadRequest`, `badRequest`, `bad-request`, `Bad Request`.
 */
function writingsOf(word: string): string[] {
  const parts = word.split('_')
  const pascal = parts.map(part => part.charAt(0).toUpperCase() + part.slice(1))
  const camel = [parts[0], ...pascal.slice(1)].join('')
  return [word, word.toUpperCase(), pascal.join(''), camel, parts.join('-'), parts.join(' '), pascal.join(' ')]
}

const snake = (text: string): string =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]+/g, '_')
    .toLowerCase()

/** The codes for each problem with a status, and for each broken rule: there are few of both. */
const spellings = new Map<string, readonly string[]>()

const spelled = (key: string, texts: () => readonly string[]): readonly string[] =>
  getOrMake(spellings, key, () => {
    const words = texts().join(' ').split(' ')
    const errors = words.map(word => `${word}_error`)
    return [...new Set([...words, ...words.flatMap(writingsOf), ...errors.flatMap(writingsOf)])]
  })

/** Returns the possible codes of a problem with a status, most likely first. */
export const codesOf = ({ code }: Problem, status: number): readonly string[] => [
  ...spelled(`${status} ${code}`, () => {
    const kind = status < 500 ? CLIENT_ERRORS : SERVER_ERRORS
    return [code, snake(STATUS_CODES[status] ?? code), SYNONYMS[code] ?? code, kind]
  }),
  `${status}`,
]

/** Returns the possible codes of a broken rule, most likely first. */
const ruleWordsOf = (rule: string): readonly string[] =>
  spelled(rule, () => [
    rule,
    RULE_SYNONYMS[rule] ?? rule,
    'invalid invalid_value invalid_field invalid_field_value validation',
  ])
