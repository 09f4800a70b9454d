// Resources whose records are those of the real API until a world changes them: `base: upstream`, checked and compiled.

import { setting } from '../../behaviours/behaviour.ts'
import type { RecordSource, Resource } from '../../behaviours/resource.ts'
import { pathOfPlaceholder, recordPath } from '../../behaviours/respond/shape.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import type { Headers } from '../../kernel/http.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { RecordSourceKeys, SourcedResource } from '../../plan/house.ts'
import type { Entry } from '../../world/records/types.ts'
import { withId } from '../../world/records/values.ts'
import { type FreshReplies, freshReplies } from './fresh-replies.ts'
import { changeIn, MARKS } from './overlaid-records.ts'
import type { UpstreamFile } from './settings.ts'

/** A reply of the real API that was read whole. */
export interface UpstreamText {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A list of the real API: its path, the keys of its items and of the record in each, and the fields that it filters by. */
interface UpstreamList {
  readonly path: string
  readonly items: readonly string[]
  readonly item: readonly string[]
  readonly filters: readonly string[]
}

/** How the records of the real API are read. */
export class UpstreamRecords implements RecordSource {
  readonly name = 'upstream'
  readonly owner = 'the real API'
  readonly marks = MARKS
  readonly first: number | undefined
  /** The replies that are used again, by all worlds; `undefined` if none is. */
  readonly kept: FreshReplies<UpstreamText> | undefined
  /** The keys of the record in the reply of the operation that reads one. */
  readonly record: readonly string[]
  /** A list of all records, if there is one. */
  readonly list: UpstreamList | undefined

  constructor({ name, schema, idField, operations }: SourcedResource, fresh: string) {
    const reader = operations.find(({ respond }) => respond.read === name && respond.id === undefined)
    const list = operations.find(({ respond, operation }) => respond.list === name && !operation.path.includes('{'))
    this.kept = freshReplies(parseDuration(fresh) ?? 0)
    this.record = recordPath(reader?.respond.body)
    this.list = list && {
      path: list.operation.path,
      items: pathOfPlaceholder(list.respond.body, 'page.items'),
      item: recordPath(list.respond.item),
      filters: (list.respond.filter ?? []).filter(one => typeof one === 'string'),
    }
    this.first = FIRST.find(first => fitsId(schema, idField, first))
  }

  changed(stored: Entry): Entry | undefined {
    return changeIn(stored).entry
  }
}

/** Returns how the records of a resource are read from the real API; `undefined` if they are the world's only. */
export const upstreamRecordsOf = ({ source }: Resource): UpstreamRecords | undefined =>
  source instanceof UpstreamRecords ? source : undefined

/** The keys of a resource. */
interface BaseFile {
  readonly base?: 'upstream'
  readonly fresh?: string
}

export const upstreamRecords: RecordSourceKeys = {
  keys: {
    base: setting.choice(
      ['upstream'],
      'Where its records come from: `upstream` reads those of the real API until a world changes them, and keeps the changes in the world. Default: its seeds.',
    ),
    fresh: setting.duration(
      'With `base`: the time for which a reply of the real API is used again; `0s` asks every time. Default: 10s.',
    ),
  },
  compile(site) {
    const { name, block, settings, operations, at, report } = site
    const { base, fresh = '10s' } = block as BaseFile
    const wrong = (when: boolean, code: string, message: string, path: string, hint: string) =>
      when && report.error(code, message, at(path.split('.'), 'key'), hint)
    if (base === undefined) {
      const isIdle = (block as BaseFile).fresh !== undefined
      wrong(isIdle, 'idle-key', '"fresh" has no effect without "base"', 'fresh', 'add base: upstream')
      return undefined
    }
    const { upstream } = settings as { readonly upstream?: UpstreamFile }
    const isUnread = upstream?.methods?.includes('GET') === false || !upstream
    const hint = 'add upstream: { url: https://… } with GET among its methods'
    wrong(isUnread, 'no-upstream', 'no real API may be read', 'base', hint)
    wrong(!!block.seed, 'conflicting-base', '"base" and "seed" exclude each other', 'seed', 'remove one of them')
    const unique = 'the records of the real API need ids that are unique among all of them'
    wrong(!!block.id?.within, 'conflicting-base', unique, 'id.within', 'remove "within", or "base"')
    const isRead = operations.some(({ respond }) => respond.read === name && respond.id === undefined)
    const readable = `respond: { read: ${name} } for the GET of one record`
    wrong(!isRead, 'no-reader', `no operation reads one record of ${name}`, 'base', readable)
    return new UpstreamRecords(site, fresh)
  },
}

/** The numbers that new ids may be counted from: the real API goes on counting meanwhile, and must not meet them. */
const FIRST = [1_000_000_001, 1_000_001, 10_001]

const fitsId = (schema: SchemaUse, idField: string, id: number): boolean =>
  !schema.check(withId(idField, id, {}), true)?.some(one => one.pointer === `/${idField}`)
