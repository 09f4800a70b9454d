// Gives every refusal the API's error shape. Outermost, so that every refusal passes it.

import { withDocumentedHeaders } from '../contract/answer/headers.ts'
import { compileRefusals } from '../contract/answer/refusals.ts'
import { headersOf } from '../contract/contract.ts'
import {
  compileFilling,
  type Fill,
  JsonText,
  mentions,
  reportPlaceholders,
  type TemplateContext,
} from '../expression/template.ts'
import { fieldSentence, problems, type Refusal, type Reply } from '../kernel/http.ts'
import { type Json, stringifyJson } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { type Behaviour, type ConfigOf, type SettingOf, setting } from './behaviour.ts'

const schema = setting.block(
  'The shape of refusals. Default: the first that exists of the shape that the operation documents for the status, that of its other errors, the most frequent one of the contract, problem+json (RFC 9457).',
  {
    body: setting.json(
      'The body, with ${problem.…} filled in for code, title, detail, status and errors; alone in a string, the status is a number and the errors a list of { in, path, rule, message }. Other ${…} are expressions in CEL, such as ${request.path} or ${now}.',
    ),
    contentType: setting.text('The media type of the body. Default: application/json.'),
    codes: setting.named(
      'Replaces values of `code`, by the code of the problem table.',
      { type: 'string' } as SettingOf<string>,
      { propertyNames: { enum: Object.keys(problems) } },
    ),
  },
)
type ErrorsConfig = ConfigOf<typeof schema>

export const errors: Behaviour<ErrorsConfig> = {
  name: 'errors',
  decorates: true,
  unmatched: true,
  schema,
  compile(config = UNSET, { operation, contract, expressions, error }) {
    const { body, contentType, codes } = config
    reportPlaceholders({ contentType, codes }, 'placeholders are filled in within the body only', error)
    const decorate = decorationOf(config)
    const template = body && expressions.template(body, ['body'], error, placeholdersOf(codes))
    const hasHeaders = [...operation.responses.values()].some(response => headersOf(response).length > 0)
    const complete = hasHeaders ? withDocumentedHeaders : (reply: Reply) => reply
    if (template && template.holes.length > 0) {
      // One text cannot serve many refusals: its expressions are about the request.
      return next => async exchange => {
        const reply = await next(exchange)
        if (!isBare(reply)) return reply
        const write = (refusal: Refusal) => template.write({ refusal, scope: expressions.scope(exchange) })
        return complete(decorate(reply, write), exchange)
      }
    }
    // A configured shape is for every refusal. Without one, each operation's documented shape is used.
    const documented = config === UNSET ? compileRefusals(operation, contract) : undefined
    const write = (reply: Reply, accept: unknown): Reply => {
      const written = isBare(reply) ? documented?.(reply.refusal, accept as string | undefined) : undefined
      if (written === undefined || !isBare(reply)) return decorate(reply)
      const why = written.told ? undefined : whyHeader(reply.refusal)
      const headers = { 'content-type': written.contentType, ...reply.headers, ...why }
      return { ...reply, headers, body: written.body }
    }
    return next => exchange =>
      next(exchange).then(reply =>
        reply.refusal ? complete(write(reply, exchange.request.headers.accept), exchange) : reply,
      )
  },
}

const UNSET: ErrorsConfig = {}

interface InRefusal extends TemplateContext {
  readonly refusal: Refusal
}

const isBare = (reply: Reply): reply is Reply & { refusal: Refusal } =>
  reply.refusal !== undefined && reply.body === undefined

/** Returns the placeholders of a refusal. An expression that fails gives null, so that the refusal is sent anyway. */
function placeholdersOf(codes: Readonly<Record<string, string>> = {}) {
  const fields = new Map<string, Fill<InRefusal>>([
    [
      'problem.code',
      ({ refusal: { problem } }) =>
        Object.hasOwn(codes, problem.code) ? (codes[problem.code] as string) : problem.code,
    ],
    ['problem.title', ({ refusal }) => refusal.problem.title],
    ['problem.detail', ({ refusal }) => refusal.detail],
    ['problem.status', ({ refusal }) => refusal.status],
    ['problem.errors', ({ refusal: { errors = [] } }) => new JsonText(stringifyJson(errors))],
  ])
  return { known: [...fields.keys()], field: (name: string) => fields.get(name), failing: 'null' } as const
}

/** Adds the reason as a header if the body has no place for it. */
const whyHeader = ({ detail }: Refusal) => ({ 'understudy-problem': fieldSentence(detail) })

/** Gives a refusal its body. */
type Decorate = (reply: Reply, write?: (refusal: Refusal) => string) => Reply

/** Cached by configuration, which thousands of operations may share. */
const decorations = new WeakMap<ErrorsConfig, Decorate>()

/** Returns a function that gives a refusal the configured shape. */
const decorationOf = (config: ErrorsConfig): Decorate => getOrMake(decorations, config, () => compileDecoration(config))

function compileDecoration(config: ErrorsConfig): Decorate {
  const { body = PROBLEM, codes } = config
  const compile = (template: Json) => compileFilling(template, [], () => {}, placeholdersOf(codes)).write
  const plain = compile(body)
  // The default problem document has `errors` only for broken rules (RFC 9457 §3.2).
  const listed = body === PROBLEM ? compile({ ...PROBLEM, errors: '${problem.errors}' }) : plain
  const writeUsual = (refusal: Refusal) => (refusal.errors === undefined ? plain : listed)({ refusal })
  const tells = mentions(body, name => name === 'problem.detail' || name === 'problem.errors')
  const usual = body === PROBLEM ? 'application/problem+json' : 'application/json'
  const headers = { 'content-type': config.contentType ?? usual }
  const standing = new WeakMap<Reply, Reply>()
  return (reply, write) => {
    if (!isBare(reply)) return reply
    const isStanding = write === undefined && reply.standing === true
    const found = isStanding ? standing.get(reply) : undefined
    if (found !== undefined) return found
    const { refusal } = reply
    const why = tells ? undefined : whyHeader(refusal)
    const written = {
      ...reply,
      headers: { ...headers, ...reply.headers, ...why },
      body: (write ?? writeUsual)(refusal),
    }
    if (isStanding) standing.set(reply, written)
    return written
  }
}

const PROBLEM = {
  type: 'about:blank',
  title: '${problem.title}',
  status: '${problem.status}',
  detail: '${problem.detail}',
  code: '${problem.code}',
}
