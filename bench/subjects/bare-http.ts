// The baseline: a bare node:http server that finds the reply in a table and writes it. It reads and parses a write first.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Recorded, replies } from './replies.ts'

let count = 0

const write = (res: ServerResponse, { status, headers, body, varies }: Recorded): void => {
  res.writeHead(status, headers)
  count += 1
  res.end(varies ? body.replace('00000000', `${count}`.padStart(8, '0')) : body)
}

const server = createServer((req, res) => {
  const reply = replies.get(`${req.method} ${req.url}`)
  if (reply === undefined) {
    res.writeHead(599)
    res.end()
  } else if (req.method === 'POST') {
    const chunks: Buffer[] = []
    req.on('data', chunk => chunks.push(chunk))
    req.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString('utf8'))
      write(res, reply)
    })
  } else write(res, reply)
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
