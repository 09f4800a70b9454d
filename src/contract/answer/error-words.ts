// The names of fields in error bodies, their purposes, and the values that fill them.

import { STATUS_CODES } from 'node:http'
import type { Problem } from '../../kernel/http.ts'
import { getOrMake } from '../../kernel/memo.ts'

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
export const POINTERS = set('pointer jsonpointer instancepath datapath ref')
/** The ones that may also be the part of the request. */
export const PARTS = set('in location source where')
/** In an entry: the broken rule. */
export const RULES = set(
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
export const ruleWordsOf = (rule: string): readonly string[] =>
  spelled(rule, () => [
    rule,
    RULE_SYNONYMS[rule] ?? rule,
    'invalid invalid_value invalid_field invalid_field_value validation',
  ])
