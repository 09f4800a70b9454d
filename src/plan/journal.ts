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
  description: 'The journal of past requests, for the control plane; null switches it off. Credentials are masked.',
  additionalProperties: false,
  properties: {
    requests: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description: 'The number of requests that are kept. Default: 1000.',
    },
    size: {
      type: 'string',
      format: 'size',
      description:
        'The approximate memory limit, at most a tenth of the heap; the oldest requests are removed first. Default: 16MB.',
    },
    bodies: {
      type: ['string', 'null'],
      format: 'size',
      description: 'The length up to which request and reply bodies are kept. Default: null, no bodies.',
    },
    headers: {
      type: ['boolean', 'array'],
      items: { type: 'string', pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
      description: 'The names of the request headers that are kept; true keeps all. Default: false.',
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
