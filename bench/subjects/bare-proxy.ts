// The baseline of forwarding: a bare node:http proxy that pipes bodies both ways and keeps its connections.

import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true })

const server = createServer((req, res) => {
  const asked = request({ port, host: '127.0.0.1', method: req.method, path: req.url, headers: req.headers, agent })
  asked.on('response', reply => {
    res.writeHead(reply.statusCode ?? 502, reply.headers)
    reply.pipe(res)
  })
  asked.on('error', () => res.destroy())
  req.pipe(asked)
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
