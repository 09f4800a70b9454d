// The address of a Redis server, and how it is named to people: without its credentials.

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

/** `redis 127.0.0.1:6379`, with `/3` for another database than 0. */
export const redisNameOf = ({ host, port, database }: RedisAddress): string =>
  `redis ${host.includes(':') ? `[${host}]` : host}:${port}${database === 0 ? '' : `/${database}`}`
