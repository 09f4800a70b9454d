// Checks gateway.yaml, and orders of the control plane, against their schemas.

import type { Diagnostics } from '../kernel/diagnostic.ts'
import { type Check, type Schema, Schemas } from '../kernel/schema.ts'
import { narrow, shareRepeated } from '../kernel/schema-parts.ts'
import type { Source } from '../kernel/source.ts'
import { answerSchema } from './answers.ts'
import { FORMATS } from './formats.ts'
import { checkShape, type ShapeCheck } from './shape.ts'
import { roundSettings } from './short-forms.ts'
import type { AnswerOrder, SimulationFile, WeatherOrder } from './simulation-file.ts'
import { simulationSchema } from './simulation-schema.ts'
import { orderSchema } from './weather.ts'

const tests = Object.fromEntries(Object.entries(FORMATS).map(([name, { test }]) => [name, test]))

/**
 * Compiles only the part of the schema that the files so far use, which takes a fifth of the time and does not hold up requests.
 * Cached for the next file, which often uses the same part or less.
 */
function checksOf(schema: Schema): (value: unknown) => Check {
  const all = namesIn(schema)
  let last: { readonly names: ReadonlySet<string>; readonly check: Check } | undefined
  return value => {
    const used = namesIn(value, all)
    if (last === undefined || [...used].some(name => !last?.names.has(name))) {
      const names = new Set([...(last?.names ?? []), ...used])
      last = { names, check: new Schemas({}, tests).compile(shareRepeated(narrow(schema, names))) }
    }
    return last.check
  }
}

/** Collects the names of all members at any depth; with `known`, only names among those. */
function namesIn(value: unknown, known?: ReadonlySet<string>, names = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return names
  if (Array.isArray(value)) for (const item of value) namesIn(item, known, names)
  else {
    for (const name of Object.keys(value)) {
      if (known === undefined || known.has(name)) names.add(name)
      namesIn((value as Record<string, unknown>)[name], known, names)
    }
  }
  return names
}

/** Returns a function that checks the shape of a source: it compiles the schema, and reports the mistakes in the next step. */
function checkerOf<Valid>(shape: ShapeCheck) {
  const checkFor = checksOf(shape.schema)
  return (source: Source, report: Diagnostics): Valid | undefined => {
    const check = checkFor(source.value)
    return checkShape(source, check, shape, report) as Valid | undefined
  }
}

/**
 * Checks the shape of a gateway file and reports its mistakes.
 *
 * @returns the valid parts; `undefined` if there are none
 */
export const checkSimulation = checkerOf<SimulationFile>({
  schema: simulationSchema,
  formats: FORMATS,
  stranger: {
    message: 'this is neither a gateway file nor an OpenAPI document',
    hint: 'begin a gateway file with contract: ./openapi.yaml',
  },
})

/** As `checkerOf`, for an order of the control plane. Its settings are rounded first, as those of a file are. */
function orderCheckerOf<Valid>(schema: Schema) {
  const check = checkerOf<Valid>({ schema, formats: FORMATS })
  return (source: Source, report: Diagnostics): Valid | undefined => {
    roundSettings(source.value)
    return check(source, report)
  }
}

/** Checks the shape of weather from the control plane, like `checkSimulation` for a file. */
export const checkOrder = orderCheckerOf<WeatherOrder>(orderSchema)

/** Checks the shape of an order for an answer. */
export const checkAnswer = orderCheckerOf<AnswerOrder>(answerSchema)
