// Redis: a state that replicas share.

import type { Wing } from '../../cli/command.ts'
import { KEYS, parseRedisUrl, passwordsOf, settingsOf } from './settings.ts'

export const redis: Wing = {
  name: 'redis',
  engines: [
    {
      key: 'redis',
      about: 'a Redis database',
      keys: KEYS,
      fault: url =>
        parseRedisUrl(url) === undefined
          ? {
              message: 'must be the URL of a Redis database',
              hint: 'write redis://[user:password@]host[:port][/database], or rediss:// for TLS',
            }
          : undefined,
      secrets: passwordsOf,
      async make(block, around) {
        const { RedisLog } = await import('./redis-log.ts')
        return new RedisLog(settingsOf(block), around)
      },
    },
  ],
}
