// The words of the form "answer next" as the order that the control plane takes.

import type { AnswerOrder } from '../model/shapes.ts'

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
}

/** The order of a draft. A body that is JSON is sent as JSON, another one as text. */
export function orderOf(operation: string, draft: AnswerDraft): AnswerOrder {
  const { kind, status, example, body, delay, fault, skip, times, consumer, when } = draft
  return {
    operation,
    ...(when.trim() === '' ? {} : { when: when.trim() }),
    ...(consumer === '' ? {} : { consumer }),
    ...(kind === 'reply' ? { reply: replyOf(status, example, body) } : {}),
    ...(delay.trim() === '' ? {} : { delay: delay.trim() }),
    ...(kind === 'fault' ? { fault: { kind: fault } } : {}),
    ...(Number(skip) > 0 ? { skip: Number(skip) } : {}),
    times: times === 'always' ? null : Number(times),
  }
}

function replyOf(status: string, example: string, body: string): NonNullable<AnswerOrder['reply']> {
  return {
    status: Number(status),
    ...(example === '' ? {} : { example }),
    ...(example !== '' || body.trim() === '' ? {} : { body: bodyOf(body) }),
  }
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An order in a few words: `503, once`. */
export function describeOrder({ reply, delay, fault, skip = 0, times, when, consumer }: AnswerOrder): string {
  const parts = [
    ...(reply === undefined
      ? []
      : [`${reply.status ?? 'the usual status'}${reply.example ? ` (${reply.example})` : ''}`]),
    ...(fault === undefined ? [] : [fault.kind]),
    ...(delay === undefined ? [] : [`after ${delay}`]),
  ]
  const often = times === null ? 'until switched off' : times === undefined || times === 1 ? 'once' : `${times} times`
  const first = skip === 0 ? [] : [skip === 1 ? 'after one request' : `after ${skip} requests`]
  const whom = [...(consumer === undefined ? [] : [`for ${consumer}`]), ...(when === undefined ? [] : [`when ${when}`])]
  return [parts.join(', ') || 'the usual reply', often, ...first, ...whom].join(' · ')
}
