// The items of a paced stream: of a file, of a template, of an example, or of the schema.

import type { Exchange, Site } from '../../behaviours/behaviour.ts'
import { exampleContent } from '../../contract/answer/body.ts'
import type { MediaType } from '../../contract/contract.ts'
import type { Scope } from '../../expression/scope.ts'
import { decodeUtf8 } from '../../kernel/http.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import type { PacedConfig } from './config.ts'

/** Returns an item of a stream by its index; every call with the same exchange and ordinal gives the same. */
type MakeItem = (exchange: Exchange, ordinal: number, index: number) => Json

export interface Items {
  readonly count: number
  readonly make: MakeItem
}

/** The number of items where nothing says one. */
const USUAL = 10

/** Returns `undefined` after reporting a mistake. */
export function compileItems(config: PacedConfig, media: MediaType, type: string, site: Site): Items | undefined {
  const { item, file, count } = config
  if (item !== undefined && file !== undefined) {
    site.error('idle-key', '"item" has no effect beside "file"', ['stream', 'item'], 'remove one of them', 'key')
    return undefined
  }
  if (file !== undefined) return fileItems(file, count, media, site)
  if (item !== undefined) return { count: count ?? USUAL, make: templateItems(item, site) }
  const { schema, sequence } = media
  const shown = exampleContent(media, type)?.value
  const played = Array.isArray(shown) ? (shown as readonly Json[]) : shown === undefined ? [] : [shown]
  if (played.length > 0)
    return { count: count ?? played.length, make: (_, __, index) => played[index % played.length] as Json }
  if (schema === undefined) return { count: count ?? USUAL, make: (_, __, index) => ({ index }) }
  const make: MakeItem = ({ world, operation }, ordinal, index) => {
    const seed = Math.floor(world.draw(operation.id, ordinal, `item ${index}`) * 2 ** 32)
    const { value } = schema.sample({ seed, dynamic: true, items: 1 })
    return sequence === undefined ? value : (([value].flat() as Json[])[0] ?? value)
  }
  if (!schema.sample({ seed: 1, dynamic: true, items: 1 }).fits) {
    site.warn('no-valid-item', 'no valid item is found for the schema of this stream', ['stream'])
  }
  return { count: count ?? USUAL, make }
}

function fileItems(file: string, count: number | undefined, media: MediaType, site: Site): Items | undefined {
  const bytes = site.readFile(file)
  const text = typeof bytes === 'string' ? undefined : decodeUtf8(bytes)
  if (text === undefined) {
    const why = typeof bytes === 'string' ? bytes : `${file} is not UTF-8`
    site.error('no-such-file', why, ['stream', 'file'])
    return undefined
  }
  const lines = text.split(/\r?\n/).filter(line => line !== '')
  if (lines.length === 0) {
    site.error('empty-file', `${file} has no lines`, ['stream', 'file'], 'write an item a line')
    return undefined
  }
  const items = lines.map((line, i) => {
    const parsed = parseJson(line, true)
    if ('fault' in parsed) return line
    // The schema of a sequence is that of the list of its items.
    const [violation] = (media.sequence && media.schema?.check([parsed.value], parsed.exact)) ?? []
    if (violation !== undefined) {
      const place = violation.pointer.replace(/^\/0/, '') || 'it'
      const message = `line ${i + 1} of ${file} breaks the contract: ${place} ${violation.message}`
      site.warn('invalid-item', message, ['stream', 'file'], 'correct the line')
    }
    return parsed.value
  })
  return { count: count ?? items.length, make: (_, __, index) => items[index % items.length] as Json }
}

function templateItems(item: Json, { expressions, error }: Site): MakeItem {
  const template = expressions.template<{ readonly index: number; readonly scope?: Scope }>(
    item,
    ['stream', 'item'],
    error,
    {
      known: ['item.index'],
      field: name => (name === 'item.index' ? ({ index }) => index : undefined),
    },
  )
  return (exchange, _, index) => template.fill({ index, scope: expressions.scope(exchange) }) as Json
}
