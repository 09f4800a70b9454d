// A proxy that loses replies.

import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** A proxy to a port that can close the connection instead of a reply. */
export async function lossyProxy(port: number) {
  let losing = false
  const sockets = new Set<Socket>()
  const proxy = createServer(client => {
    const upstream = createConnection(port, '127.0.0.1')
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}))
    client.pipe(upstream)
    upstream.on('data', data => {
      if (!losing) return void client.write(data)
      losing = false
      client.destroy()
    })
    client.on('close', () => upstream.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    loseNextReply() {
      losing = true
    },
    close() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    },
  }
}
