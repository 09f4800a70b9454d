import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { probesOf } from '../../../src/wings/probe/probe.ts'
import { inProcess, loadFiles } from '../../support/in-process.ts'
import { loadInferred } from '../../support/load.ts'

const upload = (type: string, media: string) => ({
  'uploads.yaml': `
openapi: 3.0.3
info: { title: Uploads, version: "1" }
paths:
  /uploads:
    put:
      operationId: upload
      requestBody: { required: true, content: { ${type}: ${media} } }
      responses: { "204": { description: Kept } }
`,
})

for (const [type, media, text] of [
  ['text/plain', '{ schema: { type: string }, example: "a b" }', 'a b'],
  ['"image/*"', '{ schema: { type: string, format: binary } }', undefined],
  ['application/x-tar', '{}', 'understudy'],
  ['multipart/form-data', '{ schema: {} }', undefined],
  ['multipart/form-data', '{ schema: { type: array, items: { type: string, format: binary } } }', undefined],
] as const) {
  test(`a body of ${type} is generated and accepted: ${media}`, async () => {
    const { plan } = loadFiles(upload(type, media))
    const [planned] = plan?.operations ?? []
    assert.ok(plan && planned)
    const probes = probesOf(planned, plan)
    assert.ok(typeof probes !== 'string', String(probes))
    const read = await probes[0]?.request.readBody(1000)
    const sent = read && 'bytes' in read ? Buffer.from(read.bytes).toString() : ''
    if (text === undefined) assert.notEqual(sent, '')
    else assert.equal(sent, text)
    const { gateway } = inProcess(upload(type, media))
    assert.equal(probes[0] && (await gateway.handle(probes[0].request)).status, 204)
  })
}

test('a bare document served with state depends on one file', async () => {
  const file = fileURLToPath(new URL('../../golden/inference/library.yaml', import.meta.url))
  assert.deepEqual((await loadInferred(file, '/', {})).files, [file])
})

for (const [style, query] of [
  ['style: deepObject', /^scope%5Btype%5D=(?:account|user)/],
  ['style: form, explode: true', /^type=(?:account|user)/],
] as const) {
  test(`an object in the query is generated and accepted: ${style}`, async () => {
    const schema = '{ type: object, required: [type], properties: { type: { enum: [account, user] } } }'
    const files = {
      'secrets.yaml': `
openapi: 3.0.3
info: { title: Secrets, version: "1" }
paths:
  /secrets:
    get:
      parameters: [{ name: scope, in: query, required: true, ${style}, schema: ${schema} }]
      responses: { "200": { description: All }, "400": { description: Wrong } }
`,
    }
    const { plan } = loadFiles(files)
    const [planned] = plan?.operations ?? []
    assert.ok(plan && planned)
    const probes = probesOf(planned, plan)
    assert.ok(typeof probes !== 'string', String(probes))
    const { gateway } = inProcess(files)
    const [valid, without] = probes.map(({ request }) => request)
    assert.match(valid?.query ?? '', query)
    assert.equal(valid && (await gateway.handle(valid)).status, 200)
    assert.equal(without && (await gateway.handle(without)).status, 400)
  })
}
