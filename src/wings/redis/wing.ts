// Redis: a state that replicas share.

import type { Wing } from '../../cli/command.ts'
import { KEYS, mistakesIn, passwordsOf, settingsOf } from './settings.ts'

export const redis: Wing = {
  name: 'redis',
  engines: [
    {
      key: 'redis',
      about: 'a Redis database',
      example: 'redis: ${REDIS_URL}',
      keys: KEYS,
      isShared: true,
      mistakesIn,
      secrets: passwordsOf,
      async make(block, _folder, around) {
        const { RedisLog } = await import('./redis-log.ts')
        return new RedisLog(settingsOf(block), around)
      },
    },
  ],
}
