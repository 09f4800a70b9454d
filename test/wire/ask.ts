// A plain HTTP client for tests. Unlike fetch, it sends any header, including Host and Origin.

import { request } from 'node:http'

export interface Asked {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The text, parsed as JSON. */
  readonly body: unknown
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export const ask = (url: string, { method = 'GET', headers = {}, body }: AskOptions = {}): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { method, agent: false, headers: { ...length, ...headers } }, received => {
      const chunks: Buffer[] = []
      received.on('data', (chunk: Buffer) => chunks.push(chunk))
      received.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const { statusCode = 0, headers } = received
        resolve({
          status: statusCode,
          headers,
          text,
          body: /json/.test(headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : undefined,
        })
      })
      received.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
