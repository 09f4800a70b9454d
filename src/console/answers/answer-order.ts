// The form "answer next" without its inputs: the values that it begins with, and the order that it sends.

import type { AnswerOrder, FormReplyContent, OperationForm } from '../../http/control/types.ts'
import { parseJson, stringifyJson } from '../../kernel/json.ts'
import { indentJson } from '../model/json-text.ts'

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
  ...{ kind: 'reply', status: '500', example: '', body: '', delay: '', fault: 'reset' },
  ...{ skip: '0', times: '1', consumer: '', when: '', world: '' },
}

/** Returns the order of a draft. A body that is JSON is sent as JSON, another one as text. */
export function orderFrom(operation: string, draft: AnswerDraft): AnswerOrder {
  const { kind, consumer, times } = draft
  const skip = Number(draft.skip)
  return {
    operation,
    when: draft.when.trim() || undefined,
    consumer: consumer || undefined,
    reply: kind === 'reply' ? replyFrom(draft) : undefined,
    delay: draft.delay.trim() || undefined,
    fault: kind === 'fault' ? ({ kind: draft.fault } as AnswerOrder['fault']) : undefined,
    skip: skip > 0 ? skip : undefined,
    times: times === 'always' ? null : Number(times),
  }
}

function replyFrom({ status: digits, example, body }: AnswerDraft): NonNullable<AnswerOrder['reply']> {
  const status = Number(digits)
  if (example !== '') return { status, example }
  if (body.trim() === '') return { status }
  const parsed = parseJson(body, true)
  return { status, body: 'fault' in parsed ? body : parsed.value }
}

/** Describes an order in a few words: `503 · once`. */
export function describeOrder({ reply, delay, fault, skip = 0, times = 1, when, consumer }: AnswerOrder): string {
  const whats = [
    ...(reply === undefined
      ? []
      : [`${reply.status ?? 'the usual status'}${reply.example ? ` (${reply.example})` : ''}`]),
    ...(fault === undefined ? [] : [fault.kind]),
    ...(delay === undefined ? [] : [`after ${delay}`]),
  ]
  return [
    whats.join(', ') || 'the usual reply',
    times === null ? 'until switched off' : times === 1 ? 'once' : `${times} times`,
    ...(skip === 0 ? [] : [skip === 1 ? 'after one request' : `after ${skip} requests`]),
    ...(consumer === undefined ? [] : [`for ${consumer}`]),
    ...(when === undefined ? [] : [`when ${when}`]),
  ].join(' · ')
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
  if (value === null || typeof value !== 'object') return undefined
  const fields = Object.entries(value)
  if (!fields.some(([, one]) => Array.isArray(one))) return undefined
  return Object.fromEntries(fields.map(([name, one]) => [name, asOfEmptyList(name, one)]))
}

function asOfEmptyList(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (typeof value === 'number' && /total|count/i.test(name)) return 0
  return typeof value === 'boolean' && /more|next/i.test(name) ? false : value
}
