// Compiles weather (a chaos profile: latency, faults, limits) into operations of their own. The plan's operations stay
// unchanged.

import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import type { Path, Source } from '../kernel/source.ts'
import { compileLazily } from './compile-lazily.ts'
import type { OperationCompiler } from './compile-operation.ts'
import { type compileLayers, hasWordOn, type Layer } from './layers.ts'
import type { PlannedOperation, Weather } from './plan.ts'
import type { WeatherFile } from './weather.ts'

/** The configuration that the weather is laid over. */
export interface Ground {
  readonly compiler: OperationCompiler
  readonly layerOf: ReturnType<typeof compileLayers>
  readonly base: Layer
  readonly operations: readonly PlannedOperation[]
  readonly consumerNames: readonly string[]
}

/** @param path its path in the source; empty for weather from the control plane */
export function compileWeather(
  { compiler, layerOf, base, operations, consumerNames }: Ground,
  name: string,
  file: WeatherFile,
  source: Source,
  path: Path,
  report: Diagnostics,
): Weather {
  const compileUnder = (layers: readonly Layer[]): PlannedOperation[] =>
    operations.map(usual =>
      layers.some(layer => hasWordOn(usual.operation, layer))
        ? compiler.compile(usual.operation, usual.index, [...layers, base])
        : usual,
    )
  const scope = path.length === 0 ? `weather/${name}` : path.join('/')
  const common = layerOf(file, source, path, report, scope)
  const named = Object.entries(file.consumers ?? {}).map(([consumer, defaults]) => {
    const at = [...path, 'consumers', consumer]
    if (!consumerNames.includes(consumer)) {
      const hint = suggest(consumer, consumerNames)
      report.error('unknown-consumer', `there is no consumer "${consumer}"`, source.locate(at, 'key'), hint)
    }
    const own = { ...layerOf({ defaults }, source, at, report, `${scope}/consumers/${consumer}`), flat: true }
    return [consumer, compileLazily(() => compileUnder([own, common]))] as const
  })
  const identifyByOperation =
    named.length === 0 ? [] : operations.map(({ operation }) => compiler.identifyOf(operation))
  return {
    name,
    operations: compileLazily(() => compileUnder([common])),
    consumers: new Map(named),
    identifyByOperation,
  }
}
