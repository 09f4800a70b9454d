// `file: ./book.pdf`: the content of a file. The door to mrmime.

import { lookup } from 'mrmime'
import { headersOf, responseFor, successStatus } from '../../contract/contract.ts'
import { essenceOf } from '../../contract/media-types.ts'
import { reportPlaceholders } from '../../expression/template.ts'
import { lowerNames } from '../../kernel/http.ts'
import { type Handler, type Site, setting } from '../behaviour.ts'
import type { Responder } from '../responder.ts'
import { headersSchema, type KeysOf } from './config.ts'
import { compileRanges } from './ranges.ts'
import { checkHeaders } from './status.ts'

const keys = {
  file: setting.text('A file below the folder of this configuration; its extension determines the media type.'),
  headers: headersSchema,
}
type FileConfig = KeysOf<typeof keys>

export const file: Responder<FileConfig> = { kind: 'file', keys, changes: false, compile: compileFile }

function compileFile({ file = '', headers = {} }: FileConfig, site: Site): Handler | undefined {
  const { operation } = site
  const bytes = site.readFile(file)
  if (typeof bytes === 'string') {
    site.error('no-such-file', bytes, ['file'])
    return undefined
  }
  reportPlaceholders({ headers }, 'headers of a file are sent as they are: write the value', site.error)
  const given = lowerNames(headers)
  const type = given['content-type'] ?? lookup(file) ?? 'application/octet-stream'
  const status = successStatus(operation, 200)
  const response = responseFor(operation, status)
  const documented = [...(response?.content.keys() ?? [])].map(essenceOf)
  const essence = essenceOf(type)
  const range = `${essence.split('/', 1)[0]}/*`
  if (documented.length > 0 && ![essence, range, '*/*'].some(one => documented.includes(one))) {
    const message = `the operation ${operation.id} does not document ${essence} for ${status}`
    site.warn('undocumented-type', message, ['file'], `documented: ${documented.join(', ')}`)
  }
  checkHeaders(response === undefined ? [] : headersOf(response), given, site)
  const answer = compileRanges(bytes, { 'content-type': type, ...given }, status)
  return async ({ request }) => answer(request)
}
