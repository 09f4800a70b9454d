// The schemas of blocks of behaviours in gateway.yaml: of rules and weather, and of orders for weather and answers.

import { setting } from '../behaviours/behaviour.ts'
import { schemaOf } from '../behaviours/respond/index.ts'
import { METHODS } from '../contract/paths.ts'
import type { Schema } from '../kernel/schema/schema.ts'
import type { House } from './house.ts'

type Properties = Readonly<Record<string, Schema>>

const nullable = (schema: Schema): Schema =>
  typeof schema === 'object' && schema.type !== undefined ? { ...schema, type: [schema.type, 'null'].flat() } : schema

const referencesTo = (names: readonly string[]): Properties =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/$defs/${name}` }]))

/** A block of behaviours and rules. */
export const behavioursBlock = (description: string, names: readonly string[], more: Properties = {}): Schema =>
  setting.block(description, { ...referencesTo(['rules', ...names]), ...more })

/** The schemas of the blocks of behaviours of a house. */
export interface BlockSchemas {
  /** By behaviour; `null` switches one off. */
  readonly behaviours: Properties
  /** The behaviours that tags and defaults may configure, too: `errors` is configured for the whole API only. */
  readonly configurable: readonly string[]
  /** The schemas that stand in many blocks: the behaviours, and rules. */
  readonly $defs: Properties
  /** The blocks of a weather. */
  readonly weather: Properties
}

export function blockSchemasOf(house: House): BlockSchemas {
  const settings: Properties = Object.fromEntries(
    house.behaviours.flatMap(({ name, schema }) => (schema === undefined ? [] : [[name, nullable(schema)]])),
  )
  const configurable = Object.keys(settings).filter(name => name !== 'errors')
  const changeable = house.behaviours.filter(({ weather }) => weather).map(({ name }) => name)
  return {
    behaviours: settings,
    configurable,
    $defs: { ...settings, rules: rulesSchema(configurable) },
    weather: Object.assign(weatherBlocks(changeable), ...house.wings.map(({ weatherKeys }) => weatherKeys)),
  }
}

/** The keys of a rule beside its behaviours. */
const ruleKeys = {
  when: {
    type: 'string',
    minLength: 1,
    description:
      'A condition in CEL about `request`, `consumer`, `ordinal`, `accepted`, `now` and so on. Default: every request.',
    examples: ['request.body.name == "Crash"', 'ordinal == 2', 'consumer == "frontend"'],
  },
  times: setting.integer('The number of requests in a world for which the rule applies. Default: unlimited.', 1),
  enter: setting.named(
    'The states of scenarios that a world enters when the rule applies: `{ order: paid }`. Conditions read them with `scenario("order")`.',
    setting.text('A text; empty at first.'),
  ),
}

const rulesSchema = (configurable: readonly string[]): Schema => ({
  type: ['array', 'null'],
  description:
    'Rules in order: the blocks of the first rule whose condition holds override the operation for that request. null switches rules off.',
  items: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: { ...ruleKeys, ...referencesTo(configurable) },
  },
})

const weatherBlocks = (changeable: readonly string[]): Properties => ({
  defaults: behavioursBlock('Behaviours of every operation.', changeable),
  tags: setting.named('Behaviours of the operations with a tag.', behavioursBlock('Overrides `defaults`.', changeable)),
  operations: setting.named('Behaviours of one operation.', behavioursBlock('Overrides `tags`.', changeable)),
  consumers: setting.named(
    'Behaviours for the requests of one consumer.',
    behavioursBlock('Overrides `defaults`, `tags` and `operations`.', changeable),
  ),
})

/** The schema of an order for weather. */
export const orderSchema = ({ weather, $defs }: BlockSchemas): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties: {
    name: setting.text('The name of a weather of the configuration; or, beside blocks, a name for them.'),
    for: setting.duration('The real time after which it ends. Default: until it is changed.'),
    ...weather,
  },
  $defs,
})

/** The behaviours that an answer on demand may configure. */
const ANSWERING = ['respond', 'latency', 'fault']

/** The schema of an order for answers on demand. */
export const answerSchema = ({ behaviours }: BlockSchemas, { responders }: House): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties: {
    operation: setting.some(
      'An operationId, or a method and a path template: `POST /books`. Default: every operation.',
    ),
    method: { enum: METHODS },
    path: setting.some('With `method`, a path as it is sent, base path included: `/v1/books/7`.'),
    tag: setting.some('Answers only the operations with this tag.'),
    consumer: setting.some('Answers only requests of this consumer.'),
    when: ruleKeys.when,
    enter: ruleKeys.enter,
    ...referencesTo(ANSWERING),
    skip: setting.integer('How many requests are answered as usual before the first that it answers. Default: 0.', 0),
    times: {
      ...setting.integer('The number of requests that it answers; null: all, until it is removed. Default: 1.', 1),
      type: ['integer', 'null'],
    },
    for: setting.duration('The real time after which it expires. Default: it does not expire.'),
  },
  $defs: {
    ...Object.fromEntries(ANSWERING.map(name => [name, behaviours[name] as Schema])),
    respond: schemaOf(
      responders.filter(({ onDemand }) => onDemand),
      'The reply instead of the usual one; the operation is not executed.',
    ),
  },
})
