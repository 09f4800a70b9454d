// Certificates, files and a client for the tests of TLS.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { Agent, type AgentOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { PROGRAM } from '../support/built-program.ts'
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

/** Starts the program with these options. Asserts that each connection has the certificate whose fingerprint it prints. */
export async function assertPrintsFingerprint(...options: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...options, '--port', '0', '--control-port', '0'])
  after(() => child.kill('SIGKILL'))
  let text = ''
  child.stderr.resume()
  for await (const chunk of child.stdout) {
    text += chunk
    if (text.includes('curl')) break
  }
  const [, fingerprint] = /Certificate +self-signed, SHA-256 ([\dA-F:]{95})/.exec(text) ?? assert.fail(text)
  assert.match(text, /curl -k/)
  for (const name of ['API', 'Control plane']) {
    const url = new RegExp(`${name} +(https:\\S+)`).exec(text)?.[1] ?? assert.fail(text)
    for (let i = 0; i < 4; i++) {
      const socket = await handshake(url)
      assert.equal(socket.getPeerCertificate().fingerprint256, fingerprint)
      socket.destroy()
    }
  }
  child.kill('SIGTERM')
  assert.equal(await new Promise(resolve => child.once('exit', resolve)), 0)
}
