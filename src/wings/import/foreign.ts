// Recognises the files of other tools where a contract is expected.

import { relative } from 'node:path'
import type { ConvertDocument } from '../../contract/document/read-contract.ts'
import { isApiDocument } from '../../kernel/file/read-source.ts'
import { isObject } from '../../kernel/json.ts'

type ForeignValue = Readonly<Record<string, unknown>>

/** The files of other tools, which can be imported. */
const FOREIGN: readonly (readonly [kind: string, is: (value: ForeignValue) => boolean])[] = [
  ['a Postman collection', ({ item, collection }) => Array.isArray(isObject(collection) ? collection.item : item)],
  ['a HAR recording', ({ log }) => isObject(log) && Array.isArray(log.entries)],
  ['a Mockoon environment', ({ routes }) => Array.isArray(routes)],
  [
    'a file of WireMock stubs',
    value => [value.mappings ?? value].flat().some(one => isObject(one) && isObject(one.request)),
  ],
  ['a file of MockServer expectations', value => [value].flat().some(one => isObject(one) && 'httpRequest' in one)],
  [
    'a db.json of json-server',
    value =>
      Object.values(value).every(one => typeof one === 'object') &&
      Object.values(value).some(one => Array.isArray(one) && one.some(item => isObject(item) && 'id' in item)),
  ],
]

/** Refuses the file of another tool, and says how to import it. */
export const refuseForeign: ConvertDocument = (document, home, report) => {
  const { file, source } = document
  const { value } = source
  if (typeof value !== 'object' || value === null || isApiDocument(value) || 'contract' in value) return document
  const [kind] = FOREIGN.find(([, is]) => is(value as ForeignValue)) ?? []
  if (kind === undefined) return document
  const path = relative(home, file) || file
  const name = /^[\w./-]+$/.test(path) ? path : `'${path}'`
  const hint = `import it: understudy import ${name} --output imported`
  report.error('foreign-file', `this is ${kind}, not an OpenAPI document`, source.locate([]), hint)
  return undefined
}
