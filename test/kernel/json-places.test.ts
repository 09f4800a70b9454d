import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexEvents } from '../../src/kernel/event-index.ts'
import { jsonSpans } from '../../src/kernel/json-places.ts'

type Path = (string | number)[]

/** Every path of a value, and an unknown one below each. */
const pathsOf = (value: unknown, path: Path = []): Path[] => {
  const inside = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const below = inside.flatMap(([key, item]) => pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]))
  return [path, [...path, 'nowhere'], ...below]
}

for (const text of [
  '{"a":1,"b":[true,null,{"c":"d"}]}',
  '{\n  "a": { "b": "x\\"y}" },\n  "q\\"}": [ 1.5e3 , [] , {} ],\n  "tail": false\n}\n',
  '{"a":{"b":1},"a":{"b":[2]}}',
  '[[1,2],["\\\\"],{"k":"\\u00e9"}]',
]) {
  test(`the places in ${JSON.stringify(text)} are the same as when it is read as YAML`, () => {
    const spans = jsonSpans(text)
    const index = indexEvents(text)
    for (const path of pathsOf(JSON.parse(text))) {
      for (const part of ['key', 'value'] as const) {
        const cut = (locate: typeof spans) => text.slice(...locate(path, part))
        assert.equal(cut(spans), index && cut(index.locate), `${part} of ${path.join('/')}`)
      }
    }
  })
}
