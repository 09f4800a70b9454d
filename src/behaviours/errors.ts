// Gives every refusal the API's error shape. Outermost, so that every refusal passes it.

import { compileRefusals } from '../contract/answer/refusals.ts'
import { fieldSentence } from '../kernel/field-text.ts'
import { type Json, stringifyJson } from '../kernel/json.ts'
import { problems, type Refusal } from '../kernel/problem.ts'
import type { Reply } from '../kernel/reply.ts'
import {
  compileTemplate,
  JsonText,
  keysWithHoles,
  placeholders,
  type TemplateFields,
  unfilled,
} from '../kernel/template.ts'
import type { Behaviour, Exchange, Site } from './behaviour.ts'

export interface ErrorsConfig {
  readonly body?: Json
  readonly contentType?: string
  readonly codes?: Readonly<Record<string, string>>
}

export const errors: Behaviour<ErrorsConfig> = {
  name: 'errors',
  decorates: true,
  schema: {
    type: 'object',
    description:
      'The shape of every refusal. Default: the first of these that exists: the shape that the operation documents for the status, that of its other errors, the most frequent one of the contract, problem+json (RFC 9457).',
    additionalProperties: false,
    properties: {
      body: {
        description:
          'The body, with ${problem.code}, ${problem.title}, ${problem.detail}, ${problem.status} and ${problem.errors} filled in; alone in a string, the status stays a number, and the errors stay a list of { in, path, rule, message }. Other ${…} hold expressions in CEL, such as ${request.path} or ${now}.',
      },
      contentType: { type: 'string', description: 'The media type of the body. Default: application/json.' },
      codes: {
        type: 'object',
        description: 'Replaces values of `code`, by the code of the problem table.',
        propertyNames: { enum: Object.keys(problems) },
        additionalProperties: { type: 'string' },
      },
    },
  },
  compile(config, site) {
    const { body, fields } = shapeOf(config)
    const known = Object.keys(fields).map(name => `problem.${name}`)
    const { contentType, codes } = config ?? UNSET
    const fixed = 'placeholders are filled in within the body only'
    const fromRequest = compileFromRequest(config, known, fields, site)
    for (const { path, part, message, hint } of [
      ...keysWithHoles({ body }),
      ...unfilled({ ...(contentType === undefined ? {} : { contentType }), codes }, [], fixed),
    ]) {
      site.error('unknown-placeholder', message, path, hint, part)
    }
    if (fromRequest !== undefined) {
      return next => async exchange => fromRequest(await next(exchange), exchange)
    }
    const decorate = decorationOf(config ?? UNSET)
    // A configured shape is for every refusal. Without one, each operation's documented shape is used.
    const documented = config === undefined ? compileRefusals(site.operation, site.contract) : undefined
    if (documented === undefined) return next => exchange => next(exchange).then(decorate)
    const dressAsDocumented = (reply: Reply): Reply => {
      if (!isBare(reply)) return reply
      const written = documented(reply.refusal)
      if (written === undefined) return decorate(reply)
      const why = written.told ? undefined : whyHeader(reply.refusal)
      return {
        ...reply,
        headers: { 'content-type': written.contentType, ...reply.headers, ...why },
        body: written.body,
      }
    }
    return next => exchange => next(exchange).then(dressAsDocumented)
  },
}

/**
 * Compiles a refusal's body with expressions about the request; `undefined` if the body has none, so that one text serves
 * many refusals. An expression that fails gives null, so that the refusal is sent anyway.
 */
function compileFromRequest(
  config: ErrorsConfig | undefined,
  known: readonly string[],
  fields: TemplateFields<Refusal>,
  site: Site,
): ((reply: Reply, exchange: Exchange) => Promise<Reply>) | undefined {
  if (config?.body === undefined) return undefined
  const template = site.expressions.template(config.body, ['body'], site.error, { known, lenient: true })
  if (template.holes.length === 0) return undefined
  const contentType = config.contentType ?? 'application/json'
  return async (reply, exchange) => {
    if (!isBare(reply)) return reply
    const { refusal } = reply
    const given = Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const value = field(refusal)
        return [`problem.${name}`, value instanceof JsonText ? (JSON.parse(value.text) as Json) : value]
      }),
    )
    const body = await template.fill(site.expressions.scope(exchange), given)
    return { ...reply, headers: { 'content-type': contentType, ...reply.headers }, body: stringifyJson(body) }
  }
}

const UNSET: ErrorsConfig = {}

const isBare = (reply: Reply): reply is Reply & { refusal: Refusal } =>
  reply.refusal !== undefined && reply.body === undefined

function shapeOf({ body, codes = {} }: ErrorsConfig = UNSET): { body: Json; fields: TemplateFields<Refusal> } {
  return {
    body: body ?? { type: 'about:blank', ...problemJson },
    fields: {
      code: ({ problem }) => (Object.hasOwn(codes, problem.code) ? (codes[problem.code] as string) : problem.code),
      title: ({ problem }) => problem.title,
      detail: ({ detail }) => detail,
      status: ({ status }) => status,
      errors: ({ errors }) =>
        errors === undefined ? NO_ERRORS : new JsonText(stringifyJson(errors as unknown as Json)),
    },
  }
}

const NO_ERRORS = new JsonText('[]')

/** Adds the reason as a header if the body has no place for it. */
const whyHeader = ({ detail }: Refusal) => ({ 'understudy-problem': fieldSentence(detail) })

/** Cached by configuration, which thousands of operations may share. */
const decorations = new WeakMap<ErrorsConfig, (reply: Reply) => Reply>()

/** Returns a function that gives a refusal the configured shape. */
function decorationOf(config: ErrorsConfig): (reply: Reply) => Reply {
  let decorate = decorations.get(config)
  if (decorate === undefined) {
    const { body, fields } = shapeOf(config)
    const plain = compileTemplate(body, 'problem', fields)
    // The default problem document has `errors` only for broken rules (RFC 9457 §3.2).
    const listed =
      config.body === undefined ? compileTemplate({ ...(body as object), ...LISTED }, 'problem', fields) : plain
    const render = (refusal: Refusal) => (refusal.errors === undefined ? plain : listed)(refusal)
    const tells = [...placeholders(body, 'problem')].some(([, name]) => name === 'detail' || name === 'errors')
    const usual = config.body === undefined ? 'application/problem+json' : 'application/json'
    const headers = { 'content-type': config.contentType ?? usual }
    const write = (reply: Reply & { refusal: Refusal }): Reply => ({
      ...reply,
      headers: { ...headers, ...reply.headers, ...(tells ? undefined : whyHeader(reply.refusal)) },
      body: render(reply.refusal),
    })
    const standing = new WeakMap<Reply, Reply>()
    decorate = reply => {
      if (!isBare(reply)) return reply
      if (reply.standing !== true) return write(reply)
      let written = standing.get(reply)
      if (written === undefined) {
        written = write(reply)
        standing.set(reply, written)
      }
      return written
    }
    decorations.set(config, decorate)
  }
  return decorate
}

const LISTED = { errors: '${problem.errors}' }

const problemJson = {
  title: '${problem.title}',
  status: '${problem.status}',
  detail: '${problem.detail}',
  code: '${problem.code}',
}
