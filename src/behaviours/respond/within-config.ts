// Reads `within`, the setting for nested collections.

export interface WithinConfig {
  readonly parameter: string
  readonly field?: string
  readonly resource?: string
}

const oneWithin = {
  type: 'object',
  required: ['parameter'],
  additionalProperties: false,
  properties: {
    parameter: { type: 'string', description: 'The path parameter with the id of the owner.' },
    field: {
      type: 'string',
      description:
        'The field of a record with the id of its owner, such as `metadata.namespace`. A field in braces, `{repo}`, is stored with the record but not shown in replies; a record without it belongs to every owner. Default: the name of the parameter.',
    },
    resource: {
      type: 'string',
      description: 'The resource of the owners; a request for an owner that does not exist gets 404.',
    },
  },
} as const

export const withinSchema = {
  ...oneWithin,
  type: ['object', 'array'],
  description: 'With a resource: only the records of the owner in the path; a list if the path has several owners.',
  items: oneWithin,
  minItems: 1,
} as const

/** Whether a field is kept with a record and is not a part of it: `{repo}`. */
export const isUnshown = (field: string): boolean => field.startsWith('{')

/** The owners that a configuration names, of which there may be one or several. */
export const withinsOf = (config: WithinConfig | readonly WithinConfig[] | undefined): readonly WithinConfig[] =>
  config === undefined ? [] : isList(config) ? config : [config]

export const isList = (config: WithinConfig | readonly WithinConfig[]): config is readonly WithinConfig[] =>
  Array.isArray(config)
