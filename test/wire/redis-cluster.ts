// A cluster of two Redis servers.

import { RedisServer } from './redis-server.ts'

/**
 * Two nodes that share the slots. Becoming a cluster takes them some seconds.
 *
 * @param servers gets the nodes, which the caller removes
 */
export async function startCluster(servers: RedisServer[]): Promise<readonly [RedisServer, RedisServer]> {
  const nodes = await Promise.all([1, 2].map(() => new RedisServer('--cluster-enabled', 'yes').start()))
  servers.push(...nodes)
  const [one, other] = nodes as [RedisServer, RedisServer]
  await one.command('CLUSTER ADDSLOTSRANGE 0 8191')
  await other.command('CLUSTER ADDSLOTSRANGE 8192 16383')
  await one.command(`CLUSTER MEET 127.0.0.1 ${other.port}`)
  return [one, other]
}
