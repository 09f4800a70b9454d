// The keys of `respond` that belong to records: their types and schemas.

import type { Path } from '../../kernel/file/source.ts'
import type { Json } from '../../kernel/json.ts'
import type { Comparison, Id } from '../../world/records/types.ts'
import { setting } from '../behaviour.ts'

export const ACTIONS = ['create', 'read', 'replace', 'update', 'delete'] as const
export type ActionConfig = { readonly [action in (typeof ACTIONS)[number]]?: string } & {
  readonly within?: WithinConfig | readonly WithinConfig[]
  readonly body?: Json
  readonly set?: Readonly<Record<string, Json>>
  readonly id?: Id
  readonly creates?: boolean
}

/** Keys that belong to `list`. */
export interface PagingConfig {
  readonly limit?: string
  readonly offset?: string
  readonly page?: string
  readonly cursor?: string
  readonly links?: boolean
}

export interface ListConfig extends PagingConfig {
  readonly list: string
  readonly within?: WithinConfig | readonly WithinConfig[]
  readonly filter?: readonly (string | FilterConfig)[]
  readonly search?: string
  readonly sort?: string | SortConfig
  readonly order?: string
  readonly by?: string
  readonly body?: Json
  readonly item?: Json
  readonly headers?: Readonly<Record<string, string | number>>
}

/** A filter whose parameter has another name than its field, or that does not compare for equality. */
export interface FilterConfig {
  readonly parameter: string
  readonly field?: string
  readonly is?: 'equal' | Comparison['is']
  /** A value of the parameter that filters nothing. */
  readonly all?: string
}

/** A sort parameter, and what becomes of a word in it that names no field. */
interface SortConfig {
  readonly parameter: string
  readonly unknownFields?: 'ignore' | 'refuse'
}

/** Returns the index of a query parameter in `operation.parameters`; -1 after reporting that there is none. */
export type LocateParameter = (name: string, path: Path) => number

export interface WithinConfig {
  readonly parameter: string
  readonly field?: string
  readonly resource?: string
}

const oneWithin = setting.block(
  'With a resource: only the records of the owner in the path; a list if the path has several owners.',
  {
    parameter: setting.text('The path parameter with the id of the owner.'),
    field: setting.text(
      'The field of a record with the id of its owner, such as `metadata.namespace`. A field in braces, `{repo}`, is stored with the record but not shown in replies; a record without it belongs to every owner. Default: the name of the parameter.',
    ),
    resource: setting.text('The resource of the owners; a request for an owner that does not exist gets 404.'),
  },
  { required: ['parameter'] },
)

export const withinSchema = { ...oneWithin, type: ['object', 'array'], items: oneWithin, minItems: 1 }

/** Whether a field is kept with a record and is not a part of it: `{repo}`. */
export const isUnshown = (field: string): boolean => field.startsWith('{')

/** The owners that a configuration names, of which there may be one or several. */
export const withinsOf = (config: WithinConfig | readonly WithinConfig[] | undefined): readonly WithinConfig[] =>
  config === undefined ? [] : isSeveral(config) ? config : [config]

export const isSeveral = (config: WithinConfig | readonly WithinConfig[]): config is readonly WithinConfig[] =>
  Array.isArray(config)

const sortSchema = setting.block(
  'With `list`: the query parameter with the fields to sort by: `name`, `-name`, `name:desc`.',
  {
    parameter: setting.text('The name of the query parameter.'),
    unknownFields: setting.choice(
      ['ignore', 'refuse'],
      'What to do with a word that names no field of the records: leave it out and say so in `Understudy-Warning`, or refuse the request. Default: refuse.',
    ),
  },
  { type: ['string', 'object'], required: ['parameter'] },
)

/** The keys of `respond` that go with `list`. */
export const listSchema = {
  filter: setting.list(
    setting.block(
      'A query parameter that has another name than its field, or that does not compare for equality.',
      {
        parameter: setting.text('The name of the query parameter.'),
        field: setting.text('The field that is compared with it. Default: the field of the same name.'),
        is: setting.choice(
          ['equal', 'at-least', 'at-most', 'more-than', 'less-than', 'not', 'contains'],
          'How the field must compare with the parameter. Default: equal.',
        ),
        all: setting.text('A value of the parameter that filters nothing, such as `all`.'),
      },
      { type: ['string', 'object'], required: ['parameter'] },
    ),
    'With `list`: query parameters that filter by the field of the same name, or as an entry says.',
  ),
  search: setting.text('With `list`: the query parameter with words to search for in the texts of the records.'),
  item: {
    description: 'With `list`: an item of the list, with ${record.value} filled in. Default: the record.',
  },
  limit: setting.text('With `list`: the query parameter with the size of the page.'),
  offset: setting.text('With `list`: the query parameter with the number of records to skip.'),
  page: setting.text('With `list`: the query parameter with the number of the page.'),
  cursor: setting.text('With `list`: the query parameter with the id of the record after which the page begins.'),
  sort: sortSchema,
  by: setting.text('With `list`: the default order, such as `-id`. Default: the id.'),
  order: setting.text('With `sort`: the query parameter with `asc` or `desc`.'),
  links: setting.flag(
    'With `list`: whether pages carry `Link` with rel="next", "prev", "first" and "last" (RFC 8288).',
  ),
} as const
