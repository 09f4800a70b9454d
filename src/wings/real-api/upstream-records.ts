// Resources whose records are those of the real API until a world changes them: `base: upstream`, checked and compiled.

import type { Base } from '../../behaviours/resource.ts'
import type { RespondConfig } from '../../behaviours/respond/config.ts'
import { pathOfPlaceholder, recordPath } from '../../behaviours/respond/shape.ts'
import type { Operation } from '../../contract/contract.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { LocateWithin } from '../../plan/record-states.ts'
import type { ResourceFile, UpstreamFile } from '../../plan/simulation-file.ts'
import { freshReplies } from '../../world/fresh-replies.ts'
import { withId } from '../../world/records/values.ts'

interface BaseSite {
  readonly name: string
  readonly block: ResourceFile
  readonly at: LocateWithin
  readonly report: Diagnostics
  /** The real API, as it is configured. */
  readonly upstream: UpstreamFile | undefined
}

/** @param own the operations on the resource */
export function compileBase(
  { name, block, at, report, upstream }: BaseSite,
  schema: SchemaUse,
  idField: string,
  own: readonly { readonly operation: Operation; readonly respond: RespondConfig }[],
): Base | undefined {
  const { base, fresh = '10s' } = block
  const wrong = (when: boolean, code: string, message: string, path: string, hint: string) =>
    when && report.error(code, message, at(path.split('.'), 'key'), hint)
  if (base === undefined) {
    wrong(block.fresh !== undefined, 'idle-key', '"fresh" has no effect without "base"', 'fresh', 'add base: upstream')
    return undefined
  }
  const reader = own.find(({ respond }) => respond.read === name && respond.id === undefined)
  const list = own.find(({ respond, operation }) => respond.list === name && !operation.path.includes('{'))
  const isUnread = upstream?.methods?.includes('GET') === false || !upstream
  const hint = 'add upstream: { url: https://… } with GET among its methods'
  wrong(isUnread, 'no-upstream', 'no real API may be read', 'base', hint)
  wrong(!!block.seed, 'conflicting-base', '"base" and "seed" exclude each other', 'seed', 'remove one of them')
  const unique = 'the records of the real API need ids that are unique among all of them'
  wrong(!!block.id?.within, 'conflicting-base', unique, 'id.within', 'remove "within", or "base"')
  const readable = `respond: { read: ${name} } for the GET of one record`
  wrong(!reader, 'no-reader', `no operation reads one record of ${name}`, 'base', readable)
  return {
    kept: freshReplies(parseDuration(fresh) ?? 0),
    record: recordPath(reader?.respond.body),
    list: list && {
      path: list.operation.path,
      items: pathOfPlaceholder(list.respond.body, 'page.items'),
      item: recordPath(list.respond.item),
      filters: (list.respond.filter ?? []).filter(one => typeof one === 'string'),
    },
    first: FIRST.find(first => fitsId(schema, idField, first)),
  }
}

/** The numbers that new ids may be counted from: the real API goes on counting meanwhile, and must not meet them. */
const FIRST = [1_000_000_001, 1_000_001, 10_001]

const fitsId = (schema: SchemaUse, idField: string, id: number): boolean =>
  !schema.check(withId(idField, id, {}), true)?.some(one => one.pointer === `/${idField}`)
