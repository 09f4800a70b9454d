// The beginnings of the form "answer next", so that the usual wishes take one click.

import type { FormReplyContent } from '../../http/control/types.ts'
import type { DocumentedOperation } from '../model/shapes.ts'
import type { AnswerDraft } from './answer-order.ts'

export interface AnswerPreset {
  readonly title: string
  readonly changes: Partial<AnswerDraft>
}

const USUAL: readonly AnswerPreset[] = [
  { title: 'A server error', changes: { kind: 'reply', status: '503', example: '', body: '' } },
  { title: 'A slow reply', changes: { kind: 'delay', delay: '3s' } },
  { title: 'No connection', changes: { kind: 'fault', fault: 'reset', delay: '' } },
]

/** Returns the presets of an operation: an empty list where it answers with a list, and those that every operation has. */
export function presetsOf(operation: Pick<DocumentedOperation, 'responses'> | undefined): readonly AnswerPreset[] {
  for (const { status, content } of operation?.responses ?? []) {
    if (!/^2\d\d$/.test(status)) continue
    const empty = content.map(emptyListOf).find(value => value !== undefined)
    if (empty === undefined) continue
    const body = JSON.stringify(empty, null, 2)
    return [{ title: 'An empty list', changes: { kind: 'reply', status, example: '', body, delay: '' } }, ...USUAL]
  }
  return USUAL
}

function emptyListOf({ type, examples, sample }: FormReplyContent): unknown {
  return /^application\/(?:[\w.+-]+\+)?json\b/.test(type) ? emptied(examples[0]?.value ?? sample) : undefined
}

/** The value with its lists empty and its counts zero; `undefined` where it neither is a list nor has one. */
export function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (value === null || typeof value !== 'object') return undefined
  const fields = Object.entries(value)
  if (!fields.some(([, one]) => Array.isArray(one))) return undefined
  return Object.fromEntries(fields.map(([name, one]) => [name, withoutRecords(name, one)]))
}

function withoutRecords(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (typeof value === 'number' && /total|count/i.test(name)) return 0
  return typeof value === 'boolean' && /more|next/i.test(name) ? false : value
}
