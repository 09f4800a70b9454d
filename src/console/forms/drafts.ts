// The forms of an operation without their inputs: the values that they begin with, and the orders and requests that they send.

import type { AnswerOrder, Sending } from '../../http/control/types.ts'
import { isObject, mapValues, parseJson, stringifyJson } from '../../kernel/json.ts'
import { keywordsAt, type SchemaPart } from '../editor/schema-path.ts'
import type { FormParameter, FormReplyContent, OperationForm } from '../model/replies.ts'
import { indentJson } from '../model/wording.ts'

/** The values of the inputs. */
export interface AnswerDraft {
  /** The client gets a reply in place of the usual one, the usual one late, or something done to the wire. */
  readonly kind: 'reply' | 'delay' | 'fault'
  readonly status: string
  /** The name of a documented example; empty for none. */
  readonly example: string
  /** The typed body; empty for the usual one. */
  readonly body: string
  readonly delay: string
  readonly fault: string
  /** How many requests are answered as usual first: `0`, `1` … */
  readonly skip: string
  /** `1`, a number, or `always`. */
  readonly times: string
  readonly consumer: string
  /** A condition in CEL. */
  readonly when: string
  /** Empty for every world. */
  readonly world: string
}

export const START: AnswerDraft = {
  kind: 'reply',
  status: '500',
  example: '',
  body: '',
  delay: '',
  fault: 'reset',
  skip: '0',
  times: '1',
  consumer: '',
  when: '',
  world: '',
}

/** Returns the order of a draft. A body that is JSON is sent as JSON, another one as text. */
export function orderFrom({ kind, consumer, times, when, delay, fault, skip, ...reply }: AnswerDraft): AnswerOrder {
  return {
    when: when.trim() || undefined,
    consumer: consumer || undefined,
    respond: kind === 'reply' ? respondFrom(reply) : undefined,
    latency: delay.trim() === '' ? undefined : ({ fixed: delay.trim() } as AnswerOrder['latency']),
    fault: kind === 'fault' ? ({ kind: fault } as AnswerOrder['fault']) : undefined,
    skip: Number(skip) || undefined,
    times: times === 'always' ? null : Number(times),
  }
}

type ReplyDraft = Pick<AnswerDraft, 'status' | 'example' | 'body'>

function respondFrom({ status, example, body }: ReplyDraft): AnswerOrder['respond'] {
  if (example !== '') return { status: Number(status), example }
  if (body.trim() === '') return { status: Number(status) }
  const parsed = parseJson(body, true)
  return { status: Number(status), body: 'fault' in parsed ? body : parsed.value }
}

/** Describes an order in a few words: `503 · once`. */
export function describeOrder({ respond, latency, fault, skip = 0, times = 1, when, consumer }: AnswerOrder): string {
  const effects = [
    respond && `${respond.status ?? 'the usual status'}${respond.example ? ` (${respond.example})` : ''}`,
    fault &&
      [fault]
        .flat()
        .map(({ kind }) => kind)
        .join(' or '),
    latency && (latency.fixed === undefined ? 'late' : `after ${latency.fixed}`),
  ]
  return [
    effects.filter(Boolean).join(', ') || 'the usual reply',
    times === null ? 'until switched off' : times === 1 ? 'once' : `${times} times`,
    skip > 0 && (skip === 1 ? 'after one request' : `after ${skip} requests`),
    consumer && `for ${consumer}`,
    when && `when ${when}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** A beginning of the form that takes one click. */
interface AnswerPreset {
  readonly title: string
  readonly changes: Partial<AnswerDraft>
}

const ALWAYS_OFFERED: readonly AnswerPreset[] = [
  { title: 'A server error', changes: { kind: 'reply', status: '503', example: '', body: '' } },
  { title: 'A slow reply', changes: { kind: 'delay', delay: '3s' } },
  { title: 'No connection', changes: { kind: 'fault', fault: 'reset', delay: '' } },
]

/** Returns the presets of an operation: an empty list where it answers with a list, and those that every operation has. */
export function presetsOf(operation: Pick<OperationForm, 'responses'> | undefined): readonly AnswerPreset[] {
  for (const { status, content } of operation?.responses ?? []) {
    const empty = /^2\d\d$/.test(status) ? content.map(emptyListOf).find(value => value !== undefined) : undefined
    if (empty === undefined) continue
    const body = indentJson(stringifyJson(empty))
    const changes = { kind: 'reply', status, example: '', body, delay: '' } as const
    return [{ title: 'An empty list', changes }, ...ALWAYS_OFFERED]
  }
  return ALWAYS_OFFERED
}

function emptyListOf({ type, examples, sample }: FormReplyContent): unknown {
  return /^application\/(?:[\w.+-]+\+)?json\b/.test(type) ? withoutItems(examples[0]?.value ?? sample) : undefined
}

/** Returns the value with its lists empty and its counts zero; `undefined` where it neither is a list nor has one. */
export function withoutItems(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (!isObject(value) || !Object.values(value).some(Array.isArray)) return undefined
  return mapValues(value, (member, name) => asOfEmptyList(name, member))
}

function asOfEmptyList(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (typeof value === 'number' && /total|count/i.test(name)) return 0
  return typeof value === 'boolean' && /more|next/i.test(name) ? false : value
}

export interface TryDraft {
  /** By `in` and name: `path.orderId`. An empty text leaves an optional parameter out. */
  readonly values: Readonly<Record<string, string>>
  /** Further headers, one `name: value` on a line. */
  readonly headers: string
  /** A media type; empty for no body. */
  readonly type: string
  readonly body: string
  /** The consumer whose credential is sent; empty for none; `GENERATED` for a generated credential. */
  readonly consumer: string
}

/** The choice of a caller with a generated credential. No consumer has this name. */
export const GENERATED = '*'

export const parameterKey = ({ in: where, name }: Pick<FormParameter, 'in' | 'name'>): string => `${where}.${name}`

/** The values that a form begins with: the samples of the required parameters. */
export const startValues = ({ parameters }: { parameters: readonly FormParameter[] }): Record<string, string> =>
  Object.fromEntries(
    parameters.flatMap(parameter =>
      parameter.required && parameter.sample !== undefined ? [[parameterKey(parameter), parameter.sample]] : [],
    ),
  )

/** @param path the path template with its base path: `/v1/orders/{orderId}` */
export function sendingFrom(
  { method, path, parameters }: { method: string; path: string; parameters: readonly FormParameter[] },
  draft: TryDraft,
  world: string,
): Sending {
  let filled = path
  const query = new URLSearchParams()
  const headers = headersInText(draft.headers)
  const cookies: string[] = []
  for (const parameter of parameters) {
    const { name, in: where } = parameter
    const value = draft.values[parameterKey(parameter)] ?? ''
    if (where === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (where === 'query') for (const part of splitList(parameter, value)) query.append(name, part)
    else if (where === 'header') headers[name.toLowerCase()] = value
    else if (where === 'cookie') cookies.push(`${name}=${encodeURIComponent(value)}`)
  }
  if (cookies.length > 0) headers.cookie = cookies.join('; ')
  const hasBody = draft.type !== '' && draft.body !== ''
  if (hasBody) headers['content-type'] ??= draft.type
  const isGenerated = draft.consumer === GENERATED
  return {
    method,
    path: filled,
    query: query.toString() || undefined,
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    body: hasBody ? draft.body : undefined,
    consumer: isGenerated ? undefined : draft.consumer || undefined,
    credential: isGenerated ? 'any' : undefined,
    world,
  }
}

/** A list is typed with commas and sent as a parameter for each value, the default of OpenAPI. */
const splitList = ({ schema }: FormParameter, value: string): string[] =>
  keywordsAt((schema ?? {}) as SchemaPart).type === 'array' ? value.split(',').map(part => part.trim()) : [value]

const headersInText = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^([^:\n]+):(.*)$/gm)].map(([, name = '', value = '']) => [
      name.trim().toLowerCase(),
      value.trim(),
    ]),
  )
