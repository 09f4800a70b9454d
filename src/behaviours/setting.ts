// The kinds of settings in gateway.yaml, from which the schemas of blocks are made.

import type { Schema } from '../kernel/schema/schema.ts'
import type { Json } from '../kernel/value/json.ts'

export type SettingSchema = { readonly [keyword: string]: unknown }

/** Makes the schema of a setting. */
export const setting = {
  block: (
    description: string,
    properties: Readonly<Record<string, Schema>>,
    more: SettingSchema = {},
  ): SettingSchema => ({
    type: 'object',
    description,
    ...more,
    additionalProperties: false,
    properties,
  }),
  /** A block whose keys are names. */
  named: (description: string, each: Schema, more: SettingSchema = {}): SettingSchema => ({
    type: 'object',
    description,
    ...more,
    additionalProperties: each,
  }),
  list: (items: Schema, description: string): SettingSchema => ({ type: 'array', items, description }),
  text: (description: string, more: SettingSchema = {}): SettingSchema => ({ type: 'string', ...more, description }),
  /** A text that is not empty. */
  some: (description: string): SettingSchema => ({ type: 'string', minLength: 1, description }),
  duration: (description: string): SettingSchema => ({ type: 'string', format: 'duration', description }),
  size: (description: string): SettingSchema => ({ type: 'string', format: 'size', description }),
  flag: (description: string): SettingSchema => ({ type: 'boolean', description }),
  choice: (values: readonly Json[], description: string): SettingSchema => ({ enum: values, description }),
  integer: (description: string, minimum: number, maximum?: number): SettingSchema => ({
    type: 'integer',
    minimum,
    ...(maximum === undefined ? {} : { maximum }),
    description,
  }),
}
