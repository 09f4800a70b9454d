import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const { send } = inProcess({
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Kennel, version: "1" }
components:
  schemas:
    Dog:
      type: object
      required: [name]
      properties:
        name: { type: string }
        breed: { type: string }
        owner: { type: object, required: [email], properties: { email: { type: string }, phone: { type: string } } }
    Animal:
      type: object
      required: [kind]
      discriminator: { propertyName: kind, mapping: { cat: "#/components/schemas/Cat" } }
      properties: { kind: { type: string }, claws: { type: boolean } }
    Cat: { allOf: [{ $ref: "#/components/schemas/Animal" }, { type: object, properties: { claw: { type: boolean } } }] }
paths:
  /dogs: { post: { operationId: addDog, requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Dog" } } } }, responses: { 204: { description: Fine } } } }
  /cats: { post: { operationId: addCat, requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Animal" } } } }, responses: { 204: { description: Fine } } } }
  /closed:
    post:
      operationId: addClosed
      requestBody: { required: true, content: { application/json: { schema: { type: object, additionalProperties: false, properties: { colour: { type: string }, size: { type: integer } } } } } }
      responses: { 204: { description: Fine } }
`,
})
const warningOf = async (line: string, body: unknown) => (await send(line, body)).headers['understudy-warning']
const reasonOf = async (line: string, body: unknown) => {
  const reply = await send(line, body)
  assert.equal(reply.status, 400)
  return (reply.body as { detail: string }).detail
}

suite('a misspelt field of a body', () => {
  test('is named by a warning if the request is valid without it', async () => {
    assert.equal(
      await warningOf('POST /dogs', { name: 'Rex', bread: 'corgi' }),
      'the contract has no body field "bread"; did you mean "breed"?',
    )
  })

  for (const [what, body] of [
    ['a field of another name', { name: 'Rex', colour: 'brown' }],
    ['a field beside the one that it resembles', { name: 'Rex', breed: 'corgi', breed2: 'pug' }],
    ['a body without unknown fields', { name: 'Rex', breed: 'corgi' }],
  ] as const) {
    test(`${what} is not named`, async () => assert.equal(await warningOf('POST /dogs', body), undefined))
  }

  test('a field of the chosen branch of a union is not named', async () => {
    assert.equal(await warningOf('POST /cats', { kind: 'cat', claw: true }), undefined)
  })

  test('is named beside the missing field, at any depth', async () => {
    assert.equal(await reasonOf('POST /dogs', { nmae: 'Rex' }), '/name is required, but the body has "nmae"')
    assert.equal(
      await reasonOf('POST /dogs', { name: 'Rex', owner: { emial: 'a@b.de' } }),
      '/owner/email is required, but the body has "emial"',
    )
    assert.equal(await reasonOf('POST /dogs', { colour: 'brown' }), '/name is required')
  })

  test('is explained if the schema is closed', async () => {
    assert.equal(await reasonOf('POST /closed', { color: 'red' }), '/color is not allowed; did you mean "colour"?')
    assert.equal(await reasonOf('POST /closed', { weight: 3 }), '/weight is not allowed')
  })
})
