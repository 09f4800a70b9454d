// The keys of the responders that use records, and the schemas of keys that several responders have.

import type { Json } from '../../kernel/json.ts'
import type { Id } from '../../world/records/types.ts'
import { type ConfigOf, type SettingOf, setting } from '../behaviour.ts'
import type { Resource } from '../resource.ts'

/** The settings of a responder by the schemas of its keys. */
export type KeysOf<Keys> = { readonly [Key in keyof Keys]?: ConfigOf<Keys[Key]> }

const oneWithin = setting.block(
  'With a resource: only the records of the owner in the path, or of a list of owners. A text is the name of the path parameter.',
  {
    parameter: setting.text('The path parameter with the id of the owner.'),
    field: setting.text(
      "The field of a record with the id of its owner. Default: the field of the parameter's name; without one, `{repo}` for the parameter `repo`: kept with the record, and not shown in replies.",
    ),
    resource: setting.text('The resource of the owners; a request for an owner that does not exist gets 404.'),
    id: {
      type: ['string', 'integer'],
      description: 'The id of the owner, if the path has no parameter for it (`/me/books`).',
    } as SettingOf<Id>,
  },
  { type: ['string', 'object'], required: ['parameter'] },
)

export type WithinConfig = ConfigOf<typeof oneWithin>
type WithinSetting = string | WithinConfig | readonly (string | WithinConfig)[]
const withinSchema = { ...oneWithin, type: ['string', 'object', 'array'], items: oneWithin, minItems: 1 }

/** Whether a field is kept with a record and is not a part of it: `{repo}`. */
export const isUnshown = (field: string): boolean => field.startsWith('{')

/** The owners that a configuration names, of which there may be one or several. */
export const withinsOf = (config: WithinSetting = []): readonly WithinConfig[] =>
  [config].flat().map(owner => (typeof owner === 'string' ? { parameter: owner } : owner))

/**
 * Returns the field that holds the id of an owner: that of the setting, that of the parameter's name, or one that replies do not
 * show.
 */
export function ownerField(
  { parameter, field }: WithinConfig,
  { schema, idField }: Pick<Resource, 'schema' | 'idField'>,
): string {
  const isShown = parameter !== idField && schema.shape.properties.has(parameter)
  return field ?? (isShown ? parameter : `{${parameter}}`)
}

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
    order: setting.text('The query parameter with `asc` or `desc`.'),
    default: setting.text('The order of a request without the parameter, such as `-id`. Default: the id.'),
    unknownFields: setting.choice(
      ['ignore', 'refuse'],
      'Whether a word that names no field is left out with an `Understudy-Warning`, or refused. Default: refuse.',
    ),
  },
  { type: ['string', 'object'], minProperties: 1 },
)

const pageSchema = setting.block(
  'With `list`: the query parameter with the number of the page; beside `offset`, only where a request has it.',
  {
    parameter: setting.text('The name of the query parameter.'),
    size: setting.integer('The default size of a page: 20.', 1),
  },
  { type: ['string', 'object'], required: ['parameter'] },
)
export type PageConfig = ConfigOf<typeof pageSchema>

/** A query parameter of a list. */
const query = (what: string) => setting.text(`With \`list\`: the query parameter with ${what}.`)

const resource = (what: string) => setting.text(`The resource ${what}.`)

export const statusSchema = setting.integer(
  'A fixed reply with this status. Without a body, a status below 400 has the reply of the contract, and an error is a refusal in the form of the API; with `example`, the example is one of that status.',
  200,
  599,
)

export const headersSchema = setting.named(
  'With `status`, `example`, `file` or `list`: headers of the reply. With `status` or `example`, ${…} is an expression in CEL; with `list`, ${page.…} is filled in.',
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

const within = withinSchema as SettingOf<WithinSetting>
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
  page: pageSchema as SettingOf<string | PageConfig>,
  cursor: query('the id of the record after which the page begins'),
  sort: sortSchema as SettingOf<string | ConfigOf<typeof sortSchema>>,
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
  body,
}

export const updateKeys = {
  update: resource('in which to change a record, by JSON Merge Patch (RFC 7396)'),
  within,
  set,
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
