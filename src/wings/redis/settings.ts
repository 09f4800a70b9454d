// The keys of `state` that choose a log in Redis.

import { setting } from '../../behaviours/behaviour.ts'
import type { Schema } from '../../kernel/schema/schema.ts'
import type { EngineMistake } from '../../plan/house.ts'
import type { StateBlock } from '../../plan/simulation-file.ts'

/** The keys of the block. */
interface RedisBlock extends StateBlock {
  readonly redis?: string
  readonly prefix?: string
}

export interface RedisSettings {
  /** `redis://` or `rediss://`, perhaps with a user and a password: never to be shown. */
  readonly url: string
  /** All keys begin with it. */
  readonly prefix: string
}

export const KEYS: Readonly<Record<string, Schema>> = {
  redis: setting.text('The URL of a Redis (6.2 or newer) or Valkey database: `${REDIS_URL}`.', {
    pattern: '^rediss?://',
  }),
  prefix: setting.text('The name of this state in the database, the same in all replicas. Default: understudy.', {
    pattern: '^[A-Za-z0-9._-]{1,64}$',
  }),
  reads: setting.choice(
    ['strong', 'local'],
    'What a request sees: all changes that any replica has acknowledged (`strong`), or those that this replica has received so far (`local`), without a round trip. Default: strong.',
  ),
}

export function mistakesIn({ redis: url = '' }: RedisBlock): readonly EngineMistake[] {
  if (parseRedisUrl(url) !== undefined) return []
  const hint = 'write redis://[user:password@]host[:port][/database], or rediss:// for TLS'
  return [{ key: 'redis', message: 'must be the URL of a Redis database', hint }]
}

export const settingsOf = ({ redis: url = '', prefix = 'understudy' }: RedisBlock): RedisSettings => ({ url, prefix })

/** Returns the password in the URL, encoded and decoded. */
export function passwordsOf({ redis: url = '' }: RedisBlock): readonly string[] {
  const [, written = ''] = /\/\/[^/]*?:(.*)@/.exec(url) ?? []
  return written === '' ? [] : [...new Set([written, parseRedisUrl(url)?.password ?? written])]
}

export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly database: number
  readonly username: string | undefined
  readonly password: string | undefined
}

/** Reads `redis://user:password@host:6379/0`; `undefined` for text that is not such a URL. */
export function parseRedisUrl(url: string): RedisAddress | undefined {
  try {
    const { protocol, hostname, port, pathname, username, password } = new URL(url)
    const database = Number(pathname.slice(1))
    if (!/^rediss?:$/.test(protocol) || hostname === '' || !Number.isInteger(database) || database < 0) return undefined
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? 6379 : Number(port),
      tls: protocol === 'rediss:',
      database,
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(password) || undefined,
    }
  } catch {
    // The error of `URL` contains the text, including the password.
    return undefined
  }
}
