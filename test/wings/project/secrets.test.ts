import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blankColumns, blankEvents, blankSecrets, isHiddenName } from '../../../src/wings/project/secrets.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
const PEM = (kind: string) => `-----BEGIN ${kind}-----\nMIIabc\nabc/de==\n-----END ${kind}-----`

const blank = () => '***'

test('a name that may mean a credential anywhere is hidden', () => {
  assert.deepEqual(['key', 'auth', 'hash', 'title'].map(isHiddenName), [true, true, true, false])
})

test('a text that has the form of a credential is blanked where it is', () => {
  // In pieces, so that no scanner of repositories takes them for real.
  const random = 'q7Xk2LmZ9RtVb4NcY8Ws' + 'Hd3JfPgA6uE1oTiK'
  const issued = [
    ...[JWT, `${JWT.split('.').slice(0, 2).join('.')}`, random, `${'sk_'}live_4eC39HqLyjWDarjtT1`],
    ...[`${'gh'}p_16C7e42F292c6912E7710c838347Ae178B4a`, `${'xo'}xb-1234-5678-abcdef`, `${'AK'}IAIOSFODNN7EXAMPLE`],
    `$2b$12$${'R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'}`,
  ]
  for (const secret of issued) {
    assert.equal(blankSecrets(secret, { blank }), '***')
    assert.equal(blankSecrets(`see (${secret}).`, { blank }), 'see (***).')
  }
  const key = '-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----'
  assert.equal(blankSecrets(`a ${PEM('RSA PRIVATE KEY')} b`, { blank }), `a ${key} b`)
})

test('ids, versions, digests, times and sentences stay', () => {
  const texts = [
    ...['5f0c2a34-7d0b-4a52-8a5e-0d8f5e6b7c91', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '507f1f77bcf86cd799439011'],
    ...['2026-11-28T04:23:04.000Z', 'ch_3Kq2xYzLkdIwHu7ix0Tn2a9V', 'W/"33a64df551425fcc55e4d42a148795d9f25f89d4"'],
    ...['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'V1StGXR8_Z5jdHi6B-myT'],
    ...['Z2lkOi8vc2hvcGlmeS9Qcm9kdWN0LzEyMzQ1Njc4OTAxMjM0NTY3OA==', 'Order2024InvoiceExportForCustomer12AndMore'],
    ...['data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk/', PEM('CERTIFICATE')],
    ...['https://a.test/?page=2&key=PROJ-12&code=404&country=FR', '/tokens/12345678/token/refresh/token/12345678'],
    ...['the password: wrong', 'Token: must be long', 'max_tokens=512', '{"name":"colour","value":"red"}'],
    ...['<meta name="author" content="Ann">', 'https://a.test:8080/x@2', 'Bearer authentication is required'],
  ]
  for (const text of texts) assert.equal(blankSecrets(text, { blank, form: 'lines' }), text)
})

test('a value is blanked after its name in every form', () => {
  const pairs: readonly (readonly [text: string, blanked: string])[] = [
    ['/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=x', '/cb?code=***&state=x'],
    ['/v1/token/XYZ-12345/use', '/v1/token/***/use'],
    ['/auth/password/abc-12345', '/auth/password/***'],
    ['{"name":"password","value":"hush"} {"pin":12}', '{"name":"password","value":"***"} {"pin":***}'],
    ['{\\"key\\": \\"api_key\\", \\"value\\": \\"hush\\"}', '{\\"key\\": \\"api_key\\", \\"value\\": \\"***\\"}'],
    ['<meta content="hush" name="csrf-token">', '<meta content="***" name="csrf-token">'],
    ['a: b\npassword: hush\n  - token: x1\n', 'a: b\npassword: ***\n  - token: ***\n'],
    ['[db]\npassword = hush\n', '[db]\npassword = ***\n'],
    ['?code=A_CODE_WITHOUT_DIGITS&code=not-found-in-the-list', '?code=***&code=not-found-in-the-list'],
    ['my password: hunter2, yes', 'my password: ***, yes'],
    ['curl -H "Authorization: Bearer abc-123-def"', 'curl -H "Authorization: Bearer ***"'],
    [`password="${'x'.repeat(5000)}"`, 'password="***"'],
  ]
  for (const [text, blanked] of pairs) assert.equal(blankSecrets(text, { blank, form: 'lines' }), blanked)
  assert.equal(blankSecrets('password: correct horse', { blank, form: 'yaml' }), 'password: ***')
  assert.equal(blankSecrets('password: too short', { blank }), 'password: too short')
})

test('columns of a CSV are blanked by their names', () => {
  const text = 'id,password,name\n1,hush,Ann\r\n2,"hu,""\nsh",Bob\n3,,"Eve, ""E"""\n4'
  assert.equal(blankColumns(text, { blank }), 'id,password,name\n1,***,Ann\r\n2,***,Bob\n3,,"Eve, ""E"""\n4')
  assert.equal(blankColumns('a;token\n1;x\n', { blank }), 'a;token\n1;***\n')
})

test('data of an event over several lines are read as a whole', () => {
  const text = 'event: a\ndata: {"n":1,\ndata: "secret":\ndata: "hu\ndata: sh"}\n\ndata: 1\n\n'
  const blanked = 'event: a\ndata: {"n":1,\ndata: "secret":\ndata: "***"}\n\ndata: 1\n\n'
  assert.equal(blankEvents(text, { blank }), blanked)
  assert.equal(blankEvents('data: a\r\ndata: b\r\n\r\n', { blank }), 'data: a\r\ndata: b\r\n\r\n')
})

/** Pieces of which a text of many begins many matches, and ends none. */
const PIECES = [
  ...['eyJ', '-eyJ', 'a:"', '\\', 'name="pwd"\n\nx\n', '<a ', '<a name=x ', '/token/', 'password: ', '"', '""', 'aA1'],
  ...[
    'form-data; name="pwd"\n',
    '-----BEGIN PRIVATE KEY-----',
    'Bearer ',
    'token="',
    '//a:',
    'data: a\n',
    '\t- ',
    'sk-',
  ],
]

test('the work grows with the length of a text', () => {
  const workOf = (text: string): number => {
    const before = process.cpuUsage()
    for (const read of [blankSecrets, blankColumns, blankEvents]) read(text, { blank, form: 'lines' })
    return process.cpuUsage(before).user / 1000
  }
  for (const piece of PIECES) {
    const [small, large] = [50_000, 400_000].map(size => workOf(piece.repeat(size / piece.length))) as [number, number]
    // Eight times the text is 64 times the work where it grows with the square; the rest is the collection of garbage.
    assert.ok(large < 24 * small + 100, `${JSON.stringify(piece)}: ${small} ms, then ${large} ms`)
  }
})
