// Parts of the schemas in the declarations of routes.

import type { Schema } from '../../kernel/schema.ts'
import type { ReplySpec } from './route.ts'

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

export const words = { type: 'string' } as const
export const count = { type: 'integer', minimum: 0 } as const

/** The schema of a JSON object all of whose properties are listed; all are required but those in `optional`. */
export const object = (properties: Readonly<Record<string, Schema>>, ...optional: string[]): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter(name => !optional.includes(name)),
  additionalProperties: false,
  properties,
})

export const list = (items: Schema) => ({ type: 'array', items }) as const

export const replyWith = (description: string, schema: Schema): ReplySpec => ({
  description,
  content: { 'application/json': schema },
})
