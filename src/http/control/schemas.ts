// The parts of schemas in the declarations of routes.

import type { Schema } from '../../kernel/schema/schema.ts'

export const string = { type: 'string' } as const
export const flag = { type: 'boolean' } as const
export const integer = { type: 'integer' } as const
export const natural = { type: 'integer', minimum: 0 } as const
export const positive = { type: 'integer', minimum: 1 } as const
export const dateTime = { type: 'string', format: 'date-time' } as const
export const anyObject = { type: 'object' } as const
export const orNull = ({ type }: { readonly type: string }) => ({ type: [type, 'null'] })

/** A schema, that of a text unless another is given, with its description. */
export const described = (description: string, schema: object = string) => ({ ...schema, description })

/** The schema of an object with any names. */
export const mapOf = (values: Schema) => ({ type: 'object', additionalProperties: values })

/** The schema of a JSON Schema. */
export const jsonSchema = {
  type: ['object', 'boolean'],
  description: 'JSON Schema 2020-12, with all that it refers to.',
} as const

/** The schema of a JSON object with no other properties; one whose name ends in `?` is optional. */
export const object = (properties: Readonly<Record<string, Schema>>) => ({
  type: 'object',
  required: Object.keys(properties).filter(name => !name.endsWith('?')),
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
})

export const list = (items: Schema) => ({ type: 'array', items }) as const
