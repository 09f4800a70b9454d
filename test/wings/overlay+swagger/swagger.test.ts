import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, OVERLAY } from '../overlay/overlay-files.ts'

test('overlays apply to Swagger 2.0 before it is converted', () => {
  const swagger = `swagger: '2.0'
info: { title: Shop, version: '1' }
paths: { /pets: { get: { operationId: listPets, responses: { 200: { description: ok } } } } }
definitions: { Pet: { type: object, properties: { id: { type: string } } } }
`
  const overlay = `${OVERLAY}  - target: $.paths['/pets'].get.responses['200']
    update: { schema: { $ref: '#/definitions/Pet' } }
  - target: $.definitions.Pet.properties
    update: { name: { type: strng } }
`
  const loaded = load({ 'gateway.yaml': 'contract: [./o.yaml, ./a.yaml]', 'o.yaml': swagger, 'a.yaml': overlay })
  assert.deepEqual([...loaded.plan!.contract.operations[0]!.responses.get('200')!.content.keys()], ['application/json'])
  assert.deepEqual(
    loaded.told.filter(one => !one?.includes('impossible')),
    [
      'a.yaml:7:29 warning invalid-keyword: "type" must be one of string, number, integer, boolean, object, array, null',
    ],
  )
})
