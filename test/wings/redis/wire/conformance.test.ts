// The engine in Redis, against the tests of all engines.

import { after, before } from 'node:test'
import { RedisLog } from '../../../../src/wings/redis/redis-log.ts'
import { conforms, keeps, shares } from '../../../state/engines/conformance.ts'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { surroundings } from '../../../wire/redis-surroundings.ts'

const server = new RedisServer()
before(async () => void (NO_REDIS === false && (await server.start())))
after(() => server.remove())
const redis = {
  connect: (name: string) => new RedisLog({ url: server.url, prefix: name }, surroundings()),
}
conforms('redis', redis, NO_REDIS)
keeps('redis', redis, NO_REDIS)
shares('redis', redis, NO_REDIS)
