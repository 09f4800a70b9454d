// Answers with the content of a file. The file's name determines the media type. The door to mrmime.

import { lookup } from 'mrmime'
import { essenceOf, responseFor, successStatus } from '../../contract/contract.ts'
import type { Handler, Site } from '../behaviour.ts'

export interface FileConfig {
  readonly file: string
  readonly headers?: Readonly<Record<string, string | number>>
}

export function compileFile({ file, headers = {} }: FileConfig, site: Site): Handler | undefined {
  const { operation } = site
  const bytes = site.readFile(file)
  if (typeof bytes === 'string') {
    site.error('no-such-file', bytes, ['file'])
    return undefined
  }
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  const type = given['content-type'] ?? lookup(file) ?? 'application/octet-stream'
  const status = successStatus(operation, 200)
  const documented = [...(responseFor(operation, status)?.content.keys() ?? [])].map(essenceOf)
  const essence = essenceOf(type)
  const range = `${essence.split('/', 1)[0]}/*`
  if (documented.length > 0 && ![essence, range, '*/*'].some(one => documented.includes(one))) {
    const message = `the operation ${operation.id} does not document ${essence} for ${status}`
    site.warn('undocumented-type', message, ['file'], `documented: ${documented.join(', ')}`)
  }
  const reply = { status, headers: { 'content-type': type, ...given }, body: bytes, bytes: bytes.length }
  return async () => reply
}
