// `/mcp` of the control plane: the protocol over HTTP (Streamable HTTP). Its tools ask the same control plane, with the client's token.

import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { ControlPage } from '../../http/control/page.ts'
import { GUARD_HEADERS } from '../../http/control/replies.ts'
import { compileServer, sendTo } from './server.ts'

export async function answer(ctx: Parameters<ControlPage['serve']>[0]): Promise<void> {
  const { localAddress = '127.0.0.1', localPort } = ctx.req.socket
  const origin = `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
  const makeServer = await compileServer(sendTo(origin, ctx.get('Authorization') || undefined))
  const handler = createMcpHandler(makeServer)
  const request = new Request(origin + ctx.url, {
    method: ctx.method,
    headers: new Headers(Object.entries(ctx.headers).map(([name, value]) => [name, String(value)])),
    ...(ctx.method === 'POST' && { body: Readable.toWeb(ctx.req) as ReadableStream<Uint8Array>, duplex: 'half' }),
  } as RequestInit)
  const reply = await handler.fetch(request)
  ctx.status = reply.status
  ctx.set({ ...GUARD_HEADERS, ...Object.fromEntries(reply.headers) })
  ctx.body = reply.body === null ? '' : Readable.fromWeb(reply.body as ReadableStream)
}
