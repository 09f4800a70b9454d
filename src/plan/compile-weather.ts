// Compiles weather (a chaos profile: latency, faults, limits) into separate operations. The plan's operations stay
// unchanged.

import { type Diagnostics, MOST_SHOWN, suggest } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/source.ts'
import type { OperationCompiler } from './compile-operation.ts'
import { type compileLayers, hasWordOn, type Layer } from './layers.ts'
import type { OperationsUnder, PlannedOperation, Weather } from './plan.ts'
import type { WeatherFile } from './weather.ts'

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
