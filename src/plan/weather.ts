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
  defaults: block('For every operation.'),
  tags: {
    type: 'object',
    description: 'For the operations with a tag.',
    additionalProperties: block('Wins over `defaults`.'),
  },
  operations: { type: 'object', description: 'For one operation.', additionalProperties: block('Wins over `tags`.') },
  consumers: {
    type: 'object',
    description: 'For the requests of one consumer.',
    additionalProperties: block('Wins over all of these.'),
  },
}

export const weatherSchema: Schema = {
  type: 'object',
  description:
    'Weather by name: what comes over the configuration when the control plane says so (`PUT /weather`), or over one request (`Understudy-Weather: NAME`).',
  propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9-]*$' },
  additionalProperties: {
    type: 'object',
    description: 'Latency, faults, limits and capacities, instead of those of the configuration; null clears one.',
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
    name: { type: 'string', description: 'One of the configuration, or, with blocks, what to call these.' },
    for: {
      type: 'string',
      format: 'duration',
      description: 'Until so much real time has passed. Default: until told.',
    },
    ...properties,
  },
}

/** Returns whether an order contains its own weather. */
export const hasBlocks = (order: WeatherOrder): boolean => Object.keys(properties).some(key => key in order)
