// Overlays (Overlay Specification 1.0 and 1.1): the published cases, and overlays of the wrong shape.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { parseSource } from '../../../src/kernel/file/read-source.ts'
import { merge } from './overlay-files.ts'

const parsed = (text: string): unknown => parseSource('x.yaml', text, new Diagnostics(), 'contract')?.value

// The published cases.

const CASES = [
  ['petstore', 'overlay', 'output1'],
  ['town', 'building-description', 'town-building-description'],
  ['town', 'update-root', 'town-root-updated'],
  ['town', 'remove-example', 'town-remove-example'],
  ['town', 'remove-properties', 'town-remove-properties'],
  ['town', 'remove-descriptions', 'town-remove-descriptions'],
  ['openapi-with-servers', 'remove-server', 'one-less-server'],
  ['responses', 'remove-responses', 'remove-responses'],
] as const

const PUBLISHED = join(import.meta.dirname, 'overlays')
const published = (folder: string, name: string): string =>
  readFileSync(join(PUBLISHED, folder, `${name}.yaml`), 'utf8')

for (const [document, overlay, expected] of CASES) {
  test(`the published overlay ${overlay} gives the published result`, () => {
    const { value } = merge(published('openapi', document), [published('overlays', overlay)])
    assert.deepEqual(value, parsed(published('expected', expected)))
  })
}

for (const overlay of ['empty', 'immutable', 'not-jsonpath', 'not-overlay']) {
  test(`the published overlay ${overlay} is refused`, () => {
    const found = merge(published('openapi', 'empty'), [published('overlays', overlay)])
    assert.equal(found.value, undefined)
    assert.match(String(found.told), /0\.overlay\.yaml:\d+:\d+ error /)
  })
}

/** Overlays that the schemas of the specification refuse, by the name of their case. */
const REFUSED: Readonly<Record<string, string>> = {
  'action-remove-invalid-type': '  - { target: $.info, remove: "yes" }',
  'action-target-invalid-type': '  - { target: 1, remove: true }',
  'actions-invalid-description': '  - { target: $.info, description: 1, remove: true }',
  'actions-invalid-target': '  - { target: info, remove: true }',
  'actions-item-invalid-type': '  - remove',
  'actions-missing-target': '  - { remove: true }',
  'actions-not-unique': '  - { target: $.info, update: { x-a: 1 } }\n  - { target: $.info, update: { x-a: 1 } }',
  'action-copy-invalid-type': '  - { target: $.info, copy: 1 }',
  'not-remove-with-copy': '  - { target: $.info, copy: $.tags, remove: true }',
  'not-update-with-copy': '  - { target: $.info, copy: $.tags, update: {} }',
  'not-update-with-remove': '  - { target: $.info, update: {}, remove: true }',
  'actions-without-change': '  - { target: $.info }',
  'actions-invalid-type': 'overlay: 1.1.0\ninfo: { title: x, version: 1.0.0 }\nactions: {}',
  'actions-missing': 'overlay: 1.1.0\ninfo: { title: x, version: 1.0.0 }',
  'extends-invalid-type':
    'overlay: 1.1.0\ninfo: { title: x, version: 1.0.0 }\nextends: 1\nactions: [{ target: $.x, remove: true }]',
  'info-invalid-type': 'overlay: 1.1.0\ninfo: x\nactions: [{ target: $.x, remove: true }]',
  'info-missing-title': 'overlay: 1.1.0\ninfo: { version: 1.0.0 }\nactions: [{ target: $.x, remove: true }]',
  'info-missing-version': 'overlay: 1.1.0\ninfo: { title: x }\nactions: [{ target: $.x, remove: true }]',
  'info-title-invalid-type':
    'overlay: 1.1.0\ninfo: { title: 1, version: 1.0.0 }\nactions: [{ target: $.x, remove: true }]',
  'invalid-overlay-version':
    'overlay: 2.0.0\ninfo: { title: x, version: 1.0.0 }\nactions: [{ target: $.x, remove: true }]',
  'overlay-invalid-pattern':
    'overlay: v1\ninfo: { title: x, version: 1.0.0 }\nactions: [{ target: $.x, remove: true }]',
  'not-an-object': '[overlay: 1.0.0]',
  'root-invalid-property':
    'overlay: 1.1.0\ninfo: { title: x, version: 1.0.0 }\nfoo: 1\nactions: [{ target: $.x, remove: true }]',
}

test('an overlay of the wrong shape is refused at its place, with a remedy', () => {
  for (const [name, text] of Object.entries(REFUSED)) {
    const found = merge('openapi: 3.1.0\ninfo: {}\ntags: []\n', [text])
    assert.equal(found.value, undefined, name)
    assert.match(String(found.told), /0\.overlay\.yaml:\d+:\d+ error [\w-]+: .* = (?!undefined)/, name)
  }
})

/** Overlays that the schemas of the specification accept, by the name of their case. */
const ACCEPTED: Readonly<Record<string, string>> = {
  minimal: "  - { target: '$', update: {} }",
  'info-extensions':
    'overlay: 1.1.0\ninfo: { title: x, version: 1.0.0, x-info: {} }\nactions: [{ target: $, update: {} }]',
  'root-extensions':
    'overlay: 1.1.0\ninfo: { title: x, version: 1.0.0 }\nactions: [{ target: $, update: {} }]\nx-more: {}',
  'actions-extensions': '  - { target: $, x-action: {}, update: {} }',
  'actions-description': '  - { target: $, description: why, update: {} }',
  // As published it has no brackets, which RFC 9535 requires for a name with a hyphen.
  'actions-traits-example': `  - { target: "$.paths.*.get[?@['x-traits'].paged]", update: { parameters: [{ name: top, in: query }] } }`,
  'actions-structured-overlay-example':
    "  - { target: $, update: { info: { x-a: b }, paths: { '/': { summary: s, get: { x-limit: 100 } } }, components: , tags: [] } }",
  'actions-targeted-overlay-example': `  - { target: "$.paths['/foo'].get", update: { description: d } }\n  - { target: "$.paths['/foo']", update: { post: { x-safe: false } } }`,
  'actions-wildcard-overlay-example': '  - { target: $.paths.*.get, update: { x-safe: true } }',
  'actions-array-modification-example-update':
    '  - { target: $.paths.*.get.parameters, update: { name: new, in: query } }',
  'actions-array-modification-example-remove':
    "  - { target: '$.paths.*.get.parameters[?@.name == ''dummy'']', remove: true }",
  'copy-path-item-example': `  - { target: '$.paths["/bar"]', copy: '$.paths["/foo"]' }`,
  'actions-update-with-remove':
    'overlay: 1.0.0\ninfo: { title: x, version: 1.0.0 }\nactions: [{ target: $.paths.*.get.parameters, update: { name: n, in: query }, remove: true }]',
}

test('an overlay that the specification accepts is applied', () => {
  const document = `openapi: 3.1.0\ninfo: { title: a }\ntags: [a]\ncomponents: {}\npaths:
  /foo: { get: { description: old, parameters: [{ name: dummy }], x-traits: { paged: true } } }\n  /bar: {}\n`
  for (const [name, text] of Object.entries(ACCEPTED)) {
    const { value, told } = merge(document, [text])
    assert.ok(value, `${name}: ${told}`)
  }
})

test('Overlay 1.0 permits actions that 1.1 refuses: they are warnings', () => {
  const head = 'overlay: 1.0.0\ninfo: { title: x, version: 1.0.0, x-a: 1 }\nx-b: {}\nactions:\n'
  const { value, told } = merge('openapi: 3.1.0\ninfo: { title: a }\ntags: []\n', [
    `${head}  - { target: $, x-c: 1 }\n  - { target: $.tags, update: a, remove: true }\n`,
  ])
  assert.deepEqual(value, { openapi: '3.1.0', info: { title: 'a' } })
  assert.deepEqual(told, [
    '0.overlay.yaml:5:5 warning idle-action: this action changes nothing = write update: { … }, or remove: true',
    '0.overlay.yaml:6:5 warning ambiguous-action: this action has "update" and "remove"; an action does one of them = make two actions of it',
  ])
})
