// Weather (a chaos profile: latency, faults, limits): layers of configuration over a running gateway, by name or set at run
// time. The operations under one: those of the plan stay unchanged.

import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import { weatherBlocks } from './block-schemas.ts'
import type { Ground } from './compile-operation.ts'
import { checkConsumer, compileLayer, isConfigured, type Layer } from './layers.ts'
import type { OperationsUnder, PlannedOperation, Weather } from './plan.ts'
import type { WeatherFile, WeatherOrder } from './simulation-file.ts'

/** Returns whether an order contains its own weather. */
export const hasBlocks = (order: WeatherOrder): boolean => Object.keys(weatherBlocks).some(key => key in order)

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
