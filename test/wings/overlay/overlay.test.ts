// Overlays: the rules of merging, mistakes, and places after merging.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selectFrom } from '../../../src/wings/overlay/json-path.ts'
import { folderOf, load, merge, OVERLAY, readMerged, told } from './overlay-files.ts'

// The rules of merging.

const merged = (document: string, ...actions: string[]) => merge(document, actions).value

test('objects merge, lists are concatenated, single values are replaced', () => {
  const value = merged(
    'openapi: 3.1.0\ninfo: { title: a, contact: { name: x } }\ntags: [{ name: a }]\n',
    '  - target: $\n    update: { info: { title: b, contact: { email: y } }, tags: [{ name: b }], x-new: [1] }',
    '  - target: $.tags\n    update: { name: c }\n  - target: $.tags\n    update: [{ name: d }]\n  - { target: $.info.title, update: c }',
  )
  assert.deepEqual(value, {
    openapi: '3.1.0',
    info: { title: 'c', contact: { name: 'x', email: 'y' } },
    tags: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }],
    'x-new': [1],
  })
})

test('several items of a list are removed, and items of lists in lists', () => {
  const value = merged(
    'openapi: 3.1.0\ntags: [a, b, c, d]\nx: [[1, 2], [3, 1, 4]]\n',
    [
      "  - { target: '$.tags[0,2]', remove: true }",
      "  - { target: '$.x[?length(@) > 2]', remove: true }",
      "  - { target: '$.x[*][?@ == 1]', remove: true }",
    ].join('\n'),
  )
  assert.deepEqual(value, { openapi: '3.1.0', tags: ['b', 'd'], x: [[2]] })
})

test('a copy is of one value, and later changes of either do not reach the other', () => {
  const value = merged(
    'openapi: 3.1.0\npaths: { /foo: { get: { x: [1] } }, /bar: {} }\n',
    [
      '  - { target: "$.paths[\'/bar\']", copy: "$.paths[\'/foo\']" }',
      '  - { target: "$.paths[\'/bar\'].get.x", update: 2 }',
      '  - { target: "$.paths[\'/foo\'].get", update: { y: 1 } }',
      '  - { target: "$.paths[\'/foo\'].get", copy: "$.paths[\'/foo\']" }',
    ].join('\n'),
  )
  assert.deepEqual((value as { paths: unknown }).paths, {
    '/foo': { get: { x: [1], y: 1, get: { x: [1], y: 1 } } },
    '/bar': { get: { x: [1, 2] } },
  })
})

test('an alias of YAML is changed in one of its places only', () => {
  const value = merged('openapi: 3.1.0\nx: &a { b: [1] }\ny: *a\n', '  - { target: $.y.b, update: 2 }')
  assert.deepEqual(value, { openapi: '3.1.0', x: { b: [1] }, y: { b: [1, 2] } })
})

test('names with quotes, slashes and prototypes are selected and written', () => {
  const value = merged(
    'openapi: 3.1.0\nx: { "it\'s": {}, \'a/b~\': {}, "a\\\\b": {} }\n',
    '  - target: $.x.*\n    update: { constructor: 1, __proto__: 2 }',
  )
  const members = JSON.parse('{"constructor":1,"__proto__":2}')
  assert.deepEqual((value as { x: unknown }).x, { "it's": members, 'a/b~': members, 'a\\b': members })
})

// Mistakes.

const SHOP = `openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /pets:
    get: { operationId: listPets, responses: { '200': { description: ok } } }
  /owners: { $ref: './owners.yaml' }
  /cats: { $ref: '#/paths/~1pets' }
`

test('a target that selects nothing names the nearest part that exists', () => {
  const hints = [
    ["$.paths['/pet'].get", "did you mean $.paths['/pets']?"],
    ["$.paths['/pets'].gett.responses", "did you mean $.paths['/pets'].get?"],
    [
      "$.paths['/pets'].get.responses['404'].content",
      "the nearest part that exists is $.paths['/pets'].get.responses, with one of: 200",
    ],
    [
      "$.paths['/owners'].get",
      "$.paths['/owners'] is a reference to ./owners.yaml: overlays change the document itself, not the files that it refers to",
    ],
    ["$.paths['/cats'].get", "$.paths['/cats'] is a reference to #/paths/~1pets: select that instead"],
    ['$.components', 'the nearest part that exists is $, with one of: openapi, info, paths'],
    [
      "$.paths.*.get.parameters[?@.name == 'x.y']",
      "the nearest part that exists is $.paths['/pets'].get, with one of: operationId, responses",
    ],
  ] as const
  for (const [target, hint] of hints) {
    const { told } = merge(SHOP, [`  - target: ${JSON.stringify(target)}\n    remove: true`])
    assert.equal(told.length, 1, String(told))
    assert.match(told[0] as string, /^0\.overlay\.yaml:4:13 warning idle-target: the target selects nothing = /)
    assert.equal(told[0]?.split(' = ')[1], hint)
  }
})

test('all mistakes of all overlays are told at once', () => {
  const { value, told } = merge(SHOP, [
    'overlay: 1.2.0\ninfo: { title: x }\nactions:\n  - target: $.info[\n    remove: true\n  - targt: $\n',
    "  - { target: '$.info.title', update: {} }\n  - { target: $, remove: true }\n",
  ])
  assert.equal(value, undefined)
  assert.deepEqual(
    told.map(one => one.split(': ')[0]),
    [
      '0.overlay.yaml:1:10 error unsupported-version',
      '0.overlay.yaml:2:1 error missing-key',
      '0.overlay.yaml:4:19 error invalid-jsonpath',
      '0.overlay.yaml:6:5 error missing-key',
      '0.overlay.yaml:6:5 error unknown-key',
      '0.overlay.yaml:6:5 error idle-action',
      '1.overlay.yaml:4:39 error incompatible-update',
      '1.overlay.yaml:5:15 error whole-document',
    ],
  )
})

test('a mistaken action does not hide the mistakes of the other ones', () => {
  const { value, told } = merge(SHOP, [
    `  - { target: '$.paths[', update: { x: 1 } }
  - { target: 5, remove: true }
  - { target: $.nothing, update: { x: 1 } }
  - { target: $.info, update: [1] }
  - { target: $.info, update: { x: 1 }, remove: true }
  - 7
`,
  ])
  assert.equal(value, undefined)
  assert.deepEqual(told.map(one => one.split(': ')[0]).sort(), [
    '0.overlay.yaml:4:23 error invalid-jsonpath',
    '0.overlay.yaml:5:15 error wrong-type',
    '0.overlay.yaml:6:15 warning idle-target',
    '0.overlay.yaml:7:31 error incompatible-update',
    '0.overlay.yaml:8:5 error ambiguous-action',
    '0.overlay.yaml:9:5 error wrong-type',
  ])
})

test('updates that do not fit are refused, with what to write', () => {
  const { told } = merge(SHOP, [
    `  - { target: $.info, update: [1] }
  - { target: $.info, update: { title: [1] } }
  - { target: '$..*', update: {} }
  - { target: $, remove: true }
  - { target: $.info, copy: $.nothing }
  - { target: $.info, copy: $.info.* }
  - { target: $, update: { paths: } }
`,
    'overlay: 1.0.0\ninfo: { title: x, version: 1.0.0 }\nactions: [{ target: $.info.title, update: Store }]',
  ])
  assert.deepEqual(told, [
    '0.overlay.yaml:4:31 error incompatible-update: the target selects an object, and this is a list = write an object here',
    '0.overlay.yaml:5:40 error incompatible-update: "title" is a single value in the document, and a list here = remove it in an action before this one: { target: $.info.title, remove: true }',
    '0.overlay.yaml:6:31 error mixed-target: the target selects values of several kinds: single value, object = write one action for each kind',
    '0.overlay.yaml:7:15 error whole-document: this removes the whole document = select a part of it',
    '0.overlay.yaml:8:29 error no-copy-source: this selects nothing to copy = the nearest part that exists is $, with one of: openapi, info, paths',
    '0.overlay.yaml:9:29 error ambiguous-copy-source: this selects 2 values; a copy is made of one = select one value',
    '0.overlay.yaml:10:28 warning idle-update: "paths" is empty here and changes nothing = to remove a part, write remove: true',
    '1.overlay.yaml:3:43 error single-target: the target selects a single value = select its holder, with update: { title: … }; or write overlay: 1.1.0',
  ])
})

test('a JSONPath that is too long, or takes too many steps, is a mistake at its place', () => {
  const depth = 40
  const document = `openapi: 3.1.0\nx: ${'{ a: '.repeat(depth)}1${' }'.repeat(depth)}\n`
  const long = merge(document, [`  - { target: $${'.a'.repeat(50_000)}, remove: true }`])
  assert.deepEqual(long.told, [
    '0.overlay.yaml:4:2015 error invalid-jsonpath: this JSONPath is longer than 2000 characters = write several actions',
  ])
  const costly = merge(document, [`  - { target: "$[?count($${'..*'.repeat(10)}) < 0]", remove: true }`])
  assert.deepEqual(costly.told, [
    '0.overlay.yaml:4:15 error costly-jsonpath: this JSONPath takes more than 2,000,000 steps in the document = write it with fewer ".." and filters',
  ])
})

test('the steps of a JSONPath are those of the values that it reads', () => {
  const document = { a: { b: [1, 2], c: { b: 3 } } }
  const stepsOf = (path: string) => {
    for (let most = 0; ; most++) if (selectFrom(document, most)(path) !== undefined) return most
  }
  assert.deepEqual(['$', '$.a', '$.a.c.b', '$..b', '$..*..*'].map(stepsOf), [0, 1, 3, 11, 46])
  const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })
  assert.equal(selectFrom(nested(40), 1000)('$..*..*..*..*'), undefined)
  assert.equal(selectFrom(nested(40), 1000)('$..a')?.length, 40)
})

test('removing a part that another overlay writes is a warning, and so is changing a removed part', () => {
  const { told } = merge(SHOP, [
    '  - { target: $.info, update: { contact: { name: x } } }',
    '  - { target: $.info.contact, remove: true }\n  - { target: $.info.contact, update: { name: y } }',
  ])
  assert.deepEqual(told, [
    '1.overlay.yaml:4:5 warning removed-update: this removes what 0.overlay.yaml:4 writes = remove one of them, or change their order',
    '1.overlay.yaml:5:15 warning idle-target: the target selects nothing = the nearest part that exists is $.info, with one of: title, version',
  ])
})

test('versions, repetitions and missing documents have codes', () => {
  const codesOf = (text: string) => merge(SHOP, [text]).told.map(one => one.split(/[ :]/)[4])
  assert.deepEqual(
    codesOf('overlay: 1.0.0\ninfo: { title: x, version: 1.0.0 }\nactions: [{ target: $.info, copy: $ }]'),
    ['newer-action'],
  )
  assert.deepEqual(codesOf('  - { target: $.info, remove: true }\n  - { target: $.info, remove: true }'), [
    'invalid-value',
    'idle-target',
  ])
  const folder = folderOf({ 'a.yaml': `${OVERLAY}  - { target: $.info, remove: true }` })
  assert.deepEqual(told(readMerged('a.yaml', folder).report), [
    'a.yaml:1:1 error no-document: this overlay does not say which document it changes = write extends: ./openapi.yaml, or name the document before it',
  ])
})

// After merging.

/** Loads a gateway file with overlays in a folder beside it. */
test('a mistake in what an overlay wrote has its place in the overlay, and one beside it in the document', () => {
  const loaded = load({
    'gateway.yaml': 'contract: [./api/o.yaml, ./fixes/a.yaml, ./fixes/b.yaml]\n',
    'api/o.yaml': `${SHOP.replace(/ {2}\/(?:owners|cats).*\n/g, '')}tags: [{ name: a }, { name: b }]
components: { schemas: { Pet: { properties: { id: { type: itneger } } } } }\n`,
    'fixes/a.yaml': `${OVERLAY}  - target: $.tags[0]
    remove: true
  - target: $.components.schemas.Pet.properties
    update: { name: { type: strng } }
  - target: $.paths['/pets'].get.responses
    update:
      '404': { $ref: '#/components/responses/Missing' }
      '400': { $ref: './parts.yaml#/Bad' }
`,
    'fixes/b.yaml': `${OVERLAY}  - target: $.components.schemas.Pet.properties.name
    update: { minLength: -1 }
`,
    'fixes/parts.yaml': 'Bad: { description: bad, content: { application/json: { schema: { type: objct } } } }\n',
  })
  assert.ok(loaded.plan)
  assert.deepEqual(
    loaded.told.filter(one => !one?.includes('impossible')),
    [
      'api/o.yaml:7:59 warning invalid-keyword: "type" must be one of string, number, integer, boolean, object, array, null',
      'fixes/a.yaml:7:29 warning invalid-keyword: "type" must be one of string, number, integer, boolean, object, array, null',
      'fixes/a.yaml:10:22 warning unresolvable-ref: cannot resolve "#/components/responses/Missing": there is no "responses"',
      'fixes/b.yaml:5:26 warning invalid-keyword: "minLength" must be a count',
      'fixes/parts.yaml:1:73 warning invalid-keyword: "type" must be one of string, number, integer, boolean, object, array, null',
    ],
  )
  assert.deepEqual(
    loaded.files.map(file => file.slice(loaded.folder.length + 1)),
    ['gateway.yaml', 'api/o.yaml', 'fixes/a.yaml', 'fixes/b.yaml', 'fixes/parts.yaml'],
  )
})

test('overlays apply to a contract in the gateway file', () => {
  const inline = load(
    {
      'gateway.yaml': `contract:\n${SHOP.replace(/^/gm, '  ')}`,
      'a.yaml': `${OVERLAY}  - { target: $.info, update: { version: 2 } }`,
    },
    { layers: ['a.yaml'] },
  )
  assert.equal(inline.plan?.contract.version, '2')
})

test('an overlay with extends is a contract itself, and applies to another document where it is named after one', () => {
  const files = {
    'api/o.yaml': SHOP.replace(/ {2}\/(?:owners|cats).*\n/g, ''),
    'fix.yaml': `extends: ./api/o.yaml\n${OVERLAY}  - { target: $.info, update: { title: Store } }\n`,
    'other.yaml': `extends: ./o.yaml\n${OVERLAY}  - { target: $.info, update: { title: Mall } }\n`,
    'web.yaml': `extends: https://example.com/o.yaml\n${OVERLAY}  - { target: $.info, update: { title: Fair } }\n`,
  }
  assert.equal(load(files, {}, 'fix.yaml').plan?.contract.title, 'Store')
  const both = load(files, { layers: ['other.yaml'] }, 'fix.yaml')
  assert.equal(both.plan?.contract.title, 'Mall')
  assert.deepEqual(load(files, {}, 'web.yaml').told, ['web.yaml:1:10 error remote-file: remote files are not fetched'])
  assert.equal(load(files, { layers: ['web.yaml'] }, 'api/o.yaml').plan?.contract.title, 'Fair')
})

test('a missing overlay is an error where it is named', () => {
  const { told, plan } = load({
    'gateway.yaml': 'contract:\n  - ./o.yaml\n  - ./fxes.yaml\n',
    'o.yaml': SHOP,
    'fixes.yaml': OVERLAY,
  })
  assert.equal(plan, undefined)
  assert.deepEqual(told, ['gateway.yaml:3:5 error no-such-file: there is no such file: fxes.yaml'])
})
