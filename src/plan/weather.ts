// Weather (a chaos profile: latency, faults, limits): layers of configuration over a running gateway, by name or set at run
// time. Their schema, and the operations under one: those of the plan stay unchanged.

import { behaviours } from '../behaviours/index.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Path, Source } from '../kernel/source.ts'
import type { Ground } from './compile-operation.ts'
import { blockSchema, checkConsumer, compileLayer, isConfigured, type Layer } from './layers.ts'
import type { OperationsUnder, PlannedOperation, Weather } from './plan.ts'
import { rulesSchema } from './rules.ts'
import type { WeatherFile, WeatherOrder } from './simulation-file.ts'

const changeable = behaviours.filter(({ weather }) => weather).map(({ name }) => name)
const changes = (description: string): Schema => blockSchema(changeable, description, { rules: rulesSchema })

const blocks: Readonly<Record<string, Schema>> = {
  defaults: changes('Behaviours of every operation.'),
  tags: {
    type: 'object',
    description: 'Behaviours of the operations with a tag.',
    additionalProperties: changes('Overrides `defaults`.'),
  },
  operations: {
    type: 'object',
    description: 'Behaviours of one operation.',
    additionalProperties: changes('Overrides `tags`.'),
  },
  consumers: {
    type: 'object',
    description: 'Behaviours for the requests of one consumer.',
    additionalProperties: changes('Overrides `defaults`, `tags` and `operations`.'),
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
    properties: blocks,
  },
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
    ...blocks,
  },
}

/** Returns whether an order contains its own weather. */
export const hasBlocks = (order: WeatherOrder): boolean => Object.keys(blocks).some(key => key in order)

/**
 * Compiles a weather: reports its mistakes, and makes no chain before it is used.
 *
 * @param path its path in the source; empty for weather from the control plane
 */
export function compileWeather(
  { compiler, names, base, operations }: Ground,
  name: string,
  file: WeatherFile,
  source: Source,
  path: Path,
  report: Diagnostics,
): Weather {
  const under = (layers: readonly Layer[]): OperationsUnder => {
    const made = operations.map(({ operation, index }) =>
      layers.some(layer => isConfigured(operation, layer))
        ? compiler.compileLater(operation, index, layers, [base])
        : undefined,
    )
    const at = (usual: PlannedOperation) => made[usual.index]?.() ?? usual
    return { at, changes: ({ index }) => made[index] !== undefined, all: () => operations.map(at) }
  }
  const scope = path.length === 0 ? `weather/${name}` : path.join('/')
  const common = compileLayer(names, file, source, path, report, scope)
  const consumers = new Map<string, OperationsUnder>()
  for (const [consumer, defaults] of Object.entries(file.consumers ?? {})) {
    const at = [...path, 'consumers', consumer]
    checkConsumer(consumer, compiler.simulation.consumerNames, source.locate(at, 'key'), report)
    const layer = compileLayer(names, { defaults }, source, at, report, `${scope}/consumers/${consumer}`)
    consumers.set(consumer, under([{ ...layer, flat: true }, common]))
  }
  const identifyByOperation =
    consumers.size === 0 ? [] : operations.map(({ operation }) => compiler.constantsOf(operation).identify)
  return { name, operations: under([common]), consumers, identifyByOperation }
}
