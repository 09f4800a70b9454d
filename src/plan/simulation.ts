// Checks gateway.yaml, and orders of the control plane, against their schemas.

import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/file/source.ts'
import { narrow, shareRepeated } from '../kernel/schema/parts.ts'
import { type Check, type Schema, Schemas } from '../kernel/schema/schema.ts'
import { answerSchema, orderSchema } from './block-schemas.ts'
import { FORMATS } from './formats.ts'
import { checkShape, type ShapeCheck } from './shape.ts'
import { roundSettings } from './short-forms.ts'
import type { AnswerOrder, SimulationFile, WeatherOrder } from './simulation-file.ts'
import { simulationSchema } from './simulation-schema.ts'

const tests = Object.fromEntries(Object.entries(FORMATS).map(([name, { test }]) => [name, test]))

/**
 * Returns a function that checks the shape of a source, and returns its valid parts; `undefined` if there are none. It compiles
 * only the part of the schema that the sources so far use, which takes a fifth of the time.
 */
function checkerOf<Valid>(schema: Schema, stranger?: ShapeCheck['stranger']) {
  const all = namesIn(schema)
  let names: ReadonlySet<string> = new Set()
  let check: Check | undefined
  return (source: Source, report: Diagnostics): Valid | undefined => {
    const used = namesIn(source.value, all)
    if (check === undefined || [...used].some(name => !names.has(name))) {
      names = new Set([...names, ...used])
      check = new Schemas({}, tests).compile(shareRepeated(narrow(schema, names)), true)
    }
    return checkShape(source, check, { schema, stranger }, report) as Valid | undefined
  }
}

/** Collects the names of all members at any depth; with `known`, only names among those. */
function namesIn(value: unknown, known?: ReadonlySet<string>, names = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return names
  for (const [name, item] of Object.entries(value)) {
    if (!Array.isArray(value) && (known === undefined || known.has(name))) names.add(name)
    namesIn(item, known, names)
  }
  return names
}

/** As `checkerOf`, for an order of the control plane. Its settings are rounded first, as those of a file are. */
function orderCheckerOf<Valid>(schema: Schema) {
  const check = checkerOf<Valid>(schema)
  return (source: Source, report: Diagnostics): Valid | undefined => {
    roundSettings(source.value)
    return check(source, report)
  }
}

/** Checks a gateway file. */
export const checkSimulation = checkerOf<SimulationFile>(simulationSchema, {
  message: 'this is neither a gateway file nor an OpenAPI document',
  hint: 'begin a gateway file with contract: ./openapi.yaml',
})

/** Checks weather from the control plane. */
export const checkOrder = orderCheckerOf<WeatherOrder>(orderSchema)

/** Checks an order for an answer. */
export const checkAnswer = orderCheckerOf<AnswerOrder>(answerSchema)
