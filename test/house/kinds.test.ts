import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-files.ts'

/** Switches over texts of libraries, headers and files, which are not a list of kinds. */
const OPEN = new Set([
  'world/records/values.ts: typeof value',
  'http/request.ts: code',
  'plan/simulation.ts: keyword',
  'kernel/schema/violations.ts: keyword',
  'contract/answer/headers.ts: name',
])

/** The switches of a text: the subject of each, and its body. */
function* switchesOf(text: string): Iterable<readonly [subject: string, body: string]> {
  for (const { index, 0: head } of text.matchAll(/^( *)(?:.* )?switch \(.*$/gm)) {
    const indent = /^ */.exec(head)?.[0] ?? ''
    const end = text.indexOf(`\n${indent}}`, index)
    yield [head.slice(head.indexOf('switch (') + 'switch ('.length, head.lastIndexOf(') {')), text.slice(index, end)]
  }
}

test('a switch over kinds names every kind', () => {
  const all = sourceFiles.flatMap(({ path, text }) =>
    [...switchesOf(text)].map(([subject, body]) => ({ name: `${path}: ${subject}`, body })),
  )
  const loose = all.filter(({ name, body }) => !OPEN.has(name) && !/\bsatisfies never\b/.test(body))
  assert.deepEqual(
    loose.map(({ name }) => name),
    [],
    'end it with "default: kind satisfies never", so that a new kind is a type error here until it is handled',
  )
  assert.deepEqual(
    [...OPEN].filter(open => !all.some(({ name }) => name === open)),
    [],
    'remove a switch that is gone from the list of this test',
  )
})
