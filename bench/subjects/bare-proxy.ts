// The baseline of forwarding: a node:http proxy that pipes bodies both ways and keeps its connections. It has what RFC 9110 asks of
// every proxy: fields of one connection stay behind, `Via`, 502 where there is no reply, and the end of a request whose client leaves.

import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true })
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** @param fields names and values in turn */
function passed(fields: readonly string[]): string[] {
  const kept: string[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, fields[i + 1] as string)
  }
  kept.push('Via', '1.1 bare')
  return kept
}

const server = createServer((req, res) => {
  const headers = passed(req.rawHeaders)
  const asked = request({ port, host: '127.0.0.1', method: req.method, path: req.url, headers, agent })
  asked.on('response', reply => {
    res.writeHead(reply.statusCode ?? 502, passed(reply.rawHeaders))
    reply.on('error', () => res.destroy())
    reply.pipe(res)
  })
  asked.on('error', () => {
    if (res.headersSent) res.destroy()
    else res.writeHead(502).end()
  })
  res.on('close', () => asked.destroy())
  req.pipe(asked)
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
