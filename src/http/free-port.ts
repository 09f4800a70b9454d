// Finds a free port.

import { type AddressInfo, createServer } from 'node:net'

/** A port of `host` that is free at this moment; rejects with the system's error where the address is not ours. */
export const freePort = (host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
