import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { size } from '../support/cases.ts'
import { type Asked, ask } from './ask.ts'

const YAML = { 'content-type': 'application/yaml' }
const shipped = readFileSync('config/gateway.yaml', 'utf8')

let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({
    config: 'config/gateway.yaml',
    environment: { PETSTORE_API_KEY: 'a-key-from-the-environment' },
  })
})
// Returns to the file after a test that changed the configuration.
let changed = false
afterEach(async () => {
  if (changed) await ask(`${gateway.control}/reload`, { method: 'POST' })
  changed = false
})
after(() => gateway.close())

const put = async (body: string, headers: Readonly<Record<string, string>> = YAML) => {
  const reply = await ask(`${gateway.control}/config`, { method: 'PUT', headers, body })
  changed ||= reply.status < 300
  return reply
}
const get = (path: string, key = 'frontend-key'): Promise<Asked> =>
  ask(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })

test('the configuration is shown with its credentials masked', async () => {
  const { text, body } = await ask(`${gateway.control}/config`)
  for (const secret of ['a-key-from-the-environment', 'frontend-key', 'retired-key']) assert.ok(!text.includes(secret))
  const { file, written, effective } = body as {
    file: string
    written: { consumers: unknown; seed: number }
    effective: { limits: unknown; journal: unknown; consumers: unknown }
  }
  assert.equal(file, 'config/gateway.yaml')
  assert.equal(written.seed, 42)
  assert.deepEqual(written.consumers, {
    demo: { apiKey: '***' },
    frontend: { apiKey: '***' },
    retired: { apiKey: '***', expires: '2026-01-01' },
  })
  assert.deepEqual(effective.consumers, ['demo', 'frontend', 'retired'])
  assert.deepEqual(effective.journal, { requests: 1000, size: 16_000_000, bodies: 0, headers: [] })
  assert.ok(effective.limits)
})

test('scopes and dates of a consumer are shown, only credentials are masked', async () => {
  const replaced = await put(shipped.replace('apiKey: retired-key,', 'apiKey: retired-key, scopes: [read, write],'))
  assert.equal(replaced.status, 200, replaced.text)
  const { body } = await ask(`${gateway.control}/config`)
  const { retired } = (body as { written: { consumers: Record<string, unknown> } }).written.consumers
  assert.deepEqual(retired, { apiKey: '***', scopes: ['read', 'write'], expires: '2026-01-01' })
})

test('a large invalid configuration is refused like a small one, as YAML and as JSON', async () => {
  const keys = Array.from({ length: size(1200, 3000) }, (_, i) => `key${i}`)
  const yaml = await put(`${shipped}\n${keys.map(key => `${key}: 1\n`).join('')}`)
  const contract = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} }
  const json = JSON.stringify({ contract, ...Object.fromEntries(keys.map(key => [key, 1])) })
  const written = await put(json, { 'content-type': 'application/json' })
  const lines = shipped.split('\n').length
  for (const [{ status, body }, line, column] of [
    [yaml, lines + 1, 1],
    [written, 1, json.indexOf('"key0"') + 1],
  ] as const) {
    assert.equal(status, 422)
    const { detail, diagnostics } = body as { detail: string; diagnostics: readonly object[] }
    assert.match(detail, new RegExp(`\\n${keys.length} errors \\(the first 100 are shown\\)\\n$`))
    const [, carets = ''] = /key0.*\n *\| *(\^{4,6})\n/.exec(detail) ?? []
    assert.equal(diagnostics.length, 100)
    const message = 'unknown key "key0"'
    const { hint, ...first } = diagnostics[0] as Record<string, unknown>
    assert.match(String(hint), /one of: contract/)
    const place = { file: 'config/gateway.yaml', line, column, length: carets.length }
    assert.deepEqual(first, { severity: 'error', code: 'unknown-key', message, ...place })
  }
  assert.equal((await get('/pets')).status, 200)
})

test('a large configuration is served, and the later of two wins', async () => {
  const filler = `${'# what nobody reads\n'.repeat(3000)}`
  const [first, last] = await Promise.all([
    put(filler + shipped.replace('status: 501', 'status: 418')),
    put(shipped.replace('status: 501', 'status: 423')),
  ])
  assert.deepEqual([first.status, last.status], [200, 200], first.text)
  assert.equal((await get('/store/orders')).status, 423)
})

test('a new configuration is served at once, and the records stay', async () => {
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
  const headers = { authorization: 'Bearer frontend-key', 'content-type': 'application/json' }
  const created = await ask(`${gateway.url}/pets`, { method: 'POST', headers, body })
  const { id } = created.body as { id: number }
  assert.equal((await get('/store/orders')).status, 501)
  const replaced = await put(shipped.replace('status: 501', 'status: 200, body: []'))
  assert.equal(replaced.status, 200, replaced.text)
  assert.equal((await get('/store/orders')).text, '[]')
  assert.equal((await get(`/pets/${id}`)).status, 200)
})

test('a reload returns to the file', async () => {
  await put(shipped.replace('status: 501', 'status: 200, body: []'))
  const reloaded = await ask(`${gateway.control}/reload`, { method: 'POST' })
  assert.equal(reloaded.status, 200)
  assert.equal((await get('/store/orders')).status, 501)
})

test('a configuration may be JSON', async () => {
  const { body } = await ask(`${gateway.control}/config`)
  const { written } = body as { written: { operations: Record<string, unknown>; consumers: unknown } }
  const config = { ...written, consumers: { ann: { apiKey: 'ann-key' } } }
  const replaced = await put(JSON.stringify(config), { 'content-type': 'application/json' })
  assert.equal(replaced.status, 200, replaced.text)
  assert.equal((await get('/pets', 'ann-key')).status, 200)
  assert.equal((await get('/pets')).status, 401)
})

const wrong: [why: string, body: string, headers: Readonly<Record<string, string>>, status: number, said: RegExp][] = [
  [
    'a configuration with a mistake',
    shipped.replace('limits:', 'limit:'),
    YAML,
    422,
    /unknown-key: unknown key \\"limit\\"/,
  ],
  ['text that is not YAML', 'contract: [', YAML, 422, /"code":"syntax"/],
  ['an empty body', '', YAML, 400, /the body is missing/],
  ['a blank body', '  \n', YAML, 422, /"code":"empty-file"/],
  ['a missing contract', 'contract: ./nowhere.yaml', YAML, 422, /"code":"no-such-file"/],
  ['a masked credential', shipped.replace('retired-key', '"***"'), YAML, 422, /"code":"masked-credential"/],
  [
    'an unknown media type',
    shipped,
    { 'content-type': 'text/plain' },
    415,
    /must be application\/json or application\/yaml/,
  ],
  ['a form', shipped, { 'content-type': 'application/x-www-form-urlencoded' }, 415, /must be application\/json/],
  ['a list', '[]', { 'content-type': 'application/json' }, 400, /the body must be an object/],
  ['broken JSON', '{"contract"', { 'content-type': 'application/json' }, 400, /the body /],
  ['a body that is too large', `contract: x # ${'x'.repeat(8_000_000)}`, YAML, 413, /larger than 8000000 bytes/],
]

for (const [why, body, headers, status, said] of wrong) {
  test(`${why} is refused, and changes nothing`, async () => {
    const before = (await ask(`${gateway.control}/config`)).text
    const reply = await put(body, headers)
    assert.equal(reply.status, status, reply.text)
    assert.equal(reply.headers['content-type'], 'application/problem+json')
    assert.match(reply.text, said)
    assert.equal((await ask(`${gateway.control}/config`)).text, before)
    assert.equal((await get('/pets')).status, 200)
  })
}

const dryRun = (body: string) => ask(`${gateway.control}/config?dry-run=true`, { method: 'PUT', headers: YAML, body })
interface Said {
  readonly reloaded: boolean
  readonly diagnostics: readonly { code: string; line: number; column: number; length: number; severity: string }[]
}

test('a dry run returns the same diagnostics and changes nothing', async () => {
  const mistaken = shipped.replace('limits:', 'limit:')
  const dry = await dryRun(mistaken)
  assert.equal(dry.status, 422)
  const [first] = (dry.body as Said).diagnostics
  const line = mistaken.split('\n').findIndex(text => text.startsWith('limit:')) + 1
  assert.deepEqual(
    [first?.code, first?.line, first?.column, first?.length, first?.severity],
    ['unknown-key', line, 1, 'limit'.length, 'error'],
  )
  assert.deepEqual(dry.body, (await put(mistaken)).body)
  const good = await dryRun(shipped.replace('status: 501', 'status: 200, body: []'))
  assert.equal(good.status, 200, good.text)
  assert.equal((good.body as Said).reloaded, false)
  assert.equal((await get('/store/orders')).status, 501)
})

test('an editor reads and writes both texts without seeing a credential', async () => {
  const texts = async () =>
    (await ask(`${gateway.control}/config/text`)).body as { applied: string; disk: string; same: boolean }
  const { applied, disk, same } = await texts()
  assert.equal(same, true)
  assert.equal(disk, applied)
  assert.ok(!applied.includes('retired-key'))
  assert.match(applied, /retired: \{ apiKey: <masked:retired\.apiKey>, expires/)
  const changed = await put(applied.replace('status: 501', 'status: 200, body: []').replace('expires: 2026-01-01', ''))
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await get('/store/orders', 'retired-key')).text, '[]')
  const after = await texts()
  assert.equal(after.same, false)
  assert.equal(after.disk, disk)
  const yaml = await ask(`${gateway.control}/config`, { headers: { accept: 'application/yaml' } })
  assert.match(String(yaml.headers['content-type']), /^application\/yaml/)
  assert.equal(yaml.text, after.applied)
})

test('a text may include files, and the files of the disk stay apart from its own text', async () => {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  after(() => rmSync(home, { recursive: true }))
  mkdirSync(join(home, 'rules'))
  const document = { openapi: '3.0.3', info: { title: 'Pets', version: '1' }, paths: { '/pets': { get: LIST_PETS } } }
  const written = { 'openapi.json': JSON.stringify(document), 'rules/a.yaml': setting('a'), 'b.yaml': setting('b') }
  for (const [name, text] of Object.entries(written)) writeFileSync(join(home, name), text)
  const file = 'contract: ./openapi.json\ninclude:\n  - ./rules/*.yaml\n'
  writeFileSync(join(home, 'gateway.yaml'), file)
  const gateway = await startGateway({ config: join(home, 'gateway.yaml') })
  after(() => gateway.close())
  const replace = (body: string) => ask(`${gateway.control}/config`, { method: 'PUT', headers: YAML, body })
  const answer = async () => (await ask(`${gateway.url}/pets`)).text
  const texts = async () => (await ask(`${gateway.control}/config/text`)).body

  assert.equal(await answer(), '"a"')
  const { disk, applied, same } = (await texts()) as Record<string, unknown>
  assert.deepEqual([disk, applied, same], [file, file, true])
  const both = file.replace('*.yaml', '*.yaml\n  - ./b.yaml')
  const replaced = await replace(both)
  assert.equal(replaced.status, 200, replaced.text)
  assert.equal(await answer(), '"b"')
  assert.equal(((await texts()) as Record<string, unknown>).applied, both)
  const plan = await ask(`${gateway.control}/plan`, { headers: { accept: 'text/plain' } })
  assert.match(plan.text, /^include +.*b\.yaml: operations$/m)

  writeFileSync(join(home, 'b.yaml'), 'operations:\n  listPets: { latensy: 1ms }\n')
  for (const [include, code, name] of [
    ['./b.yaml', 'unknown-key', 'b.yaml'],
    ['../elsewhere.yaml', 'outside-file', 'gateway.yaml'],
    ['./gateway.yaml', 'include-circle', 'gateway.yaml'],
    ['./openapi.json', 'not-settings', 'gateway.yaml'],
    ['./none/*.yaml', 'no-match', 'gateway.yaml'],
  ] as const) {
    const refused = await replace(`contract: ./openapi.json\ninclude: ${include}\n`)
    const [told] = (refused.body as { diagnostics: { code: string; file: string }[] }).diagnostics
    assert.deepEqual([refused.status, told?.code, told && basename(told.file)], [422, code, name], refused.text)
  }
  assert.equal(await answer(), '"b"')
})

const LIST_PETS = {
  operationId: 'listPets',
  responses: { 200: { description: 'ok', content: { 'application/json': { schema: { type: 'string' } } } } },
}

const setting = (body: string) => `operations:\n  listPets: { respond: { status: 200, body: ${body} } }\n`

test('the schema of gateway.yaml knows the operations of this contract', async () => {
  const { text } = await ask(`${gateway.control}/config/schema`)
  assert.ok(text.includes('"listPets"'))
})

test('the version endpoint names the program and the address of the API', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const { body } = await ask(`${gateway.control}/version`)
  const told = body as Record<string, unknown>
  assert.equal(told.version, version)
  assert.equal(`${told.api}/v1`, gateway.url)
  assert.deepEqual(told.basePaths, ['/v1'])
  assert.equal(told.configuration, 'config/gateway.yaml')
})
