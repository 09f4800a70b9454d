// Recognises the files of other tools, and says how to convert each to an OpenAPI document.

import { isObject } from '../../kernel/json.ts'

export interface ForeignFile {
  /** `a Postman collection`. */
  readonly kind: string
  readonly hint: string
}

type Value = Readonly<Record<string, unknown>>

const KINDS: readonly { readonly kind: string; is(value: Value): boolean; hint(file: string): string }[] = [
  {
    kind: 'a Postman collection',
    is: ({ info, item, collection }) =>
      (isObject(info) && ('_postman_id' in info || String(info.schema).includes('postman'))) ||
      (isObject(collection) && Array.isArray((collection as Value).item)) ||
      (Array.isArray(item) && isObject(info)),
    hint: file => `make an OpenAPI document of it: npx -p postman-to-openapi@3 p2o ${file} -f openapi.yaml`,
  },
  {
    kind: 'a HAR recording',
    is: ({ log }) => isObject(log) && Array.isArray((log as Value).entries),
    hint: file => `make an OpenAPI document of it: npx har-to-openapi@3 ${file} --output openapi.yaml`,
  },
  {
    kind: 'a Mockoon environment',
    is: ({ routes, lastMigration, endpointPrefix, uuid }) =>
      Array.isArray(routes) && [lastMigration, endpointPrefix, uuid].some(mark => mark !== undefined),
    hint: file => `make an OpenAPI document of it: npx @mockoon/cli export --input ${file} --output openapi.json`,
  },
  {
    kind: 'a file of WireMock stubs',
    is: ({ mappings, request, response }) =>
      (Array.isArray(mappings) && mappings.some(one => isObject(one) && 'request' in one)) ||
      (isObject(request) &&
        isObject(response) &&
        ['url', 'urlPath', 'urlPattern', 'urlPathPattern', 'method'].some(key => key in request)),
    hint: () =>
      'write its paths and bodies as an OpenAPI document (WireMock Cloud exports one), and the reply of each stub under operations: respond',
  },
  {
    kind: 'an Insomnia export',
    is: ({ _type, __export_format, type }) =>
      (_type === 'export' && __export_format !== undefined) || String(type).startsWith('collection.insomnia'),
    hint: () => 'export its design document as OpenAPI, or write one for its requests',
  },
  {
    kind: 'an AsyncAPI document',
    is: ({ asyncapi }) => asyncapi !== undefined,
    hint: () => 'the mock speaks HTTP: it needs an OpenAPI document',
  },
]

/** Recognises the file of another tool; `file` is its name, for the hint. */
export function foreignFile(value: unknown, file: string): ForeignFile | undefined {
  if (!isObject(value) || 'openapi' in value || 'swagger' in value || 'contract' in value) return undefined
  const found = KINDS.find(({ is }) => is(value as Value))
  return found && { kind: found.kind, hint: found.hint(/^[\w./-]+$/.test(file) ? file : `'${file}'`) }
}
