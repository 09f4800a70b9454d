// The command of the banner, pasted into a shell.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { silentLog } from '../../../../src/gateway/log.ts'
import { start } from '../../../../src/start.ts'
import { findFirstCall } from '../../../../src/wings/probe/first-call.ts'
import { realClock } from '../../../../src/world/clock.ts'
import { loadPlan } from '../../../support/load.ts'
import { run } from '../../../wire/run-program.ts'

const skip = spawnSync('curl', ['--version']).error === undefined ? false : 'curl is not installed'

const ok = { 200: { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } } }
const query = (name: string, schema: object) => ({ name, in: 'query', required: true, schema })
const api = (paths: object, schemes: object = {}, security: object[] = []) => ({
  openapi: '3.1.0',
  info: { title: 'A', version: '1' },
  servers: [{ url: '/v1' }],
  components: {
    securitySchemes: schemes,
    schemas: { Thing: { type: 'object', properties: { id: { type: 'integer' } } } },
  },
  security,
  paths,
})
const LIST = { '/things': { get: { operationId: 'listThings', responses: ok } } }
const NEEDY = {
  '/things/{kind}': {
    get: {
      operationId: 'listThings',
      parameters: [
        { name: 'kind', in: 'path', required: true, schema: { enum: ["it's", 'b c'] } },
        query('from', { type: 'string', format: 'date' }),
        query('filter[size]', { type: 'integer', minimum: 3 }),
        query('tags', { type: 'array', items: { type: 'string', minLength: 2 }, minItems: 2 }),
        { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string', pattern: '^[A-Z]{3}$' } },
      ],
      responses: ok,
    },
  },
}
const WRITE = {
  '/things': {
    post: {
      operationId: 'createThing',
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { type: 'object', required: ['name'], properties: { name: { const: "it's $HOME & more" } } },
          },
        },
      },
      responses: { 201: ok[200] },
    },
  },
}
const PUT = { '/things': { put: { operationId: 'touch', responses: { 204: { description: 'done' } } } } }
const bearer = { login: { type: 'http', scheme: 'bearer' } }
const inHeader = { key: { type: 'apiKey', in: 'header', name: 'X-Key' } }
const inQuery = { key: { type: 'apiKey', in: 'query', name: 'api key' } }
const inCookie = { key: { type: 'apiKey', in: 'cookie', name: 'session' } }
const basic = { login: { type: 'http', scheme: 'basic' } }
const oauth = { login: { type: 'oauth2', flows: {} } }

const CASES: readonly [string, object, RegExp, Record<string, string>?][] = [
  ['a plain list', { contract: api(LIST) }, /^curl http:\S+\/v1\/things$/],
  ['required parameters of every kind', { contract: api(NEEDY) }, /^curl -H 'x-tenant: [A-Z]{3}' 'http:/],
  ['a body', { contract: api(WRITE) }, /^curl -H 'content-type: application\/json' -d '/],
  ['another method', { contract: api(PUT) }, /^curl -X PUT http/],
  ['any bearer token', { contract: api(LIST, bearer, [{ login: [] }]) }, /-H 'Authorization: Bearer any'/],
  ['any key in a header', { contract: api(LIST, inHeader, [{ key: [] }]) }, /-H 'X-Key: any'/i],
  ['any key in the query', { contract: api(LIST, inQuery, [{ key: [] }]) }, /\?api%20key=any'?$/],
  ['any cookie', { contract: api(LIST, inCookie, [{ key: [] }]) }, /-b 'session=any'/],
  ['any name and password', { contract: api(LIST, basic, [{ login: [] }]) }, /-u 'any:any'/],
  [
    'two schemes at once',
    { contract: api(LIST, { ...inHeader, ...bearer }, [{ key: [], login: [] }]) },
    /X-Key.*Bearer/i,
  ],
  [
    'the consumer whose key is published, with the scopes that are asked for',
    {
      contract: api(LIST, oauth, [{ login: ['read'] }]),
      consumers: {
        secret: { login: 'hidden', scopes: ['read'] },
        weak: { login: '${WEAK:-weak-key}' },
        old: { login: '${OLD:-old-key}', scopes: ['read'], expires: '2020-01-01' },
        open: { login: '${OPEN:-open-key}', scopes: ['read'] },
      },
    },
    /Bearer open-key/,
  ],
  [
    'a key from the environment, filled in by the shell',
    { contract: api(LIST, inHeader, [{ key: [] }]), consumers: { demo: { key: '${DEMO_KEY}' } } },
    /-H "X-Key: \$DEMO_KEY"/i,
    { DEMO_KEY: 'from the environment' },
  ],
  [
    'an operation that answers, rather than one that was switched off',
    {
      contract: api({ ...LIST, '/others': { get: { operationId: 'listOthers', responses: ok } } }),
      operations: { listThings: { respond: { status: 501 } } },
    },
    /\/v1\/others$/,
  ],
]

for (const [name, config, shape, environment = {}] of CASES) {
  test(`the banner's line works as printed: ${name}`, { skip }, async () => {
    const { command, reply } = await paste(config, environment)
    assert.match(command, shape)
    assert.match(reply, /\n20[0-4]$/, command)
  })
}

test('a key from the file is not printed', { skip }, async () => {
  const config = { contract: api(LIST, inHeader, [{ key: [] }]), consumers: { demo: { key: 'hidden' } } }
  const { command } = await paste(config, {})
  assert.match(command, /<key of demo>/)
  assert.doesNotMatch(command, /hidden/)
})

test('the banner of the program and the version endpoint show it', async () => {
  const program = run(['serve', '--port', '0', '--log-level', 'silent'], { CONTROL_PORT: '0' })
  try {
    const banner = await program.until('curl')
    const [, command, key, url] = /(curl -H 'Authorization: Bearer (.*)' (http.*))/.exec(banner) ?? []
    assert.equal(key, 'demo-key')
    const reply = await fetch(url as string, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(reply.status, 200)
    assert.equal(((await reply.json()) as unknown[]).length, 20)
    const [, control] = /Control plane +(http:\S+)/.exec(banner) ?? []
    const { firstCall } = (await (await fetch(`${control}/version`)).json()) as { firstCall: string }
    assert.equal(firstCall, command)
  } finally {
    program.stop()
    await program.ended
  }
})

/** Starts a gateway, and runs the line of its banner in a shell; the last line of the reply is the status. */
async function paste(config: object, environment: Record<string, string>) {
  const load = () => loadPlan('gateway.yaml', '.', environment, { text: JSON.stringify(config) })
  const loaded = load()
  assert.ok(loaded.plan, JSON.stringify(loaded.report.list))
  const { serving } = await start(loaded.plan, loaded, load, {
    clock: realClock,
    log: silentLog,
    watch: false,
    listen: { host: '127.0.0.1', port: 0, controlHost: '127.0.0.1', controlPort: 0, controlToken: undefined },
  })
  try {
    const { command = '' } = findFirstCall(loaded.plan, serving.origin) ?? {}
    const line = command.replace(/^curl/, "curl -s -w '\\n%{http_code}'")
    const env = { PATH: process.env.PATH ?? '', ...environment }
    const reply = await new Promise<string>(done => {
      execFile('sh', ['-c', line], { env }, (_, out, err) => done(out + err))
    })
    return { command, reply }
  } finally {
    await serving.close({ grace: 0 })
  }
}
