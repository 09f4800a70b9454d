// The plan that is being served, and its reload.

import { describeContract } from '../../gateway/reference.ts'
import { type Diagnostics, formatReport, shownOf } from '../../kernel/diagnostic.ts'
import { stringifyJson } from '../../kernel/json.ts'
import { parseSource } from '../../kernel/read-source.ts'
import type { Source } from '../../kernel/source.ts'
import type { Loaded } from '../../load/load.ts'
import { describeDay, describeDayWhole } from '../../plan/calendar.ts'
import { describePlan, describeWhole } from '../../plan/describe.ts'
import { parseMoment } from '../../world/world-clock.ts'
import { count, json, list, object, problem, problemWith, text, words } from './replies.ts'
import { type BodySpec, type Call, type Control, type ControlReply, type ControlRoute, under } from './route.ts'

export const phaseSchema = { enum: ['active', 'deprecated', 'browning out', 'gone', 'past its sunset'] } as const

const operationSchema = object(
  {
    ...{ operation: words, method: words, path: words },
    responds: { type: 'string', description: 'What it answers with.' },
    chain: { ...list(words), description: 'Its behaviours, outermost first.' },
    deprecated: { type: 'boolean' },
    stability: words,
    since: { type: 'string', description: 'Deprecated since this date.' },
    sunset: { type: 'string', description: 'Gone on this date.' },
    brownouts: { type: 'string', description: 'Rests now and then from this date on.' },
  },
  ...['stability', 'since', 'sunset', 'brownouts'],
)

const daySchema = object(
  {
    ...{ operation: words, method: words, path: words },
    phase: phaseSchema,
    refused: { type: 'integer', description: 'The status it is refused with at this moment.' },
    until: { type: 'string', description: 'Until when it rests.' },
    next: { ...object({ what: words, at: words }), description: 'The next event and its time.' },
  },
  ...['refused', 'until', 'next'],
)

const planSchema = object({
  ...{ title: words, version: words, basePaths: list(words), seed: { type: 'integer' } },
  consumers: { ...list(words), description: 'Names, never keys.' },
  weather: {
    type: ['string', 'null'],
    description: 'What has come over the configuration; the operations are shown in it.',
  },
  resources: list(object({ name: words, schema: words, seeds: count })),
  operations: list(operationSchema),
})

const diagnosticSchema = object(
  {
    severity: { enum: ['error', 'warning'] },
    code: { type: 'string', description: 'Stable, kebab-case.' },
    message: words,
    file: words,
    line: { type: 'integer', minimum: 1 },
    column: { type: 'integer', minimum: 1 },
    length: { type: 'integer', minimum: 0, description: 'In characters, from the column on.' },
    hint: words,
  },
  'hint',
)

/** The declaration of `refuseConfiguration`. */
export const invalidOrder = (description: string) => ({
  422: problemWith(description, { diagnostics: list(diagnosticSchema) }),
})

/** Refuses a configuration or a part of one, with every mistake and its place. */
export const refuseConfiguration = (report: Diagnostics, code = 'invalid_configuration'): ControlReply =>
  problem(422, code, formatReport(report), { diagnostics: describeReport(report) })

/** The body of a call that orders a part of a configuration, in JSON or YAML. */
export const orderSpec = (description: string, maxBytes: number): BodySpec => ({
  ...{ description, schema: { type: 'object' }, texts: ['application/yaml'], maxBytes },
})

/** Parses an order. Mistakes go to `report`, and the result is `undefined`. @param name the order's name in messages */
export const parseOrder = (name: string, { body, text }: Call, report: Diagnostics): Source | undefined =>
  parseSource(name, text ?? stringifyJson(body), report)

/** The diagnostics of a report as data: the first hundred errors, and all warnings. */
const describeReport = (report: Diagnostics): object[] =>
  shownOf(report.list).map(({ severity, code, message, place: { file, line, column, length }, hint }) => ({
    ...{ severity, code, message, file, line, column, length },
    ...(hint === undefined ? {} : { hint }),
  }))

export const adoptedSchema = object({
  reloaded: { type: 'boolean', description: 'false if it was a dry run.' },
  operations: count,
  warnings: count,
  diagnostics: { ...list(diagnosticSchema), description: 'The warnings, with their places.' },
})

/** Describes the configuration that was loaded, or refuses it. */
export const describeAdopted = ({ plan, report }: Loaded, reloaded = true): ControlReply =>
  plan === undefined
    ? refuseConfiguration(report)
    : json({
        ...{ reloaded, operations: plan.operations.length, warnings: report.size },
        diagnostics: describeReport(report),
      })

export const noFile = (): ControlReply => problem(409, 'conflict', 'this gateway was not started from a file')

export const planRoutes = ({ gateway, reloader, about }: Control): ControlRoute[] =>
  under('always', [
    {
      at: 'GET /contract',
      operation: 'getContract',
      summary:
        'The OpenAPI document that is served, in one piece; `x-understudy` of an operation tells its phase, its dates and its behaviours.',
      replies: {
        200: { description: 'The document.', content: { 'application/json': { type: 'object' } } },
        404: { description: 'The contract cannot be written as one document.' },
      },
      answer: () => {
        const { plan, worlds } = gateway
        const operations = gateway.weather.current?.weather.operations.all() ?? plan.operations
        const document = describeContract(plan, about.api(), operations, worlds.default.clock.now())
        return document === undefined
          ? problem(404, 'not_found', 'the contract has neither info nor paths')
          : json(document)
      },
    },
    {
      at: 'GET /plan',
      operation: 'getPlan',
      summary: 'Every operation with its behaviours, consumers and dates; or the phase of every operation at a time.',
      parameters: {
        at: {
          schema: { type: 'string' },
          description: 'A date, a timestamp, or an offset from the time of the default world: 2030-12-06, +30d.',
        },
      },
      replies: {
        200: {
          description: 'The plan.',
          content: { 'application/json': { anyOf: [planSchema, list(daySchema)] }, 'text/plain': { type: 'string' } },
        },
      },
      answer: call => {
        const { plan, worlds } = gateway
        const at = call.parameters.at as string | undefined
        const asText = call.prefers('text/plain')
        const weather = gateway.weather.current?.weather
        if (at === undefined) return asText ? text(describeWhole(plan, weather)) : json(describePlan(plan, weather))
        const time = parseMoment(at, worlds.default.clock.now())
        if (time === undefined) return problem(400, 'invalid_request', '"at" must be a date, a timestamp or an offset')
        return asText ? text(describeDayWhole(plan, time)) : json(describeDay(plan, time))
      },
    },
    {
      at: 'POST /reload',
      operation: 'reload',
      outsideTurns: true,
      summary: 'Loads the configuration anew from its files; the records stay.',
      replies: {
        200: { description: 'The configuration is being served.', content: { 'application/json': adoptedSchema } },
        409: { description: 'This gateway was not started from a file.' },
        ...invalidOrder('The configuration has errors; the last valid one is still being served.'),
      },
      answer: async () => (reloader === undefined ? noFile() : describeAdopted(await reloader.reload())),
    },
  ])
