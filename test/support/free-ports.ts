// Ports for programs that must be told one before they start.

import { once } from 'node:events'
import { createServer } from 'node:net'

/** Returns ports of 127.0.0.1 that were free a moment ago. All are taken before one is given back, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports: number[] = []
  for (const server of servers) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    ports.push((server.address() as { port: number }).port)
  }
  for (const server of servers) await once(server.close(), 'close')
  return ports
}

export const freePort = async (): Promise<number> => (await freePorts(1))[0] as number
