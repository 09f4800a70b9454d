// The keys of the responders that use records, and the schemas of keys that several responders have.

import type { Json } from '../../kernel/json.ts'
import type { Id } from '../../world/records/types.ts'
import { type ConfigOf, type SettingOf, setting } from '../behaviour.ts'

/** The settings of a responder by the schemas of its keys. */
export type KeysOf<Keys> = { readonly [Key in keyof Keys]?: ConfigOf<Keys[Key]> }

const oneWithin = setting.block(
  'With a resource: only the records of the owner in the path, or of a list of owners.',
  {
    parameter: setting.text('The path parameter with the id of the owner.'),
    field: setting.text(
      'The field of a record with the id of its owner; one in braces, `{repo}`, is not shown in replies. Default: the name of the parameter.',
    ),
    resource: setting.text('The resource of the owners; a request for an owner that does not exist gets 404.'),
    count: setting.text('With `resource`: the field of an owner that counts these records.'),
    id: {
      type: ['string', 'integer'],
      description: 'The id of the owner, if the path has no parameter for it (`/me/books`).',
    } as SettingOf<Id>,
  },
  { required: ['parameter'] },
)

export type WithinConfig = ConfigOf<typeof oneWithin>
const withinSchema = { ...oneWithin, type: ['object', 'array'], items: oneWithin, minItems: 1 }

/** Whether a field is kept with a record and is not a part of it: `{repo}`. */
export const isUnshown = (field: string): boolean => field.startsWith('{')

/** The owners that a configuration names, of which there may be one or several. */
export const withinsOf = (config: WithinConfig | readonly WithinConfig[] = []): readonly WithinConfig[] =>
  [config].flat()

const filterSchema = setting.block(
  'A query parameter with another name than its field, or another comparison than equality.',
  {
    parameter: setting.text('The name of the query parameter.'),
    field: setting.text('The field that is compared with it. Default: the field of the same name.'),
    is: setting.choice(
      ['equal', 'at-least', 'at-most', 'more-than', 'less-than', 'not', 'contains'],
      'How the field must compare. Default: equal.',
    ),
    all: setting.text('A value of the parameter that filters nothing, such as `all`.'),
  },
  { type: ['string', 'object'], required: ['parameter'] },
)
export type FilterConfig = ConfigOf<typeof filterSchema>

const sortSchema = setting.block(
  'With `list`: the query parameter with the fields to sort by: `name`, `-name`, `name:desc`.',
  {
    parameter: setting.text('The name of the query parameter.'),
    unknownFields: setting.choice(
      ['ignore', 'refuse'],
      'Whether a word that names no field is left out with an `Understudy-Warning`, or refused. Default: refuse.',
    ),
  },
  { type: ['string', 'object'], required: ['parameter'] },
)

/** A query parameter of a list. */
const query = (what: string) => setting.text(`With \`list\`: the query parameter with ${what}.`)

const resource = (what: string) => setting.text(`The resource ${what}.`)

export const headersSchema = setting.named(
  'With `status`, `file` or `list`: headers of the reply. With `status`, ${…} is an expression in CEL; with `list`, ${page.…} is filled in.',
  { type: ['string', 'number'] } as SettingOf<string | number>,
)

export const bodySchema = setting.json(
  'With `status`: the body, checked against the contract; ${…} is an expression in CEL. With `list`: the envelope of a page, with ${page.items}. With an action on one record: its envelope, with ${record.value}. An error without a body is a refusal.',
)

const expand = setting.list(
  setting.text('A query parameter.'),
  'With `list` or `read`: parameters that name records to add by `references`: `customer` of `customerId`, or its `orders`.',
)

const id = {
  type: ['string', 'integer'],
  description: 'With an action on one record: its id, if the path has no parameter for it (`/me`).',
} as SettingOf<Id>

const set = {
  type: 'object',
  description:
    'With `create`, `replace` or `update`: fields that the operation sets, over those of the request: `{ status: cancelled }`. `${now}` and `${uuid}` are filled in.',
} as SettingOf<Readonly<Record<string, Json>>>

const within = withinSchema as SettingOf<WithinConfig | readonly WithinConfig[]>
const body = bodySchema

export const listKeys = {
  list: resource('to list, ordered by id'),
  filter: setting.list(
    filterSchema as SettingOf<string | FilterConfig>,
    'With `list`: query parameters that filter by the field of the same name, compare with it (`views_gte`, `views:lt`), or do as an entry says.',
  ),
  search: query('words to search for in the texts of the records'),
  item: setting.json('With `list`: an item of the list, with ${record.value} filled in. Default: the record.'),
  limit: query('the size of the page'),
  offset: query('the number of records to skip'),
  end: query('the number of the record before which the page ends'),
  page: query('the number of the page; beside `offset`, only where a request has it'),
  size: setting.integer('With `page`: the default size of a page: 20.', 1),
  cursor: query('the id of the record after which the page begins'),
  sort: sortSchema as SettingOf<string | ConfigOf<typeof sortSchema>>,
  by: setting.text('With `list`: the default order, such as `-id`. Default: the id.'),
  order: setting.text('With `sort`: the query parameter with `asc` or `desc`.'),
  links: setting.flag(
    'With `list`: whether pages carry `Link` with rel="next", "prev", "first" and "last" (RFC 8288).',
  ),
  expand,
  within,
  headers: headersSchema,
  body,
}

export const createKeys = {
  create: resource('to add a record to; answers with it and its `Location`'),
  within,
  set,
  body,
}

export const readKeys = {
  read: resource('to read from, by the last parameter of the path'),
  expand,
  within,
  id,
  body,
}

export const replaceKeys = {
  replace: resource('in which to replace a record by the body'),
  within,
  set,
  id,
  creates: setting.flag(
    'With `replace`: whether a missing record is created under the id in the path. Default: false.',
  ),
  from: setting.text('With `replace`: the resource with the records to add, `repos` for `PUT /user/starred/{repo}`.'),
  body,
}

export const updateKeys = {
  update: resource('in which to change a record, by JSON Merge Patch (RFC 7396)'),
  within,
  set,
  add: setting.named(
    'With `update`: what the operation adds to number fields, unless `set` changes nothing: `{ likes: 1 }`.',
    { type: 'integer' } as SettingOf<number>,
  ),
  id,
  body,
}

export const deleteKeys = {
  delete: resource('from which to delete a record'),
  within,
  id,
  body,
}

/** The settings of the responders that use records. */
export interface RespondConfig
  extends KeysOf<typeof listKeys>,
    KeysOf<typeof createKeys>,
    KeysOf<typeof readKeys>,
    KeysOf<typeof replaceKeys>,
    KeysOf<typeof updateKeys>,
    KeysOf<typeof deleteKeys> {}
