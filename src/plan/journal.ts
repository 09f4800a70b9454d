// The `journal` block of gateway.yaml: the number of requests that are remembered, and how much of each.

import type { Schema } from '../kernel/schema.ts'
import { parseSize } from '../kernel/units.ts'

export interface JournalFile {
  readonly requests?: number
  readonly size?: string
  readonly bodies?: string | null
  readonly headers?: boolean | readonly string[]
}

/** Sizes in bytes. */
export interface JournalSettings {
  /** 0 switches the journal off. */
  readonly requests: number
  readonly size: number
  /** The part of each body that is kept; 0 for none. */
  readonly bodies: number
  /** Lower-case names of the request headers that are kept. */
  readonly headers: 'all' | readonly string[]
}

export const journalSchema: Schema = {
  type: ['object', 'null'],
  description: 'What the control plane can tell of past requests; null remembers none. Credentials are masked.',
  additionalProperties: false,
  properties: {
    requests: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description: 'So many of the last requests. Default: 1000.',
    },
    size: {
      type: 'string',
      format: 'size',
      description:
        'At most about this much memory, and at most a tenth of the heap; the oldest request goes first. Default: 16MB.',
    },
    bodies: {
      type: ['string', 'null'],
      format: 'size',
      description: 'Keeps the beginning of request and reply bodies, up to this length. Default: null, none.',
    },
    headers: {
      type: ['boolean', 'array'],
      items: { type: 'string', pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
      description: 'Keeps request headers: those of these names, or with true all of them. Default: false.',
    },
  },
}

export const journalSettings = (file: JournalFile | null = {}): JournalSettings => ({
  requests: file === null ? 0 : (file.requests ?? 1000),
  size: parseSize(file?.size ?? '16MB') as number,
  bodies: parseSize(file?.bodies ?? '0B') as number,
  headers: headersOf(file?.headers ?? false),
})

const headersOf = (headers: boolean | readonly string[]): JournalSettings['headers'] =>
  typeof headers === 'boolean' ? (headers ? 'all' : []) : headers.map(name => name.toLowerCase())
