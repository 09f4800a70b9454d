// The shipped pet store over a raw connection: its key, and requests as bytes.

import { after } from 'node:test'
import { startGateway } from '../../src/index.ts'
import { type Said, say } from './raw.ts'

/** The header of a known consumer. */
export const KEY = 'Authorization: Bearer demo-key\r\n'
export const JSON_TYPE = 'Content-Type: application/json\r\n'

/** Starts the shipped configuration for the tests of a file. */
export async function petStore() {
  const gateway = await startGateway({ config: 'config/gateway.yaml' })
  after(() => gateway.close())
  const next = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\n${KEY}\r\n`
  return {
    gateway,
    /** Sends these bytes. */
    say: (bytes: string | Uint8Array, options?: { head?: boolean }): Promise<Said> =>
      say(gateway.url, bytes, next, options),
    /** Sends `GET /v1/pets` with a key and optional header lines. */
    ask: (line: string, headers = KEY): Promise<Said> =>
      say(gateway.url, `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`, next, { head: line.startsWith('HEAD ') }),
    /** Sends `POST /v1/pets` with a key and a body. */
    post: (body: string | Uint8Array, headers = JSON_TYPE): Promise<Said> =>
      say(gateway.url, message(`POST /v1/pets`, `${KEY}${headers}`, body), next),
  }
}

/** Returns a complete request with its Content-Length. */
export function message(line: string, headers: string, body: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body as string)
  return Buffer.concat([
    Buffer.from(`${line} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${bytes.length}\r\n\r\n`),
    bytes,
  ])
}
