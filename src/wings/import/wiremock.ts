// WireMock: stub mappings, one a file or many, and the files of their bodies.

import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { celOfJsonPath, celOfTime, type TranslateHelper } from '../project/handlebars.ts'
import { celText, type ImportKind, partOf, RouteBook, readPart } from '../project/imported.ts'
import { hasShape, WIREMOCK_MAPPING } from './shapes.ts'
import { addStub, namedBy, type Stub } from './stubs.ts'

const isMapping = (value: unknown): value is Stub =>
  isObject(value) &&
  isObject(value.request) &&
  isObject(value.response) &&
  Object.keys(value.request).some(key => key.startsWith('url') || key === 'method')
/** The mappings in a file, with their paths: one, a list, or a list in `mappings`. */
function mappingsIn(value: unknown): (readonly [Path, Stub])[] {
  const list = isObject(value) ? value.mappings : value
  if (!Array.isArray(list)) return isMapping(value) ? [[[], value]] : []
  const path = list === value ? [] : ['mappings']
  return list.flatMap((one, i) => (isMapping(one) ? [[[...path, i], one] as const] : []))
}

export const wiremock: ImportKind = {
  name: 'wiremock',
  what: 'mappings of WireMock',
  recognises: value => mappingsIn(value).length > 0,
  read(files, report) {
    const book = new RouteBook()
    const settings: Record<string, Json> = {}
    const stubs = files.flatMap(file => mappingsIn(file.source.value).map(([path, stub]) => ({ file, path, stub })))
    // The lowest priority number wins; among equals the mapping that was added last.
    const ordered = stubs
      .filter(({ file, path }) => hasShape(WIREMOCK_MAPPING, file.source, path, report))
      .map((one, i) => ({ ...one, i }))
      .sort((a, b) => Number(a.stub.priority ?? 5) - Number(b.stub.priority ?? 5) || b.i - a.i)
    const named = namedBy(ordered.map(({ stub }) => stub))
    for (const { file, path, stub } of ordered) {
      const placeOf = (at: Path) => file.source.locate([...path, ...at])
      const readBeside = (name: string) => file.readBeside(`__files/${name}`)
      const reading = { named, book, settings, report, placeOf, readBeside, helperOf }
      readPart(() => addStub(stub, reading), placeOf([]), report)
    }
    return { title: 'Imported from WireMock', routes: book.routes, records: [], settings }
  },
}

/** Translates the helpers of response templates for a path. */
function helperOf(path: string): TranslateHelper {
  const segments = path.split('/').slice(1)
  return text => {
    const segment = /^request\.(?:path|pathSegments)\.\[?(\d+)\]?$/.exec(text)
    if (segment !== null) {
      const at = segments[Number(segment[1])]
      const name = /^\{(.*)\}$/.exec(at ?? '')?.[1]
      return name === undefined ? at && celText(at) : `request.params.${name}`
    }
    const part = /^request\.(query|headers|cookies|path|pathParameters)\.\[?['"]?([\w-]+)['"]?\]?(?:\.\[?0\]?)?$/.exec(
      text,
    )
    if (part !== null) {
      const [, kind, name = ''] = part
      if (kind === 'path' || kind === 'pathParameters') return `request.params.${name}`
      return partOf(kind as 'query', name)
    }
    if (text === 'request.method' || text === 'request.path' || text === 'request.body') return text
    if (text === 'request.url') return 'request.path'
    const inBody = /^jsonPath\s+request\.body\s+(['"])(.*)\1$/.exec(text)
    if (inBody !== null) return celOfJsonPath(inBody[2] as string, 'request.body')
    if (/^randomValue\b.*type=['"]UUID['"]/.test(text)) return 'uuid()'
    const [, , format] = /^now format=(["'])(.*)\1$/.exec(text) ?? []
    if (format !== undefined) return celOfTime(format)
    return text === 'now' ? 'string(now)' : undefined
  }
}
