// A request that is refused before its body has arrived: every client must be able to read the reply, however much it still
// sends.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { startGateway } from '../../src/index.ts'

const gateway = await startGateway({ config: 'config/gateway.yaml' })
after(() => gateway.close())

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
const SIZES = [0.1, 0.9, 8, 40]
const bodies = SIZES.map(megabytes => {
  const file = join(home, `${megabytes}`)
  const body = Buffer.alloc(megabytes * 1e6, 'x')
  writeFileSync(file, body)
  return { megabytes, file, body }
})

interface Upload {
  readonly url: string
  readonly file: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}
/** Sends uploads in sequence. Resolves with the statuses that the client saw; rejects if it saw none. */
type Client = (uploads: readonly Upload[]) => Promise<number[]>

const oneByOne =
  (send: (upload: Upload) => Promise<number>): Client =>
  async uploads => {
    const statuses: number[] = []
    for (const upload of uploads) statuses.push(await send(upload))
    return statuses
  }

const keeping = new Agent({ keepAlive: true })
after(() => keeping.destroy())

const byRequest =
  (agent: Agent | undefined, more: Readonly<Record<string, string>> = {}) =>
  ({ url, body, headers }: Upload): Promise<number> =>
    new Promise((resolve, reject) => {
      const length = 'transfer-encoding' in more ? undefined : { 'content-length': body.length }
      const options = { method: 'POST', agent: agent ?? false, headers: { ...headers, ...length, ...more } } as const
      const sent = request(url, options, reply => {
        reply.resume()
        reply.on('end', () => resolve(reply.statusCode as number))
        reply.on('error', reject)
      })
      sent.on('error', reject)
      if (more['x-waits'] === undefined) sent.end(body)
      else sent.on('continue', () => sent.end(body))
    })

const byFetch =
  (streamed: boolean) =>
  async ({ url, body, headers }: Upload): Promise<number> => {
    const pieces = function* () {
      for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536)
    }
    const init = { method: 'POST', headers, body: streamed ? ReadableStream.from(pieces()) : body, duplex: 'half' }
    const reply = await fetch(url, init as RequestInit)
    await reply.arrayBuffer()
    return reply.status
  }

const run = promisify(execFile)
const byCurl =
  (...options: readonly string[]) =>
  async ({ url, file, headers }: Upload): Promise<number> => {
    const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const args = ['-s', '-o', join(home, 'reply'), '-w', '%{http_code}', ...options, ...fields]
    const { stdout } = await run('curl', [...args, '--data-binary', `@${file}`, url])
    return Number(stdout)
  }

const PYTHON = {
  urllib: `
try: status = urllib.request.urlopen(urllib.request.Request(url, data=body, headers=fields)).status
except urllib.error.HTTPError as error: status = error.code; error.read()`,
  'http.client': `
place = urllib.parse.urlsplit(url)
there = http.client.HTTPConnection(place.netloc)
there.request('POST', place.path, body, fields)
status = there.getresponse().status`,
  requests: `
import requests
status = requests.post(url, data=body, headers=fields).status_code`,
  'requests, chunked': `
import requests
status = requests.post(url, data=(body[at:at + 65536] for at in range(0, len(body), 65536)), headers=fields).status_code`,
}
const PREAMBLE = `
import sys, json, urllib.request, urllib.error, urllib.parse, http.client
for url, path, fields in json.loads(sys.argv[1]):
    body = open(path, 'rb').read()`
/** Starting Python takes longer than most uploads, so that one process sends all of them. */
const byPython =
  (program: string): Client =>
  async uploads => {
    const text = `${PREAMBLE}${`${program}\nprint(status)`.replaceAll('\n', '\n    ')}`
    const all = uploads.map(({ url, file, headers }) => [url, file, headers])
    const { stdout } = await run('python3', ['-c', text, JSON.stringify(all)])
    return stdout.trim().split('\n').map(Number)
  }

/** The reason why a client is not available; `false` if it is. */
function missing(command: string, ...args: readonly string[]): string | false {
  const { status } = spawnSync(command, args)
  return status === 0 ? false : `there is no ${[command, ...args].join(' ')} here`
}
const noCurl = missing('curl', '--version')
const noPython = missing('python3', '--version')
const noRequests = missing('python3', '-c', 'import requests')

const clients: readonly (readonly [name: string, client: Client, skip?: string | false])[] = [
  ['fetch', oneByOne(byFetch(false))],
  ['fetch of a stream', oneByOne(byFetch(true))],
  ['http.request that keeps its connection', oneByOne(byRequest(keeping))],
  ['http.request that closes', oneByOne(byRequest(undefined))],
  ['http.request that closes, chunked', oneByOne(byRequest(undefined, { 'transfer-encoding': 'chunked' }))],
  ['http.request that expects 100 and does not wait', oneByOne(byRequest(keeping, { expect: '100-continue' }))],
  ['http.request that waits for 100', oneByOne(byRequest(keeping, { expect: '100-continue', 'x-waits': 'yes' }))],
  ['curl', oneByOne(byCurl()), noCurl],
  ['curl without Expect', oneByOne(byCurl('-H', 'Expect:')), noCurl],
  ['curl, chunked', oneByOne(byCurl('-H', 'Transfer-Encoding: chunked')), noCurl],
  ['curl that closes', oneByOne(byCurl('-H', 'Connection: close', '-H', 'Expect:')), noCurl],
  ['curl of HTTP/1.0', oneByOne(byCurl('--http1.0')), noCurl],
  ['urllib, which always closes', byPython(PYTHON.urllib), noPython],
  ['http.client', byPython(PYTHON['http.client']), noPython],
  ['requests', byPython(PYTHON.requests), noRequests],
  ['requests, chunked', byPython(PYTHON['requests, chunked']), noRequests],
]

const JSON_TYPE = { 'content-type': 'application/json' }
const KEY = { authorization: 'Bearer demo-key' }

for (const [name, client, skip = false] of clients) {
  describe(`an upload by ${name}`, { skip }, () => {
    for (const { megabytes, file, body } of bodies) {
      const large = megabytes > 1
      test(`with ${megabytes} MB gets its refusal from both planes`, async () => {
        const cases: readonly [url: string, headers: Record<string, string>, status: number][] = [
          [`${gateway.url}/pets`, JSON_TYPE, 401],
          [`${gateway.url}/nowhere`, JSON_TYPE, 404],
          [`${gateway.url}/pets/1`, JSON_TYPE, 405],
          [`${gateway.url}/pets`, { ...KEY, 'content-type': 'text/plain' }, 415],
          [`${gateway.url}/pets`, { ...KEY, ...JSON_TYPE }, large ? 413 : 400],
          [`${gateway.control}/nowhere`, JSON_TYPE, 404],
          [`${gateway.control}/worlds`, { 'content-type': 'text/plain' }, 415],
        ]
        // Large uploads are slow: one or two cases suffice.
        const some = large ? cases.filter((_, at) => (megabytes > 10 ? at === 6 : at === 0 || at === 4)) : cases
        const statuses = await client(some.map(([url, headers]) => ({ url, file, body, headers })))
        assert.deepEqual(
          statuses.map((status, at) => `${status} of ${some[at]?.[0]}`),
          some.map(([url, , status]) => `${status} of ${url}`),
        )
      })
    }
  })
}
