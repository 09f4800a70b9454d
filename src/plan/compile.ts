// Compiles a contract and a simulation into a plan: every operation becomes one closure. Runs at load, never per request.

import type { Contract } from '../contract/contract.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import { compileAnswer } from './answers.ts'
import { NO_OPERATION, OperationCompiler, UNMATCHED } from './compile-operation.ts'
import { compileConsumers } from './consumers.ts'
import { compileLayers, type Layer } from './layers.ts'
import type { Plan, PlannedOperation, Weather } from './plan.ts'
import { layRoutes } from './routes.ts'
import { checkPaths, type Simulation } from './settings.ts'
import { compileWeather } from './weather.ts'

/** Compiles a plan, an operation a step. */
export function compilePlan(simulation: Simulation, contract: Contract, report: Diagnostics): Plan {
  const { file, source, resources, consumerNames } = simulation
  const consumers = compileConsumers(file.consumers ?? {}, contract, source, report)
  const layerOf = compileLayers(contract)
  const base = layerOf(file, source, [], report, '')
  const compiler = new OperationCompiler(simulation, contract, consumers, readersOf(contract, base))
  const routes = layRoutes(contract, report)
  const operations: PlannedOperation[] = []
  for (const [index, operation] of routes.operations.entries()) {
    operations.push(compiler.compile(operation, index, [base]))
  }
  const planned = new Map(operations.map(one => [one.operation, one] as const))
  const ground = { compiler, layerOf, base, operations, consumerNames }
  const weathers = new Map<string, Weather>()
  for (const [name, weather] of Object.entries(file.weather ?? {})) {
    weathers.set(name, compileWeather(ground, name, weather, source, ['weather', name], report))
  }
  if (simulation.listen.clientControls) checkPaths(contract, report)
  const find = routes.finder((operation, basePath) => ({ planned: planned.get(operation)!, basePath }))
  const answered = { compiler, operations, consumerNames, find, near: routes.near, maxBody: simulation.limits.body }
  return {
    simulation,
    contract,
    operations,
    unmatched: compiler.compile(NO_OPERATION, UNMATCHED, [base]),
    find,
    methodsOf: routes.methodsOf,
    near: routes.near,
    weather: weathers,
    compileWeather: (name, weather, from, into) => compileWeather(ground, name, weather, from, [], into),
    compileAnswer: (order, from, into) => compileAnswer(answered, order, from, into),
    collections: new Map(
      [...resources].map(([name, resource]) => {
        const { idField, within, assign, maxRecords, maxBytes, newId, states } = resource
        const indexed = [...(compiler.indexes.get(name) ?? [])]
        return [
          name,
          {
            options: {
              name,
              idField,
              within,
              assign,
              maxRecords,
              maxBytes,
              indexed,
              seed: simulation.seed,
              newId,
              states,
            },
            resource,
          },
        ]
      }),
    ),
  }
}

/** The settings of `respond` that make an operation read a record. */
type RecordReading = { readonly read?: string; readonly id?: unknown }

/** Returns the path templates of the operations that answer with one record of a resource. */
function readersOf(contract: Contract, { keys, blocks }: Layer): Map<string, readonly string[]> {
  const readers = new Map<string, readonly string[]>()
  for (const operation of contract.operations) {
    const key = keys.get(operation)
    const respond =
      key === undefined ? undefined : (blocks.operations?.[key]?.respond as RecordReading | null | undefined)
    // An operation that always reads the same record does not address the others.
    if (respond?.read === undefined || respond.id !== undefined) continue
    readers.set(respond.read, [...(readers.get(respond.read) ?? []), operation.path])
  }
  return readers
}
