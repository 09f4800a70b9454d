// Weather (a chaos profile: latency, faults, limits): layers of configuration over a running gateway, by name or set at run time.
// It compiles separate chains of the operations that it touches, by the same function with one more layer. The gateway picks a
// chain, so that no behaviour has a condition for weather.

import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/file/source.ts'
import type { Ground } from './compile-operation.ts'
import { compileLayer, isConfigured, type Layer } from './layers.ts'
import { checkConsumer } from './names.ts'
import type { OperationsUnder, PlannedOperation, Weather } from './plan.ts'
import type { WeatherFile, WeatherOrder } from './simulation-file.ts'

/** Returns whether an order contains its own weather. */
export const hasBlocks = ({ name: _, for: __, ...blocks }: WeatherOrder): boolean => Object.keys(blocks).length > 0

/** A weather as it is written. */
interface WrittenWeather {
  readonly name: string
  readonly file: WeatherFile
  readonly source: Source
  /** Its path in the source; empty for weather from the control plane. */
  readonly path: Path
}

/** Compiles a weather: reports its mistakes, and makes no chain before it is used. */
export function compileWeather(
  ground: Ground,
  { name, file, source, path }: WrittenWeather,
  report: Diagnostics,
): Weather {
  const { compiler, names, operations } = ground
  const scope = path.length === 0 ? `weather/${name}` : path.join('/')
  const common = compileLayer(names, { blocks: file, source, path, report, scope, weather: true })
  const consumers = new Map<string, OperationsUnder>()
  for (const [consumer, defaults] of Object.entries(file.consumers ?? {})) {
    const place = { source, path: [...path, 'consumers', consumer] }
    checkConsumer(consumer, compiler.simulation.consumerNames, source.locate(place.path, 'key'), report)
    const blocks = {
      blocks: { defaults },
      ...place,
      report,
      scope: `${scope}/consumers/${consumer}`,
      flat: true,
      weather: true,
    }
    consumers.set(consumer, operationsUnder(ground, [compileLayer(names, blocks), common]))
  }
  const identifyByOperation =
    consumers.size === 0 ? [] : operations.map(({ operation }) => compiler.constantsOf(operation).identify)
  return { name, file, operations: operationsUnder(ground, [common]), consumers, identifyByOperation }
}

function operationsUnder({ compiler, base, operations }: Ground, layers: readonly Layer[]): OperationsUnder {
  const changed = operations.map(({ operation, index }) =>
    layers.some(layer => isConfigured(operation, layer))
      ? compiler.compileLater(operation, index, layers, [base])
      : undefined,
  )
  const at = (usual: PlannedOperation) => changed[usual.index]?.() ?? usual
  return { at, changes: ({ index }) => changed[index] !== undefined, all: () => operations.map(at) }
}
