import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { proofOf, recordInto, serve } from './record-into.ts'
import { type Answered, type Api, recorded, type Sent } from './recorded-api.ts'

const secrets: string[] = []
/** Plants a secret: a new one at each call. */
const plant = (form = (n: number) => `Sec${n}reT-x${n * 7919}y`): string => {
  const secret = form(secrets.length + 10)
  secrets.push(secret)
  return secret
}
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = (n: number) => `${base64({ alg: 'HS256' })}.${base64({ sub: `user-${n}` })}.c2lnbmF0dXJl${n}QQ`

const LOGINS = ['ann', 'bob'].map(name => ({ name, password: plant(), token: plant(jwt), refresh: plant() }))

/** Header fields of a request. */
const HEADERS: Readonly<Record<string, string>> = {
  'proxy-authorization': `Basic ${plant()}`,
  'x-api-key': plant(),
  'x-auth-token': plant(),
  'x-csrf-token': plant(),
  'x-amz-security-token': plant(),
  'ocp-apim-subscription-key': plant(),
  authentication: `Token ${plant()}`,
  dpop: plant(jwt),
  'x-pin': plant(n => `98${n}76`),
  cookie: `sid=${plant()}; theme=${plant()}`,
  referer: `https://app.test/?access_token=${plant()}`,
}

/** Names of the query. */
const QUERY = 'api_key access_token client_secret key code auth session sid sig password X-Amz-Signature'.split(' ')

/** Members of JSON. */
const MEMBERS = 'password pin ssn bearer cookie mfaCode otp connectionString client_secret apiKey privateKey cvc'
  .split(' ')
  .concat('refresh_token verification_code'.split(' '))

const FIELDS = ['set-cookie', 'authentication-info', 'location', 'x-session-id'] as const

const settings = {
  ...Object.fromEntries(MEMBERS.map(name => [name, plant()])),
  salt: plant(),
  hash: plant(n => `${n}a86d081884c7d659a2feaa0c55ad015`),
  pair: { name: 'password', value: plant() },
  note: `see ${plant(jwt)} for more`,
  link: `https://ann:${plant()}@api.test/a`,
  card: { holder: 'Ann', cardNumber: plant(n => `42424242424242${n}`) },
  stripe: plant(n => `sk_live_${n}51H8abcDEF`),
}

const TEXTS: readonly (readonly [path: string, type: string, text: string])[] = [
  ['/page', 'text/html', `<meta name="csrf-token" content="${plant()}">`],
  ['/key', 'application/x-pem-file', `-----BEGIN PRIVATE KEY-----\n${plant()}\n-----END PRIVATE KEY-----\n`],
  ['/stream', 'text/event-stream', `data: {"secret":\ndata: "${plant()}"}\n\n`],
  ['/env', 'text/plain', `host: a\npassword: ${plant()}\n`],
  ['/settings-yaml', 'application/yaml', `token: ${plant()}\n`],
  ['/users-csv', 'text/csv', `name,password\nann,${plant()}\n`],
  ['/xml', 'application/xml', `<a><password>${plant()}</password></a>`],
]

const replyFields = Object.fromEntries(
  FIELDS.map(name => [
    name,
    name === 'location'
      ? `https://app.test/?code=${plant()}`
      : name === 'set-cookie'
        ? `sid=${plant()}; Path=/`
        : plant(),
  ]),
)

const api: Api = ({ method, path, body, token }): Answered => {
  if (path === '/login') {
    const { user, password } = body as { user: string; password: string }
    const known = LOGINS.find(one => one.name === user && one.password === password)
    if (known === undefined) return { status: 401, body: { error: 'wrong' } }
    return { status: 200, body: { token: known.token, refresh_token: known.refresh, user: { name: user } } }
  }
  if (path === '/me') {
    const known = LOGINS.find(one => `Bearer ${one.token}` === token)
    return known === undefined ? { status: 401, body: { error: 'who?' } } : { status: 200, body: { name: known.name } }
  }
  const text = TEXTS.find(([at]) => at === path)
  if (text !== undefined) return { status: 200, body: text[2], type: text[1] }
  if (path === '/notes' && method === 'GET') return { status: 200, body: [{ id: 1, text: 'a' }] }
  if (path === '/notes') return { status: 201, body: { id: 2, ...(body as object) } }
  return { status: 200, body: settings, headers: replyFields }
}

const form = 'application/x-www-form-urlencoded'
const [ann, bob] = LOGINS as [(typeof LOGINS)[0], (typeof LOGINS)[0]]
const TRAFFIC: readonly Sent[] = [
  ...[ann, bob].map(({ name, password }) => ({
    method: 'POST',
    path: '/login',
    body: { user: name, password },
  })),
  { method: 'POST', path: '/login', body: { user: 'ann', password: plant() } },
  { method: 'GET', path: '/me' },
  ...[ann, bob].map(({ token }) => ({ method: 'GET', path: '/me', token: `Bearer ${token}` })),
  { method: 'GET', path: '/settings', headers: HEADERS },
  { method: 'GET', path: '/settings', query: QUERY.map(name => `${name}=${plant()}`).join('&') },
  { method: 'POST', path: '/reset', body: { email: 'ann@example.com', newPassword: plant() } },
  { method: 'GET', path: `/token/${plant()}` },
  { method: 'POST', path: '/form', headers: { 'content-type': form }, body: `user=ann&password=${plant()}` },
  { method: 'GET', path: '/notes' },
  { method: 'POST', path: '/notes', body: { text: 'b' } },
  ...TEXTS.map(([path]) => ({ method: 'PUT', path })),
]

test('of sixty secrets in all places of a recording none is on the disk, and the recording serves', async () => {
  assert.ok(secrets.length >= 60, `${secrets.length}`)
  const made = await recordInto(await recorded(api, TRAFFIC))
  const files = readdirSync(made.place.folder, { recursive: true, encoding: 'utf8' })
    .map(file => join(made.place.folder, file))
    .filter(file => statSync(file).isFile())
  const written = files.map(file => readFileSync(file, 'utf8')).join('\n')
  const forms = (secret: string) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
  assert.deepEqual(
    secrets.filter(secret => forms(secret).some(text => written.includes(text))),
    [],
  )
  const send = serve(made)
  for (const { name, password } of [ann, bob]) {
    const [status, body] = await send('POST /login', { user: name, password })
    assert.deepEqual([status, (body as { user: object }).user], [200, { name }])
  }
  assert.deepEqual(await send('GET /notes'), [
    200,
    [
      { id: 1, text: 'a' },
      { id: 2, text: 'b' },
    ],
  ])
  assert.deepEqual(await send('POST /notes', { text: 'c' }), [201, { id: 3, text: 'c' }])
  // Replies that a secret alone tells apart are told.
  assert.deepEqual(made.different, ['postLogin: 401 ≠ 200 (1)', 'getMe: /name "ann" ≠ "bob" (1)'])
  assert.equal(proofOf(made), '18 of 20')
})
