// Certificates, files and a client for the tests of TLS.

import { mkdtempSync, writeFileSync } from 'node:fs'
import { Agent, type AgentOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { makeAuthority } from './certificates.ts'

export const CONTRACT = `
contract:
  openapi: 3.1.0
  info: { title: Secure, version: "1" }
  paths:
    /open: { get: { operationId: open, responses: { "200": { description: Anybody } } } }
    /mine:
      get: { operationId: mine, security: [{ mtls: [] }], responses: { "200": { description: Known callers } } }
  components: { securitySchemes: { mtls: { type: mutualTLS } } }
operations:
  open: { respond: { status: 200 } }
  mine: { respond: { status: 200 } }
`
export const CONSUMERS = 'consumers: { ann: { mtls: "CN=ann" }, acme: { mtls: "CN=ann, O=Acme" } }'
export interface Got {
  readonly status: number
  readonly text: string
  readonly connection: string | undefined
}
export const handshake = (url: string, options: object = {}): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...options }, () =>
      resolve(socket),
    )
    socket.once('error', reject)
  })

/**
 * A folder of files, an authority, the certificate of a server, and a client that trusts it. Each test file makes its own: two files of one
 * process that wait for the same promise would lose the names of their suites.
 */
export async function makeClient() {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  const write = (name: string, text: string): string => {
    writeFileSync(join(home, name), text)
    return join(home, name)
  }
  let files = 0
  const configure = (tls: string, more = ''): string =>
    write(`gateway-${++files}.yaml`, `listen: { tls: ${tls} }\n${more}${CONTRACT}`)
  const authority = await makeAuthority('Staging')
  const server = await authority.issue('CN=localhost')
  const get = (url: string, options: AgentOptions & { headers?: Record<string, string> } = {}): Promise<Got> =>
    new Promise((resolve, reject) => {
      const { headers, ...secret } = options
      const agent = new Agent({ ca: authority.cert, ...secret })
      const sent = request(url, { agent, ...(headers && { headers }) }, reply => {
        let text = ''
        reply.setEncoding('utf8').on('data', chunk => (text += chunk))
        reply.on('end', () => {
          resolve({ status: reply.statusCode as number, text, connection: reply.headers.connection })
          agent.destroy()
        })
      })
      sent.on('error', reject)
      sent.end()
    })
  return { home, write, configure, authority, server, get }
}
