// Weather (a chaos profile: latency, faults, limits): layers of configuration over a running gateway, by name or set at run
// time. This file has their schema; `compile-weather.ts` compiles them.

import { behaviours } from '../behaviours/index.ts'
import type { Schema } from '../kernel/schema.ts'
import { behaviourSettings } from './behaviour-settings.ts'
import { rulesSchema } from './rules.ts'

export type BehaviourConfigs = Readonly<Record<string, unknown>>

/** Blocks that override the configuration. Among them the most specific one wins. */
export interface WeatherFile {
  readonly defaults?: BehaviourConfigs
  readonly tags?: Readonly<Record<string, BehaviourConfigs>>
  readonly operations?: Readonly<Record<string, BehaviourConfigs>>
  readonly consumers?: Readonly<Record<string, BehaviourConfigs>>
}

const block = (description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: false,
  properties: {
    rules: rulesSchema,
    ...Object.fromEntries(
      behaviours.filter(({ weather }) => weather).map(({ name }) => [name, behaviourSettings.get(name)]),
    ),
  },
})

const properties: Readonly<Record<string, Schema>> = {
  defaults: block('Behaviours of every operation.'),
  tags: {
    type: 'object',
    description: 'Behaviours of the operations with a tag.',
    additionalProperties: block('Overrides `defaults`.'),
  },
  operations: {
    type: 'object',
    description: 'Behaviours of one operation.',
    additionalProperties: block('Overrides `tags`.'),
  },
  consumers: {
    type: 'object',
    description: 'Behaviours for the requests of one consumer.',
    additionalProperties: block('Overrides `defaults`, `tags` and `operations`.'),
  },
}

export const weatherSchema: Schema = {
  type: 'object',
  description:
    'Weather (chaos profiles) by name. The control plane switches one on (`PUT /weather`), or a request chooses one (`Understudy-Weather: NAME`).',
  propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9-]*$' },
  additionalProperties: {
    type: 'object',
    description:
      'Latency, faults, limits and capacities that override those of the configuration; null switches one off.',
    additionalProperties: false,
    minProperties: 1,
    properties,
  },
}

/** The weather that the control plane accepts: the name of a preset or a weather itself, and its duration. */
export interface WeatherOrder extends WeatherFile {
  readonly name?: string
  readonly for?: string
}

export const orderSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: {
      type: 'string',
      description: 'The name of a weather of the configuration; or, beside blocks, a name for them.',
    },
    for: {
      type: 'string',
      format: 'duration',
      description: 'The real time after which it ends. Default: until it is changed.',
    },
    ...properties,
  },
}

/** Returns whether an order contains its own weather. */
export const hasBlocks = (order: WeatherOrder): boolean => Object.keys(properties).some(key => key in order)
