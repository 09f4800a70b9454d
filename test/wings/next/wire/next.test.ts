// `understudy next` judges a HAR file, or the requests that a running gateway kept, and names the limits of its knowledge.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { writeHar } from '../../../../src/gateway/journal/har.ts'
import { startGateway } from '../../../../src/index.ts'
import type { NextReport } from '../../../../src/wings/next/types.ts'
import { PROGRAM } from '../../../support/built-program.ts'
import { edited, GATEWAY, NOW, PAIRS } from '../pairs.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))

const changed = (start: string) => PAIRS.find(({ change }) => change.startsWith(start))?.edits ?? []
const NEXT = edited([
  ...changed('an operation is removed'),
  ...changed('an enum of requests'),
  ...changed('an enum of replies'),
])

writeFileSync(join(home, 'openapi.yaml'), NOW)
writeFileSync(
  join(home, 'gateway.yaml'),
  `${GATEWAY}operations: { deletePet: { deprecation: { since: 2020-01-01, sunset: 2100-03-01 } } }\n`,
)
writeFileSync(join(home, 'next.yaml'), NEXT)

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

const run = (...words: string[]): Promise<Ended> => runIn(home, ...words)

const runIn = (cwd: string, ...words: string[]): Promise<Ended> =>
  new Promise(resolve => {
    execFile(process.execPath, [PROGRAM, 'next', ...words], { cwd, timeout: 60_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })

const entry = (line: string, consumer: string, status: number, sent?: object, got?: object) => {
  const [method = '', path = ''] = line.split(' ')
  const list = (headers: object) => Object.entries(headers).map(([name, value]) => ({ name, value }))
  const type = { 'content-type': 'application/json' }
  const content = got === undefined ? { size: 0 } : { size: 2, mimeType: 'application/json', text: JSON.stringify(got) }
  const postData = sent === undefined ? {} : { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }
  return {
    startedDateTime: '2026-11-01T10:00:00.000Z',
    request: {
      method,
      url: `https://pets.example.com${path}`,
      headers: list({ 'x-key': `key-of-${consumer}`, ...(sent ? type : {}) }),
      ...postData,
    },
    response: { status, headers: list(got === undefined ? {} : type), content },
  } as never
}
const REX = { id: 'a', name: 'Rex' }
const ENTRIES = [
  entry('POST /pets', 'ann', 201, { name: 'Rex', kind: 'bird', password: 'hush' }, REX),
  entry('POST /pets', 'ann', 201, { name: 'Rex', kind: 'cat' }, REX),
  entry('POST /pets', 'ann', 400, { kind: 'bird' }, {}),
  entry('GET /pets', 'bob', 200, undefined, [{ ...REX, status: 'sold' }]),
  entry('GET /pets/a', 'bob', 200, undefined, REX),
  entry('DELETE /pets/a', 'bob', 204),
  entry('GET /nothing', 'bob', 404, undefined, {}),
]
writeFileSync(join(home, 'kept.har'), writeHar(ENTRIES, '1'))

test('a HAR file says who breaks, why and where, what is safe, and what is not known', async () => {
  const { code, out, err } = await run('./next.yaml', '--from', 'kept.har')
  assert.equal(err, '')
  assert.match(out, /^Current contract: openapi\.yaml \(--config\)\nRequests: 7 from 2026-11-01T10:00:00\.000Z to /)
  assert.match(out, /^Refused already: 1; to no operation of the current contract: 1$/m)
  assert.match(out, /^Seen: ann, bob$/m)
  assert.match(out, /^Never seen, so nothing is known of them: eve$/m)
  assert.match(out, /^Safe, as far as they were seen: bob getPet \(1\)$/m)
  assert.match(
    out,
    /^next\.yaml:65:17 error breaks: ann createPet: \/kind must be one of "cat", "dog" \(1 of 2 calls, .*; now openapi\.yaml:69:17\)$/m,
  )
  assert.match(
    out,
    /= curl -i -X POST -H 'x-key: \*\*\*' .* --data-raw '\{"name":"Rex","kind":"bird","password":"\*\*\*"\}'/,
  )
  assert.match(out, /error breaks: bob deletePet: the operation is gone \(1 of 1 calls, .*; sunset 2100-03-01\)$/m)
  assert.match(out, /warning may-break: bob listPets: \/\*\/status of the reply 200 may be "lost"/)
  assert.equal(code, 0)
})

test('a folder without a configuration asks for the current contract', async () => {
  const empty = join(home, 'empty')
  mkdirSync(empty)
  writeFileSync(join(empty, 'next.yaml'), NEXT)
  const { code, err } = await runIn(empty, './next.yaml')
  assert.equal(code, 2)
  assert.match(err, /^none of these files exists: gateway\.yaml, .*; name one with --config$/m)
})

test('--fail-on decides the exit code', async () => {
  const from = ['--from', 'kept.har']
  assert.equal((await run('./next.yaml', ...from, '--fail-on', 'breaks')).code, 1)
  assert.equal((await run('./openapi.yaml', ...from, '--fail-on', 'may-break')).code, 0)
  writeFileSync(join(home, 'status.yaml'), edited(changed('an enum of replies')))
  assert.equal((await run('./status.yaml', ...from, '--fail-on', 'breaks')).code, 0)
  assert.equal((await run('./status.yaml', ...from, '--fail-on', 'may-break')).code, 1)
})

test('each format is what its readers expect', async () => {
  const format = async (name: string): Promise<string> => {
    const { out } = await run('./next.yaml', '--from', 'kept.har', '--format', name)
    assert.doesNotMatch(out, /key-of-|hush/)
    return out
  }
  const json = JSON.parse(await format('json'))
  const verdicts = json.rows.map((row: { verdict: string }) => row.verdict).sort()
  assert.deepEqual(verdicts, ['breaks', 'breaks', 'may-break', 'safe'])
  assert.deepEqual(json.neverSeen, ['eve'])
  assert.match(
    await format('github'),
    /^::error file=next\.yaml,line=65,col=17,endColumn=18,title=breaks::ann createPet: .*/m,
  )
  assert.match(await format('junit'), /<testsuites name="understudy" tests="3" failures="2"/)
  const sarif = JSON.parse(await format('sarif'))
  assert.deepEqual(sarif.runs[0].results.map((one: { level: string }) => one.level).sort(), [
    'error',
    'error',
    'warning',
  ])
  assert.match(await format('markdown'), /breaks.*createPet/)
})

test('a running gateway gives the requests that its journal kept', async () => {
  const config = `${GATEWAY}journal: { headers: true, bodies: 64kB }\n`
  writeFileSync(join(home, 'kept.yaml'), config)
  const gateway = await startGateway({ config: join(home, 'kept.yaml') })
  try {
    const send = (method: string, path: string, key: string | undefined, body?: object) =>
      fetch(gateway.url + path, {
        method,
        headers: { ...(key && { 'x-key': key }), ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
    await send('POST', '/pets', 'key-of-ann', { name: 'Rex', kind: 'bird' })
    await send('GET', '/pets', 'key-of-bob')
    await send('DELETE', '/pets/a', 'wrong')
    const { code, out, err } = await run('./next.yaml', '--config', 'kept.yaml', '--from', gateway.control)
    assert.deepEqual([err, code], ['', 0])
    assert.match(out, /^Requests: 3 .*\nRefused already: 1;/m)
    assert.match(out, /breaks: ann createPet: \/kind must be one of "cat", "dog" \(1 of 1 calls/)
    const [tried = ''] = /curl -i .*/.exec(out) ?? []
    assert.ok(tried.endsWith(`'${gateway.url}/pets'`), tried)
    assert.doesNotMatch(tried, /user-agent|accept:/)
    assert.match(out, /not-seen: deletePet: the operation is gone \(nobody called it;/)
  } finally {
    await gateway.close()
  }
})

test('the control plane reports who breaks, in every format', async () => {
  writeFileSync(join(home, 'live.yaml'), `${GATEWAY}next: ./next.yaml\n`)
  const gateway = await startGateway({ config: join(home, 'live.yaml') })
  try {
    const headers = { 'x-key': 'key-of-ann', 'content-type': 'application/json', 'understudy-next': '1' }
    const body = JSON.stringify({ name: 'Rex', kind: 'bird' })
    const reply = await fetch(`${gateway.url}/pets`, { method: 'POST', headers, body })
    assert.equal(reply.headers.get('understudy-next'), 'breaks; reason="/kind must be one of \\"cat\\", \\"dog\\""')
    const read = async (format: string) => (await fetch(`${gateway.control}/next?format=${format}`)).text()
    assert.match(await read('text'), /error breaks: ann createPet: \/kind must be one of/)
    assert.match(await read('markdown'), /\| error \| \*\*breaks\*\*/)
    assert.match(await read('github'), /^::error file=/)
    const { rows } = JSON.parse(await read('json')) as NextReport
    assert.ok(rows[0]?.findings[0]?.try?.endsWith(`'${gateway.url}/pets'`))
    assert.deepEqual([rows[0]?.consumer, rows[0]?.verdict], ['ann', 'breaks'])
  } finally {
    await gateway.close()
  }
})

test('a journal without bodies says what could not be judged', async () => {
  const gateway = await startGateway({ config: join(home, 'gateway.yaml') })
  try {
    await fetch(`${gateway.url}/pets`, { headers: { 'x-key': 'key-of-bob' } })
    const { out } = await run('./next.yaml', '--from', gateway.control)
    assert.match(out, /^Not judged: bob listPets \(1\) the body of the reply was not kept$/m)
    assert.doesNotMatch(out, /Safe/)
  } finally {
    await gateway.close()
  }
})

test('silence is never reported as safety', async () => {
  const { code, out } = await run('./next.yaml')
  assert.equal(code, 0)
  assert.match(out, /^No request is known$/m)
  assert.doesNotMatch(out, /Safe/)
})

test('bad input is described, and nothing else is printed', async () => {
  writeFileSync(
    join(home, 'other.yaml'),
    'openapi: 3.1.0\ninfo: { title: Weather, version: "3" }\npaths: { /sky: { get: { responses: { "200": { description: ok } } } } }\n',
  )
  const other = await run('./other.yaml', '--from', 'kept.har', '--fail-on', 'breaks')
  assert.match(other.out, /The two contracts share no operation\./)
  assert.doesNotMatch(other.out, /breaks/)
  assert.equal(other.code, 1)
  writeFileSync(join(home, 'foreign.har'), writeHar([entry('GET /else', 'x', 200, undefined, {})], '1'))
  assert.match(
    (await run('./next.yaml', '--from', 'foreign.har')).out,
    /^Requests: 1 .*\nRefused already: 0; to no operation of the current contract: 1$/m,
  )
  writeFileSync(join(home, 'broken.yaml'), 'openapi: 3.1.0\ninfo: { title: x\npaths: {}\n')
  const broken = await run('./broken.yaml', '--from', 'kept.har')
  assert.deepEqual([broken.code, broken.out], [1, ''])
  assert.match(broken.err, /broken\.yaml:2:7 error syntax/)
  writeFileSync(join(home, 'text.har'), 'hello')
  const text = await run('./next.yaml', '--from', 'text.har')
  assert.deepEqual([text.code, text.out], [1, ''])
  assert.match(text.err, /not-har/)
  assert.match((await run('./next.yaml', '--from', 'absent.har')).err, /absent\.har/)
  assert.equal((await run()).code, 2)
})
