// Parts of the declarations of routes: schemas, parameters and replies.

import type { Schema } from '../../kernel/schema/schema.ts'
import type { CallParameter, ReplySpec } from './route.ts'

export const problemSchema = {
  type: 'object',
  description: 'RFC 9457.',
  required: ['title', 'status', 'detail', 'code'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer', description: 'The status of the response.' },
    detail: { type: 'string', description: 'A sentence that describes the mistake.' },
    code: { type: 'string', description: 'A stable code in snake_case, for programs.' },
  },
} as const

export const string = { type: 'string' } as const
export const natural = { type: 'integer', minimum: 0 } as const
export const dateTime = { type: 'string', format: 'date-time' } as const

/** The schema of a JSON object with no other properties; one whose name ends in `?` is optional. */
export const object = (properties: Readonly<Record<string, Schema>>) => ({
  type: 'object',
  required: Object.keys(properties).filter(name => !name.endsWith('?')),
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
})

export const list = (items: Schema) => ({ type: 'array', items }) as const

/** @param texts media types that the client may prefer */
export const replyWith = (description: string, schema: Schema, ...texts: string[]): ReplySpec => ({
  description,
  content: { 'application/json': schema, ...Object.fromEntries(texts.map(type => [type, string])) },
})

/** A parameter that is a text. */
export const stringParameter = (description: string, more: object = {}): CallParameter => ({
  schema: { ...string, ...more },
  description,
})
/** A parameter that is an integer. */
export const integerParameter = (description: string, minimum: number, maximum?: number): CallParameter => ({
  schema: { type: 'integer', minimum, ...(maximum !== undefined && { maximum }) },
  description,
})
/** A parameter that is true or false. */
export const flagParameter = (description: string): CallParameter => ({ schema: { type: 'boolean' }, description })

/** The declaration of a problem that has further members. */
export const problemWith = (description: string, more: Readonly<Record<string, Schema>>): ReplySpec => ({
  description,
  content: {
    'application/problem+json': {
      ...problemSchema,
      required: [...problemSchema.required, ...Object.keys(more)],
      properties: { ...problemSchema.properties, ...more },
    },
  },
})
