import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Har } from 'har-format'
import { RECORDING } from '../../../src/wings/project/recording.ts'
import { get, proofOf, recordInto, scripted, serve } from './record-into.ts'
import { BLOG_TRAFFIC, blog, recorded, type Sent } from './recorded-api.ts'

test('no credential reaches the disk, and personal fields get the same blank everywhere', async () => {
  const secrets = [
    'hunter22',
    'tok-abcdef123',
    'key-98765',
    'sess-4711',
    'Jane Doe',
    'jane@example.org',
    'refresh-1a2b',
  ]
  const [password, token, key, session, name, email, refresh] = secrets as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const user = { id: 1, name, email }
  const traffic: Sent[] = [
    { method: 'POST', path: '/login', body: { email, password } },
    {
      method: 'GET',
      path: '/users',
      query: `api_key=${key}&email=${encodeURIComponent(email)}`,
      token: `Bearer ${token}`,
    },
    {
      method: 'GET',
      path: `/users/${encodeURIComponent(email)}`,
      headers: { cookie: `sid=${session}; theme=dark`, 'x-api-key': key },
    },
    { method: 'POST', path: '/logs', body: { text: `token ${token} of ${name}` } },
  ]
  const api = scripted(
    [200, { token, auth: { refresh_token: refresh } }],
    [200, [user]],
    [200, user],
    [200, { ok: true }],
  )
  const made = await recordInto(await recorded(api, traffic), { mask: ['name', 'email'] })
  const files = readdirSync(made.place.folder, { recursive: true, encoding: 'utf8' })
    .map(file => join(made.place.folder, file))
    .filter(file => statSync(file).isFile())
  const written = files.map(file => readFileSync(file, 'utf8')).join('\n')
  // A name within a text is not found; it is said in the documentation.
  for (const secret of secrets.filter(one => one !== name)) {
    assert.ok(!written.includes(secret) && !written.includes(encodeURIComponent(secret)), secret)
  }
  assert.match(made.read('fixtures/users.yaml'), /name: Masked-\d+\n {2}email: masked-\d+@example\.com/)
  const [blank] = /masked-\d+@example\.com/.exec(made.read('fixtures/users.yaml')) as RegExpExecArray
  assert.ok(made.read(RECORDING).includes(`/users/${encodeURIComponent(blank)}`))
  assert.deepEqual([proofOf(made), made.different], ['4 of 4', []])
})

test('blanks are in no rule, so each user logs in as before, also when the recording goes on', async () => {
  const logIn = (user: string, password: string): Sent => ({
    method: 'POST',
    path: '/login',
    body: { user, password, pin: 7 },
  })
  const userOf = (name: string) => ({ token: `tok-${name}-12345`, user: { name } })
  const traffic = [logIn('ann', 'pw-ann-1'), logIn('bob', 'pw-bob-2'), logIn('bob', 'wrong')]
  const api = () => scripted([200, userOf('ann')], [200, userOf('bob')], [401, { error: 'wrong' }])
  const made = await recordInto(await recorded(api(), traffic))
  assert.deepEqual(
    [...made.read('gateway.yaml').matchAll(/when: ([^,]*)/g)].map(([, when]) => when),
    ['dyn(request.body).user == "ann"', 'dyn(request.body).user == "bob"'],
  )
  const nameOf = async (user: string, password: string) => {
    const [, body] = await serve(made)('POST /login', { user, password, pin: 7 })
    return (body as { user: { name: string } }).user.name
  }
  assert.deepEqual([await nameOf('ann', 'pw-ann-1'), await nameOf('bob', 'other')], ['ann', 'bob'])
  const folder = made.place.folder.split('/').at(-1) as string
  const again = await recordInto(await recorded(api(), traffic, undefined, 100), { folder })
  assert.equal(again.added, 3)
  const sent = JSON.parse(again.read(RECORDING)).log.entries as Har['log']['entries']
  const textsOf = (entries: typeof sent) =>
    entries.map(({ request, response }) => [request.postData?.text, response.content.text])
  assert.deepEqual(textsOf(sent.slice(3)), textsOf(sent.slice(0, 3)))
  assert.equal([...again.read('gateway.yaml').matchAll(/when: /g)].length, 2)
  assert.deepEqual(again.different, ['postLogin: 401 ≠ 200 (2)'])
})

test('an id that looks random stays in a path, a field and a tag, and is blanked elsewhere once it was a secret', async () => {
  const [id, other] = ['q7Xk2LmZ9RtVb4NcY8WsHd3JfPgA6uE1oTiK', 'Zq8Xk2LmZ9RtVb4NcY8WsHd3JfPgA6uE1oTi'] as const
  const api = scripted([200, [{ id, title: 'a' }]], [200, { id, title: 'a' }], [200, { note: other, file: id }])
  const made = await recordInto(await recorded(api, [get('/files'), get(`/files/${id}`), get('/notes')]))
  const written = made.read(RECORDING)
  assert.ok(written.includes(`/files/${id}"`) && !written.includes(other))
  assert.match(written, /"text":"\{\\"note\\":\\"Masked-1\\",\\"file\\":\\"q7Xk/)
  assert.deepEqual([proofOf(made), made.different], ['3 of 3', []])
  const secret = scripted([200, { session_id: id }], [200, { id, title: 'a' }])
  const masked = await recordInto(await recorded(secret, [get('/login'), get(`/files/${id}`)]))
  assert.ok(!masked.read(RECORDING).includes(id))
  assert.equal(proofOf(masked), '2 of 2')
})

test('a digest stays unless it is beside a credential, and values are blanked by the name beside them', async () => {
  const digest = '9f86d081884c7d659a2feaa0c55ad015'
  const body = [{ hash: digest }, { salt: 's4lt', hash: digest.replace('9', '8') }, { name: 'password', value: 'hush' }]
  const made = await recordInto(await recorded(scripted([200, body]), [get('/rows')]))
  const [{ response } = assert.fail()] = (JSON.parse(made.read(RECORDING)) as Har).log.entries
  assert.deepEqual(JSON.parse(response.content.text ?? ''), [
    { hash: digest },
    { salt: 'Masked-1', hash: 'Masked-2' },
    { name: 'password', value: 'Masked-3' },
  ])
})

test('only the user may read a recording, also one that an earlier version began', {
  skip: process.platform === 'win32',
}, async () => {
  const har = await recorded(blog(), BLOG_TRAFFIC.slice(0, 2))
  const { place } = await recordInto(har, { folder: 'private' })
  const path = join(place.folder, RECORDING)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  chmodSync(path, 0o644)
  await recordInto(await recorded(blog(), BLOG_TRAFFIC.slice(0, 3)), { folder: 'private' })
  assert.equal(statSync(path).mode & 0o777, 0o600)
})
