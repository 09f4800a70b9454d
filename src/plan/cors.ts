// The `listen.cors` block of gateway.yaml: the web pages that may read the replies. Other pages get a CORS failure.

import type { Schema } from '../kernel/schema.ts'

export type CorsFile = 'off' | { readonly origins?: readonly string[]; readonly credentials?: boolean }

export interface CorsSettings {
  /** Returns whether a page of this origin may read the replies. */
  admits(origin: string): boolean
  /** Whether it may send cookies and HTTP authentication. */
  readonly credentials: boolean
}

export const corsSchema: Schema = {
  type: ['object', 'string'],
  format: 'block or "off"',
  description:
    'Which pages of other origins may call the API (CORS). `off`: none, and preflight requests are not permitted. Default: all, with credentials.',
  additionalProperties: false,
  properties: {
    origins: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', format: 'origin' },
      description: 'The origins whose pages may read replies; `*` is every origin. Default: ["*"].',
    },
    credentials: {
      type: 'boolean',
      description: 'Whether these pages may send cookies and HTTP authentication. Default: true.',
    },
  },
}

/** Whether a text is a serialised origin (RFC 6454 §6.2), or `*`. */
export const isOrigin = (text: string): boolean => ORIGIN.test(text)
const ORIGIN = /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,]+)$/

/** Returns `undefined` if CORS is off. */
export function corsSettings(file: CorsFile = {}): CorsSettings | undefined {
  if (file === 'off') return undefined
  const { origins = ['*'], credentials = true } = file
  const listed = new Set(origins)
  return { admits: origin => listed.has('*') || listed.has(origin), credentials }
}
