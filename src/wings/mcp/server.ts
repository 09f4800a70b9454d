// A server of the Model Context Protocol in front of a control plane.

import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../kernel/json.ts'
import { type ControlDocument, type Send, toolsOf } from './tools.ts'

const INSTRUCTIONS =
  'Understudy stands in for an HTTP API by its OpenAPI contract. Call getVersion for its address, listOperations for its operations, listRequests for what clients sent, and setWorldWeather, setClock or giveAnswer to change what it answers.'

/** Sends requests to a control plane. @param authorization the value of the header field, if one is needed */
export const sendTo =
  (origin: string, authorization: string | undefined): Send =>
  (path, init) =>
    fetch(origin + path, { ...init, headers: { ...init.headers, ...(authorization && { authorization }) } })

/** Returns a function that makes a server, one for each connection. @throws the reason why the control plane cannot be asked */
export async function compileServer(send: Send): Promise<() => Server> {
  const reply = await send('/openapi.json', { method: 'GET' })
  if (!reply.ok)
    throw new Error(`it answered ${reply.status}${reply.status === 401 ? '; set UNDERSTUDY_CONTROL_TOKEN' : ''}`)
  const document = (await reply.json()) as ControlDocument
  const tools = toolsOf(document)
  return () => {
    const server = new Server(
      { name: 'understudy', version: document.info.version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    )
    server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(({ tool }) => tool) }))
    server.setRequestHandler('tools/call', async ({ params }) => {
      const tool = tools.get(params.name)
      if (tool === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool is called "${params.name}"`)
      return tool.call((params.arguments ?? {}) as JsonObject, send)
    })
    return server
  }
}
