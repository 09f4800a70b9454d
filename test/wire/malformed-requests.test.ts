// Both planes refuse malformed requests, each in its own shape; pipelined requests before them are answered first.

import assert from 'node:assert/strict'
import { after, describe, suite, test } from 'node:test'
import { startGateway } from '../../src/index.ts'
import { assertRefusal, Raw, type RawReply, say } from './raw.ts'

const gateway = await startGateway({ config: 'config/gateway.yaml' })
const hasty = await startGateway({ config: 'test/wire/small-limits.yaml' })
after(() => Promise.all([gateway.close(), hasty.close()]))

function assertProblem(reply: RawReply, status: number, code?: string): void {
  assert.equal(reply.status, status, `${reply.status} ${reply.body}`)
  assert.equal(reply.headers['content-type'], 'application/problem+json')
  assert.equal(reply.headers['access-control-allow-origin'], undefined)
  const problem = JSON.parse(reply.body) as Record<string, unknown>
  assert.deepEqual(Object.keys(problem), ['title', 'status', 'detail', 'code'])
  assert.equal(problem.status, status)
  if (code !== undefined) assert.equal(problem.code, code)
}

const KEY = 'Authorization: Bearer demo-key\r\n'
const planes = [
  { name: 'the API', url: gateway.url, path: '/v1/pets', headers: KEY, check: assertRefusal, slow: hasty.url },
  {
    name: 'the control plane',
    url: gateway.control,
    path: '/healthz',
    headers: '',
    check: assertProblem,
    slow: hasty.control,
  },
]

for (const { name, url, path, headers, check, slow } of planes) {
  const GET = `GET ${path} HTTP/1.1\r\n`
  const good = `${GET}Host: localhost\r\n${headers}\r\n`
  describe(name, () => {
    for (const [what, bytes, status, code] of [
      ['no Host', `${GET}${headers}\r\n`, 400, 'invalid_request'],
      ['two Hosts', `${GET}Host: localhost\r\nhost: localhost\r\n${headers}\r\n`, 400, 'invalid_request'],
      ['a Host with a user', `${GET}Host: u@localhost\r\n${headers}\r\n`, 400, 'invalid_request'],
      ['a Host with half an address', `${GET}Host: [::1\r\n${headers}\r\n`, 400, 'invalid_request'],
      ['a fragment', `GET ${path}#x HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`, 400, 'invalid_request'],
      ['a field without a name', `${GET}Host: localhost\r\n: x\r\n\r\n`, 400, 'invalid_request'],
      ['text that is not HTTP', 'hello\r\n\r\n', 501, 'not_simulated'],
      ['the version HTTP/2.0', `GET ${path} HTTP/2.0\r\nHost: localhost\r\n\r\n`, 505, 'version_not_supported'],
      ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'version_not_supported'],
      ['CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n', 501, 'not_simulated'],
      ['an unknown expectation', `${GET}Host: localhost\r\nExpect: 200-ok\r\n\r\n`, 417, 'expectation_failed'],
      [
        '20 kB of headers',
        `${GET}Host: localhost\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
        431,
        'header_fields_too_large',
      ],
      [
        'an unknown transfer coding',
        `${GET}Host: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
        501,
        'not_simulated',
      ],
      ['TRACE', `TRACE ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`, 405, 'method_not_allowed'],
      ['PROPFIND', `PROPFIND ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`, 405, 'method_not_allowed'],
    ] as const) {
      test(`${what} is answered with ${status}`, async () => {
        const { reply } = await say(url, bytes, good)
        check(reply, status, code)
        if (status === 405) assert.match(reply.headers.allow ?? '', /\bGET\b/)
      })
    }

    test('bytes after a request that are not HTTP are refused after the reply', async () => {
      const replies = await new Raw(url).send(`${good}${good}hello\r\n\r\n`).replies()
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200, 501],
      )
    })

    test('the reply to a request for another protocol closes the connection: Node drops what follows it', async () => {
      const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'
      const post = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}${upgrade}`
      for (const [bytes, status] of [
        [`${GET}Host: localhost\r\n${headers}${upgrade}\r\n`, 200],
        [`${post}Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello`, undefined],
        [`${post}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`, undefined],
      ] as const) {
        const replies = await new Raw(url).send(bytes + good).replies()
        assert.deepEqual(
          replies.map(reply => reply.headers.connection),
          ['close'],
        )
        if (status !== undefined) assert.equal(replies[0]?.status, status)
      }
    })

    test('a body in an unknown transfer coding gets one reply', async () => {
      const post = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Transfer-Encoding: gzip\r\n\r\nabc`
      const replies = await new Raw(url).send(post).replies()
      assert.deepEqual(
        replies.map(({ status }) => status),
        [501],
      )
    })

    test('the refusal of large headers follows the reply before it', async () => {
      const replies = await new Raw(url).send(`${good}${GET}X-A: ${'a'.repeat(20_000)}\r\n\r\n`).replies()
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 431],
      )
    })

    suite('slow clients', { concurrency: true }, () => {
      for (const [what, bytes] of [
        ['a client that connects and sends nothing', ''],
        ['a client that sends half its headers', `${GET}Host: localhost\r\nX-`],
        [
          'a client that sends half a body',
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"na`,
        ],
      ] as const) {
        test(`${what} gets 408 after \`limits.request\``, async () => {
          const [reply, ...more] = await new Raw(slow).send(bytes).replies()
          assert.ok(reply)
          // An undocumented body is refused for another reason first.
          if (!what.includes('body')) check(reply, 408, 'request_timeout')
          assert.deepEqual(more, [])
        })
      }
    })
  })
}

test('the document of the control plane has the statuses that every route can answer', async () => {
  const reply = await fetch(`${gateway.control}/openapi.json`)
  const { paths } = (await reply.json()) as { paths: Record<string, Record<string, { responses: object }>> }
  for (const operation of Object.values(paths).flatMap(item => Object.values(item))) {
    for (const status of [400, 403, 408, 417, 431, 500, 501, 505]) assert.ok(`${status}` in operation.responses)
  }
})
