// Compiles a contract and a simulation into a plan: every operation becomes one closure. Runs at load, never per request.

import type { Contract } from '../contract/contract.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import { compileAnswerOrder } from './answers.ts'
import { type Ground, NO_OPERATION, OperationCompiler, UNMATCHED } from './compile-operation.ts'
import { compileConsumers } from './consumers.ts'
import { withOperations } from './house.ts'
import { compileLayer, type Layer } from './layers.ts'
import { ContractNames } from './names.ts'
import type { Plan, Weather } from './plan.ts'
import { layRoutes } from './routes.ts'
import { checkPaths, type Simulation } from './settings.ts'
import { compileWeather } from './weather.ts'

export function compilePlan(simulation: Simulation, read: Contract, report: Diagnostics): Plan {
  const { file, source, house, blocks } = simulation
  const contract = withOperations(read, house, blocks)
  const consumers = compileConsumers(file.consumers ?? {}, contract, source, report)
  const names = new ContractNames(contract)
  const base = compileLayer(names, { blocks: file, source, path: [], report, scope: '' })
  const compiler = new OperationCompiler(simulation, contract, consumers, readersOf(contract, base))
  const routes = layRoutes(contract, report)
  const operations = routes.operations.map((operation, index) => compiler.compile(operation, index, [base]))
  const byOperation = new Map(operations.map(planned => [planned.operation, planned] as const))
  const find = routes.finder((operation, basePath) => ({ planned: byOperation.get(operation)!, basePath }))
  const ground: Ground = { compiler, names, base, operations, find, near: routes.near }
  const weather = new Map<string, Weather>()
  for (const [name, blocks] of Object.entries(file.weather ?? {})) {
    weather.set(name, compileWeather(ground, { name, file: blocks, source, path: ['weather', name] }, report))
  }
  if (simulation.listen.clientControls) checkPaths(contract, report)
  return {
    simulation,
    contract,
    settings: block => simulation.blocks.of(block),
    operations,
    unmatched: compiler.compile(NO_OPERATION, UNMATCHED, [base]),
    find,
    methodsOf: routes.methodsOf,
    near: routes.near,
    weather,
    compileWeather: (name, written, from, into) =>
      compileWeather(ground, { name, file: written, source: from, path: [] }, into),
    compileAnswer: (order, from, into) => compileAnswerOrder({ ground, order, source: from, report: into }),
    collections: collectionsOf(simulation, compiler.indexes),
  }
}

const collectionsOf = (
  { resources, seed }: Simulation,
  indexes: ReadonlyMap<string, ReadonlySet<string>>,
): Plan['collections'] =>
  new Map(
    [...resources].map(([name, resource]) => {
      const { idField, within, assign, maxRecords, maxBytes, newId, states, source } = resource
      const indexed = [...(indexes.get(name) ?? [])]
      const options = {
        name,
        idField,
        within,
        assign,
        maxRecords,
        maxBytes,
        indexed,
        seed,
        newId,
        states,
        first: source?.first,
      }
      return [name, { options, resource }]
    }),
  )

/** The settings of `respond` that make an operation read a record. */
type RecordReading = { readonly read?: string; readonly id?: unknown }

/** Returns the path templates of the operations that answer with one record of a resource. */
function readersOf(contract: Contract, { keys, blocks }: Layer): Map<string, readonly string[]> {
  const readers = new Map<string, readonly string[]>()
  for (const operation of contract.operations) {
    const respond = blocks.operations?.[keys.get(operation) ?? '']?.respond as RecordReading | null | undefined
    // An operation that always reads the same record does not address the others.
    if (respond?.read === undefined || respond.id !== undefined) continue
    readers.set(respond.read, [...(readers.get(respond.read) ?? []), operation.path])
  }
  return readers
}
