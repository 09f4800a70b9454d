// The schema of `resources`: the collections of records.

import { statesSchema } from './record-states.ts'

export const resourcesSchema = {
  type: 'object',
  description: 'Collections of records.',
  additionalProperties: {
    type: 'object',
    required: ['schema'],
    additionalProperties: false,
    properties: {
      schema: { type: 'string', description: 'The schema of the contract that every record must match.' },
      id: {
        type: 'object',
        description: 'The id of a record.',
        additionalProperties: false,
        properties: {
          field: {
            type: 'string',
            description: 'The field with the id, such as `metadata.name` for a nested one. Default: id.',
          },
          within: {
            type: 'array',
            items: { type: 'string' },
            description:
              'The fields that an id is unique within, such as `[metadata.namespace]`: the paths of the operations on one record name each by `within`. Default: none, ids are unique among all records.',
          },
          added: {
            type: 'boolean',
            description:
              'Whether the field is added to the records because the schema does not have it. Default: false.',
          },
          assign: {
            enum: ['sequence', 'uuid', 'generate', 'client'],
            description:
              'How new ids are assigned: `sequence` counts, `uuid` makes UUIDs, `generate` makes text in the form of the id’s example, format or pattern, `client` takes the id from the request and makes one if it has none. Default: the first of these that matches the schema.',
          },
          change: {
            enum: ['refuse', 'ignore'],
            description:
              'With `assign: client`: what to do with a write whose body has another id than its path: refuse it with 400, or keep the id of the path. Default: refuse.',
          },
        },
      },
      seed: {
        type: ['string', 'array', 'object'],
        items: { type: 'object' },
        required: ['generate'],
        additionalProperties: false,
        properties: {
          generate: {
            type: 'integer',
            minimum: 0,
            maximum: 100_000,
            description: 'The number of records to generate from the schema.',
          },
        },
        description:
          'The initial records: a YAML or JSON file, a list, or `{ generate: 1000 }` to generate them from the schema.',
      },
      references: {
        type: 'object',
        description:
          'Fields with the id of a record of another resource, or a list of ids. A write with an id that does not exist is refused. The value is the name of the resource, or a block.',
        additionalProperties: {
          type: ['string', 'object'],
          required: ['to'],
          additionalProperties: false,
          properties: {
            to: { type: 'string', description: 'The resource that the field refers to.' },
            onDelete: {
              enum: ['restrict', 'cascade', null],
              description:
                'The effect of deleting a record that others refer to: `restrict` refuses with 409, `cascade` deletes them too, null empties their field. Default: restrict.',
            },
          },
        },
      },
      defaults: {
        type: 'object',
        description:
          'The values of fields that a request does not set in a new record. `${now}` is the time of the request in the format of the field, `${uuid}` a new UUID.',
      },
      set: {
        type: 'object',
        description:
          'Fields that every write through the API sets, over those of the request, such as `updatedAt: "${now}"`.',
      },
      unknownFields: {
        enum: ['drop', 'keep', 'refuse'],
        description: 'What to do with fields that the schema does not have. Default: drop.',
      },
      states: statesSchema,
      maxRecords: {
        type: 'integer',
        minimum: 1,
        description:
          'The maximum number of records; above it the oldest created record is removed, seeds never. Default: 100000.',
      },
      maxBytes: {
        type: 'string',
        format: 'size',
        description:
          'The maximum size of the records in each world, in characters of JSON; above it the oldest created record is removed. Default: 256MB.',
      },
    },
  },
} as const
