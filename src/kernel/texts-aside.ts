// Large texts that are parsed in a thread: the process that serves takes their values, and parses nothing itself.

import { createHash } from 'node:crypto'
import type { QuickRead } from './events.ts'
import { Decimal, isObject, stringifyJson } from './json.ts'

/** How a text is parsed: `filled` with its variables, or with `decimals` kept, or neither. */
export type TextForm = 'filled' | 'decimals' | 'plain'

/** The values of large texts. */
export interface TextsAside {
  /** Returns the value of a text, if it is known; throws `TooLargeHere` where it should be found out elsewhere. */
  find(text: string, form: TextForm): QuickRead | undefined
  /** Is told the value of a text that was not known. */
  found(text: string, form: TextForm, read: QuickRead): void
}

/** Characters of a text that takes some 20 ms to parse, more in a process that has parsed little yet. */
export const LARGE_TEXT = 100_000

/** Thrown where a text should be parsed in a thread. */
export class TooLargeHere extends Error {}

/** Parses no large text. */
export const NO_LARGE_TEXT: TextsAside = {
  find() {
    throw new TooLargeHere('this text is parsed in a thread')
  },
  found() {},
}

/** The value of a text as JSON, to be sent to another thread. */
export interface SentText {
  readonly id: string
  readonly decimals: boolean
  readonly json: string
  /** Whether the text itself is JSON. */
  readonly isJson: boolean
}

/** Notes the values of large texts. */
export class TextsToSend implements TextsAside {
  readonly list: SentText[] = []

  find(): undefined {}

  found(text: string, form: TextForm, { value, aliased, surplus, json }: QuickRead): void {
    // A value that several aliases share would be sent once for each.
    if (aliased || surplus > 0 || !isWritable(value)) return
    this.list.push({
      id: idOf(text, form),
      decimals: form === 'decimals',
      json: stringifyJson(value),
      isJson: json === true,
    })
  }
}

/** The values that a thread has sent; each is given out once, since its reader may change it. */
export class SentTexts implements TextsAside {
  readonly #values = new Map<string, QuickRead[]>()

  add({ id, isJson }: SentText, value: unknown): void {
    const read: QuickRead = { value, aliased: false, surplus: 0, ...(isJson ? { json: true } : {}) }
    const known = this.#values.get(id)
    if (known === undefined) this.#values.set(id, [read])
    else known.push(read)
  }

  find(text: string, form: TextForm): QuickRead | undefined {
    return this.#values.get(idOf(text, form))?.pop()
  }

  found(): void {}
}

const idOf = (text: string, form: TextForm): string => `${form} ${createHash('sha1').update(text).digest('base64')}`

/** Whether JSON holds the value as it is: it knows no infinity, and an integer beyond the safe range would come back as a bigint. */
function isWritable(value: unknown): boolean {
  if (typeof value === 'number')
    // From 1e21 on, an integer is written with an exponent.
    return (
      Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21)
    )
  if (Array.isArray(value)) return value.every(isWritable)
  if (isObject(value)) return Object.values(value).every(isWritable)
  return value === null || typeof value !== 'object' || value instanceof Decimal
}
