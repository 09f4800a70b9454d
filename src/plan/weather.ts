// Weather (a chaos profile: latency, faults, limits): layers of configuration over a running gateway, by name or set at run
// time. Their schema, and the operations under one: those of the plan stay unchanged.

import { behaviours } from '../behaviours/index.ts'
import { type Diagnostics, MOST_SHOWN, suggest } from '../kernel/diagnostic.ts'
import type { Schema } from '../kernel/schema.ts'
import type { Path, Source } from '../kernel/source.ts'
import type { OperationCompiler } from './compile-operation.ts'
import { behaviourSettings, type compileLayers, hasWordOn, type Layer } from './layers.ts'
import type { OperationsUnder, PlannedOperation, Weather } from './plan.ts'
import { rulesSchema } from './rules.ts'
import type { WeatherFile, WeatherOrder } from './simulation-file.ts'

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

/** The configuration that the weather is laid over. */
export interface Ground {
  readonly compiler: OperationCompiler
  readonly layerOf: ReturnType<typeof compileLayers>
  readonly base: Layer
  readonly operations: readonly PlannedOperation[]
  readonly consumerNames: readonly string[]
}

/**
 * Compiles a weather, an operation a step: reports its mistakes, and makes no chain before it is used, because most weather
 * is never switched on.
 *
 * @param path its path in the source; empty for weather from the control plane
 */
export function compileWeather(
  { compiler, layerOf, base, operations, consumerNames }: Ground,
  name: string,
  file: WeatherFile,
  source: Source,
  path: Path,
  report: Diagnostics,
): Weather {
  function under(layers: readonly Layer[]): OperationsUnder {
    for (const { operation, index } of operations) {
      if (!layers.some(layer => hasWordOn(operation, layer))) continue
      compiler.check(operation, index, layers, base)
    }
    return operationsUnder(compiler, operations, layers, base)
  }
  const scope = path.length === 0 ? `weather/${name}` : path.join('/')
  const common = layerOf(file, source, path, report, scope)
  const consumers = new Map<string, OperationsUnder>()
  for (const [consumer, defaults] of Object.entries(file.consumers ?? {})) {
    const at = [...path, 'consumers', consumer]
    if (!consumerNames.includes(consumer)) {
      const hint = report.count('error') < MOST_SHOWN ? suggest(consumer, consumerNames) : undefined
      report.error('unknown-consumer', `there is no consumer "${consumer}"`, source.locate(at, 'key'), hint)
    }
    const own = { ...layerOf({ defaults }, source, at, report, `${scope}/consumers/${consumer}`), flat: true }
    consumers.set(consumer, under([own, common]))
  }
  const identifyByOperation =
    consumers.size === 0 ? [] : operations.map(({ operation }) => compiler.identifyOf(operation))
  return { name, operations: under([common]), consumers, identifyByOperation }
}

/** Compiles each operation on first use. */
function operationsUnder(
  compiler: OperationCompiler,
  operations: readonly PlannedOperation[],
  layers: readonly Layer[],
  base: Layer,
): OperationsUnder {
  const made: PlannedOperation[] = []
  const changes = ({ operation }: PlannedOperation) => layers.some(layer => hasWordOn(operation, layer))
  const at = (usual: PlannedOperation): PlannedOperation => {
    const { operation, index } = usual
    made[index] ??= changes(usual) ? compiler.compile(operation, index, [...layers, base]) : usual
    return made[index]
  }
  return { at, changes, all: () => operations.map(at) }
}
