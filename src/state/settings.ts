// The settings of the state, once checked: which engine keeps it, and how.

export interface FileSettings {
  readonly kind: 'file'
  /** An absolute path. */
  readonly file: string
  /** Milliseconds between two writes to the disk: 0 writes before each reply. */
  readonly sync: number
  /** Whether a damaged line in the middle, and all after it, may be dropped. */
  readonly recover: boolean
}

export interface RedisSettings {
  readonly kind: 'redis'
  /** `redis://` or `rediss://`, perhaps with a user and a password: never to be shown. */
  readonly url: string
  /** All keys begin with it. */
  readonly prefix: string
}

/** `memory`: no log is kept, for a history in memory. */
export type EngineSettings = FileSettings | RedisSettings | { readonly kind: 'memory' }

export interface StateSettings {
  readonly engine: EngineSettings
  /** Whether a request reads the changes of other processes from the engine before it is answered. */
  readonly reads: 'strong' | 'local'
  /** The records of a resource whose seeds are others than those that the state began with. */
  readonly onSeedChange: 'keep' | 'reset'
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
