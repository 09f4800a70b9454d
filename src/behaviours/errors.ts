// Gives every refusal the shape this API uses. Outermost: whatever refuses further in, its reply passes here.

import { isObject, type Json } from '../kernel/json.ts'
import type { Refusal } from '../kernel/problem.ts'
import { problems } from '../kernel/problem.ts'
import type { Behaviour } from './behaviour.ts'

export interface ErrorsConfig {
  readonly body?: Json
  readonly contentType?: string
  readonly codes?: Readonly<Record<string, string>>
}

const FIELDS = ['code', 'title', 'detail', 'status'] as const
const PLACEHOLDER = /\$\{problem\.([^}]*)\}/g

export const errors: Behaviour<ErrorsConfig> = {
  name: 'errors',
  dresses: true,
  schema: {
    type: 'object',
    description: 'The shape of every refusal. Unset: problem+json (RFC 9457).',
    additionalProperties: false,
    properties: {
      body: {
        description:
          'The body, with ${problem.code}, ${problem.title}, ${problem.detail} and ${problem.status} filled in; alone in a string, the status stays a number.',
      },
      contentType: { type: 'string', description: 'Its media type. Default: application/json.' },
      codes: {
        type: 'object',
        description: 'Other words for the values of `code`, by the word of the problem table.',
        propertyNames: { enum: Object.keys(problems) },
        additionalProperties: { type: 'string' },
      },
    },
  },
  compile(config, site) {
    const codes = new Map(Object.entries(config?.codes ?? {}))
    const body = config?.body ?? { type: 'about:blank', ...problemJson }
    const headers = {
      'content-type':
        config?.contentType ?? (config?.body === undefined ? 'application/problem+json' : 'application/json'),
    }
    for (const [path, name] of placeholders(body)) {
      if ((FIELDS as readonly string[]).includes(name)) continue
      site.error('unknown-placeholder', `a problem has no "${name}"`, ['body', ...path], `one of: ${FIELDS.join(', ')}`)
    }
    const render = compileTemplate(body, codes)
    return next => async exchange => {
      const reply = await next(exchange)
      if (reply.refusal === undefined || reply.body !== undefined) return reply
      return { ...reply, headers: { ...headers, ...reply.headers }, body: render(reply.refusal) }
    }
  },
}

const problemJson = {
  title: '${problem.title}',
  status: '${problem.status}',
  detail: '${problem.detail}',
  code: '${problem.code}',
}

type Chunk = string | ((refusal: Refusal) => string)

/** A template becomes a list of texts with a few holes: nothing is walked while a request waits. */
function compileTemplate(template: Json, codes: ReadonlyMap<string, string>): (refusal: Refusal) => string {
  const field = (name: string, { problem, status, detail }: Refusal): string | number => {
    if (name === 'status') return status
    if (name === 'detail') return detail
    return name === 'title' ? problem.title : (codes.get(problem.code) ?? problem.code)
  }
  const chunksOf = (value: Json): Chunk[] => {
    if (typeof value === 'string' && value.includes('${problem.')) {
      const alone = /^\$\{problem\.(\w+)\}$/.exec(value)?.[1]
      if (alone !== undefined) return [refusal => JSON.stringify(field(alone, refusal))]
      return [refusal => JSON.stringify(value.replace(PLACEHOLDER, (_, name: string) => String(field(name, refusal))))]
    }
    if (Array.isArray(value)) return ['[', ...value.flatMap((item, i) => [i > 0 ? ',' : '', ...chunksOf(item)]), ']']
    if (!isObject(value)) return [typeof value === 'bigint' ? String(value) : JSON.stringify(value)]
    const members = Object.entries(value as Record<string, Json>)
    return ['{', ...members.flatMap(([k, v], i) => [`${i > 0 ? ',' : ''}${JSON.stringify(k)}:`, ...chunksOf(v)]), '}']
  }
  const merged: Chunk[] = []
  for (const chunk of chunksOf(template)) {
    const last = merged.at(-1)
    if (typeof chunk === 'string' && typeof last === 'string') merged[merged.length - 1] = last + chunk
    else merged.push(chunk)
  }
  return refusal => {
    let text = ''
    for (const chunk of merged) text += typeof chunk === 'string' ? chunk : chunk(refusal)
    return text
  }
}

function* placeholders(value: unknown, path: (string | number)[] = []): Iterable<[(string | number)[], string]> {
  if (typeof value === 'string') for (const [, name] of value.matchAll(PLACEHOLDER)) yield [path, name as string]
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* placeholders(item, [...path, i])
  else if (isObject(value)) for (const [key, item] of Object.entries(value)) yield* placeholders(item, [...path, key])
}
