// Validates a request against the contract: parameters, then the body. One refusal names every broken rule. Validates replies too,
// if configured.

import type { Operation } from '../../contract/contract.ts'
import { essenceOf } from '../../contract/media-types.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { slipOf } from '../../kernel/diagnostic.ts'
import { type BrokenRule, firstOf, problems, type Reply, refuse, withHeaders } from '../../kernel/http.ts'
import { isObject, type Json, memberAt, type Parsed, parsePointer } from '../../kernel/json.ts'
import { schemasWithin } from '../../sample/schema-parts.ts'
import { breathe } from '../../world/real-time.ts'
import {
  type Behaviour,
  type ConfigOf,
  type Exchange,
  type Invalid,
  type Site,
  setting,
  type Wrap,
} from '../behaviour.ts'
import { EXTRA, inBody } from '../resource.ts'
import { compileJudge } from './judge.ts'
import { compileParameters, NONE } from './parameters.ts'
import { type BodyReading, compileReadings, URL_ENCODED } from './readings.ts'
import { MOST_SLIPS, warnOfSlips } from './slips.ts'

export { compileParameters } from './parameters.ts'

const schema = setting.block(
  'Checks requests against the contract; null accepts every request, and responders then get no parameters.',
  {
    requests: setting.choice(
      ['refuse', 'warn', 'off'],
      'Whether an invalid request is refused, answered with `Understudy-Warning`, or answered. Default: refuse; warn if it is forwarded.',
    ),
    invalidQuery: setting.choice(
      ['refuse', 'ignore'],
      'Whether a query parameter that breaks its schema is refused or ignored. Default: refuse.',
    ),
    undocumentedQuery: setting.choice(
      ['ignore', 'refuse'],
      'Whether an undocumented query parameter is ignored or refused. Default: ignore.',
    ),
    queryForms: setting.choice(
      ['lenient', 'standard'],
      'Whether a list or an object in another form than the contract documents, `colors[]=a` or `filter.level=1`, is read with an `Understudy-Warning`, or refused as undocumented. Default: lenient.',
    ),
    undocumentedBody: setting.choice(
      ['warn', 'refuse', 'ignore'],
      'Whether an undocumented body is ignored with an `Understudy-Warning` (`warn`), refused with 415, or ignored. Default: warn.',
    ),
    status: setting.choice(
      [400, 422],
      'The status of an invalid request if the operation documents neither 400 nor 422. Default: 400.',
    ),
    replies: setting.choice(
      ['off', 'warn', 'refuse'],
      'A reply that breaks the contract, refusals and faults included, is sent (`off`), gets an `Understudy-Warning` (`warn`), or becomes a 500 (`refuse`). A forwarded reply is never refused; its body is judged up to `limits.body`. Default: off; warn if it is forwarded.',
    ),
  },
)
export type ValidateConfig = ConfigOf<typeof schema>

export const validate: Behaviour<ValidateConfig> = {
  name: 'validate',
  schema,
  letIn: (config = {}, site) =>
    compileMode(config.requests ?? (site.passesOn === undefined ? 'refuse' : 'warn'), false, config, site),
  compile(config = {}, site) {
    const { passesOn } = site
    const own = compileMode(config.requests ?? 'refuse', false, config, site)
    if (passesOn === undefined) return own
    const passing = compileMode(config.requests ?? 'warn', true, config, site)
    return next => passesOn(passing(next), own(next), site)
  },
}

/** @param follows see `compileJudge` */
function compileMode(
  mode: 'refuse' | 'warn' | 'off',
  follows: boolean,
  config: ValidateConfig,
  { operation, maxBody, invalid, clientControls }: Site,
): Wrap {
  const readParameters = compileParameters(operation, config)
  const judges = mode !== 'refuse'
  const undocumented = judges ? 'ignore' : (config.undocumentedBody ?? 'warn')
  const body = compileBody(operation, undocumented, maxBody, invalid)
  if (judges) return compileJudge(mode === 'warn', follows, readParameters, body, invalid)
  // For `Understudy-Validate: warn`.
  const judge = clientControls ? compileJudge(true, false, readParameters, body, invalid) : undefined
  return next => {
    const judged = judge?.(next)
    return exchange => {
      if (judged !== undefined && exchange.request.headers['understudy-validate'] !== undefined) return judged(exchange)
      const { path, rest } = readParameters?.(exchange) ?? NONE
      if (path.length > 0) return Promise.resolve(invalid(path))
      if (body === undefined || !exchange.request.hasBody) {
        const absent = body?.absent?.(exchange) ?? NO_RULES
        const all = absent.length === 0 ? rest : [...rest, ...absent]
        return all.length === 0 ? next(exchange) : Promise.resolve(invalid(all))
      }
      return body.read(exchange).then(outcome => {
        if ('status' in outcome) return outcome
        const all = rest.length === 0 ? outcome : [...rest, ...outcome]
        if (all.length === 0) return next(exchange)
        // Its fields are not used, so that no deprecated one among them counts.
        exchange.body = undefined
        return invalid(all)
      })
    }
  }
}

const NO_RULES: readonly BrokenRule[] = []

// Reads and checks a request's body, and says which names in it look misspelt.

/** Compiles the check of a body that the contract does not document. */
function compileUnexpected(operation: Operation, undocumented: 'warn' | 'refuse' | 'ignore', maxBody: number) {
  if (undocumented === 'ignore') return undefined
  const unexpected = refuse(problems.unsupported_media_type, 'this operation does not accept a body')
  return {
    absent: undefined,
    async read(exchange: Exchange): Promise<Reply | readonly BrokenRule[]> {
      const read = await exchange.request.readBody(maxBody)
      if ('bytes' in read && read.bytes.length === 0) return NO_RULES
      if (undocumented === 'refuse') return unexpected
      exchange.warn(`the contract documents no body for ${operation.id}; it was ignored`)
      return NO_RULES
    },
  }
}

/**
 * Compiles the check of a body. `read` returns a refusal or the broken rules; `absent` those of a request without a body.
 *
 * @param undocumented how to treat a body that the contract does not document
 */
export function compileBody(
  operation: Operation,
  undocumented: 'warn' | 'refuse' | 'ignore',
  maxBody: number,
  invalid: Invalid,
) {
  const { body, method } = operation
  if (body === undefined) return compileUnexpected(operation, undocumented, maxBody)
  const types = [...body.content.keys()].join(', ')
  const readingOf = compileReadings(body.content)
  const missing = body.required ? [inBody('', 'required', 'is required')] : NO_RULES
  const acceptable = { accept: types, ...(method === 'PATCH' ? { 'accept-patch': types } : {}) }
  const unsupported = (detail: string) => refuse(problems.unsupported_media_type, detail, acceptable)
  /** A form without fields has no bytes: its content type tells it from an absent body. */
  const absent = (exchange: Exchange): readonly BrokenRule[] => {
    const type = body.required ? firstOf(exchange.request.headers['content-type']) : undefined
    const reading = type === undefined || essenceOf(type) !== URL_ENCODED ? undefined : readingOf(type)
    const parsed = reading?.parse?.(NO_BYTES, URL_ENCODED)
    return reading === undefined || parsed === undefined || parsed instanceof Promise
      ? missing
      : checkParsed(reading, exchange, parsed, 0)
  }
  return {
    absent,
    async read(exchange: Exchange): Promise<Reply | readonly BrokenRule[]> {
      const { request } = exchange
      const type = firstOf(request.headers['content-type']) ?? ''
      const isNamed = type.trim() !== ''
      const reading = isNamed ? readingOf(type) : undefined
      if (isNamed && reading === undefined) {
        return unsupported(`${essenceOf(type)} is not supported; this operation accepts ${types}`)
      }
      if (reading?.charset !== undefined)
        return unsupported(`the charset ${reading.charset} is not supported; use UTF-8`)
      const sent = await request.readBody(maxBody)
      const isEmpty = 'bytes' in sent && sent.bytes.length === 0
      if (reading === undefined) {
        return isEmpty ? missing : unsupported(`the body has no content type; this operation accepts ${types}`)
      }
      if ('problem' in sent) {
        if (sent.problem !== problems.invalid_request) return refuse(sent.problem, sent.detail, sent.headers)
        return withHeaders(invalid([inBody('', 'syntax', sent.detail.replace(/^the body /, ''))]), sent.headers)
      }
      if (isEmpty) return absent(exchange)
      exchange.bytes = sent.bytes
      // A body that is not JSON, a form or text is kept as bytes.
      const parsed = reading.parse?.(sent.bytes, type)
      if (parsed === undefined) return NO_RULES
      const size = sent.bytes.length
      return parsed instanceof Promise || size > LARGE
        ? checkLarge(reading, exchange, await parsed, size)
        : checkParsed(reading, exchange, parsed, size)
    },
  }
}

const NO_BYTES = new Uint8Array()

/** A larger body, in bytes, is parsed, checked and answered with other requests in between. */
const LARGE = 100_000

async function checkLarge(...all: Parameters<typeof checkParsed>): Promise<readonly BrokenRule[]> {
  await breathe()
  const broken = checkParsed(...all)
  await breathe()
  return broken
}

/** Stores a valid body in the exchange, else returns the rules that it breaks. */
function checkParsed(
  { schema, patch, excessOf }: BodyReading,
  exchange: Exchange,
  parsed: Parsed,
  bytes: number,
): readonly BrokenRule[] {
  if ('fault' in parsed) return [inBody('', 'syntax', parsed.fault)]
  const { value, exact } = parsed
  const excess = bytes < COUNTED ? undefined : excessOf?.(value)
  if (excess !== undefined) return [inBody('', 'anyOf', excess)]
  // Some contracts describe a patch as an object, which is merged. A list is applied as a patch nevertheless.
  const isPatch = patch === 'named' && (Array.isArray(value) || schema?.types.has('object') !== true)
  const violations = isPatch ? undefined : schema?.check(value, exact)
  if (schema !== undefined && violations !== undefined) {
    // A request that is only judged is answered with it.
    if (isObject(value)) exchange.body = value as Json
    return violations.map(({ pointer, keyword, message }, i) => {
      const rule = inBody(pointer, keyword, message)
      return i < MOST_SLIPS ? explainSlip(rule, value, schema) : rule
    })
  }
  const broken = isPatch || patch === 'described' ? checkPatch(value) : NO_RULES
  if (broken.length > 0) return broken
  if (schema === undefined || isPatch) exchange.body = value
  else {
    warnOfFieldSlips(exchange, value, schema)
    exchange.body = schema.prune(value)
    if (exchange.body !== value) exchange.sent = value
  }
  return NO_RULES
}

/** Values of a smaller body, in bytes, are not counted for `compileWorkBound`. */
const COUNTED = 20_000

/** Operations that a patch may have. */
const MOST = 1000
const WITH_VALUE: ReadonlySet<unknown> = new Set(['add', 'replace', 'test'])
const WITH_SOURCE: ReadonlySet<unknown> = new Set(['move', 'copy'])

/**
 * Returns the broken rules of a JSON Patch (RFC 6902 §4), which many contracts describe as an object or not at all; none for
 * one that can be applied.
 */
function checkPatch(value: Json): readonly BrokenRule[] {
  if (!Array.isArray(value)) return [inBody('', 'type', 'must be a list of operations (RFC 6902)')]
  if (value.length > MOST) return [inBody('', 'maxItems', `must have at most ${MOST} operations`)]
  return value.flatMap((one: Json, i): BrokenRule[] => {
    if (!isObject(one)) return [inBody(`/${i}`, 'type', 'must be an object')]
    const { op, path, from } = one
    const named = WITH_VALUE.has(op) || WITH_SOURCE.has(op) || op === 'remove'
    return [
      ...(named ? [] : [inBody(`/${i}/op`, 'enum', 'must be add, remove, replace, move, copy or test')]),
      ...(isPointer(path) ? [] : [inBody(`/${i}/path`, 'format', 'must be a JSON Pointer')]),
      ...(WITH_SOURCE.has(op) && !isPointer(from) ? [inBody(`/${i}/from`, 'format', 'must be a JSON Pointer')] : []),
      ...(WITH_VALUE.has(op) && !Object.hasOwn(one, 'value') ? [inBody(`/${i}/value`, 'required', 'is required')] : []),
    ]
  })
}

const isPointer = (value: unknown): boolean => typeof value === 'string' && parsePointer(value) !== undefined

/** Names are compared in no larger object. */
const MOST_PROPERTIES = 200

/** Looks at the fields at the top of a valid body. */
function warnOfFieldSlips(exchange: Exchange, value: Json, schema: SchemaUse): void {
  const { properties } = schema.shape
  if (!isObject(value) || properties.size === 0 || properties.size > MOST_PROPERTIES) return
  const unknown: string[] = []
  for (const name in value) if (!properties.has(name) && unknown.length < MOST_SLIPS) unknown.push(name)
  if (unknown.length === 0) return
  const isKnown = (name: string, meant: string) => Object.hasOwn(value, meant) || isField([name], schema)
  warnOfSlips(exchange, 'body field', unknown, properties, isKnown)
}

/** Adds the name that the body has instead to the message about a missing field, and the meant one to that of an unknown one. */
function explainSlip(rule: BrokenRule, value: Json, schema: SchemaUse): BrokenRule {
  const isMissing = rule.rule === 'required'
  const path = (isMissing || EXTRA.has(rule.rule) ? parsePointer(rule.path) : undefined) ?? []
  const name = path.at(-1)
  const parents = path.slice(0, -1)
  const parent = memberAt(value, parents)
  if (name === undefined || !isObject(parent)) return rule
  const say = (message: string): BrokenRule => ({ ...rule, message: rule.message + message })
  if (isMissing) {
    const sent = slipOf(name, Object.keys(parent).slice(0, MOST_PROPERTIES))
    return sent === undefined || isField([...parents, sent], schema) ? rule : say(`, but the body has "${sent}"`)
  }
  const { properties } = schema.shape
  if (parents.length > 0 || properties.size > MOST_PROPERTIES) return rule
  const others = [...properties.keys()].filter(key => !Object.hasOwn(parent, key))
  const meant = slipOf(name, others)
  return meant === undefined ? rule : say(`; did you mean "${meant}"?`)
}

/** Returns whether some branch of the schema has a field. */
const isField = (path: readonly string[], { key, definitions }: SchemaUse): boolean =>
  schemasWithin([definitions[key]], path, definitions).length > 0
