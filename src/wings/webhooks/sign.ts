// The signatures of deliveries, as Standard Webhooks, GitHub, Stripe and Slack have them, and of any other form by template.

import { createHmac } from 'node:crypto'
import type { Headers } from '../../kernel/http.ts'
import { lowerNames } from '../../kernel/http.ts'

export const SCHEMES = ['standard', 'github', 'stripe', 'slack'] as const

/** How deliveries of a webhook are signed. */
export interface Signing {
  readonly scheme?: (typeof SCHEMES)[number]
  /** Headers with `${hex}`, `${base64}`, `${timestamp}` and `${id}`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The signed text, with `${body}`, `${timestamp}` and `${id}`. Default: the body. */
  readonly content?: string
  readonly secret?: string | readonly string[]
}

/** The text that is signed. */
export interface Signed {
  readonly id: string
  readonly webhook: string
  readonly body: string
  /** Real time, in milliseconds since the epoch. */
  readonly at: number
}

/** Schemes whose header has one signature: of two secrets the first is used. */
export const SINGLE: ReadonlySet<string | undefined> = new Set(['github', 'slack', undefined])

/** The bytes of a secret of Standard Webhooks. */
export const standardKey = (secret: string): Uint8Array => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

const hmac = (key: string | Uint8Array, text: string, form: 'hex' | 'base64', hash = 'sha256'): string =>
  createHmac(hash, key).update(text).digest(form)

const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] as string) : whole,
  )

/** Returns the headers of a signature, by names in lower case. @param secrets at least one */
export function sign(
  { scheme, headers = {}, content = '${body}' }: Signing,
  secrets: readonly string[],
  of: Signed,
): Headers {
  const { id, webhook, body } = of
  const [first = ''] = secrets
  const timestamp = `${Math.floor(of.at / 1000)}`
  switch (scheme) {
    case 'standard': {
      const signatures = secrets.map(one => `v1,${hmac(standardKey(one), `${id}.${timestamp}.${body}`, 'base64')}`)
      return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
    }
    case 'github':
      return {
        'x-github-event': webhook,
        'x-github-delivery': id,
        'x-hub-signature': `sha1=${hmac(first, body, 'hex', 'sha1')}`,
        'x-hub-signature-256': `sha256=${hmac(first, body, 'hex')}`,
      }
    case 'stripe': {
      const signatures = secrets.map(one => `v1=${hmac(one, `${timestamp}.${body}`, 'hex')}`)
      return { 'stripe-signature': [`t=${timestamp}`, ...signatures].join(',') }
    }
    case 'slack':
      return {
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${hmac(first, `v0:${timestamp}:${body}`, 'hex')}`,
      }
    case undefined: {
      const text = fill(content, { body, timestamp, id })
      const values = { timestamp, id, hex: hmac(first, text, 'hex'), base64: hmac(first, text, 'base64') }
      return lowerNames(Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, values)])))
    }
    default:
      return scheme satisfies never
  }
}
