// The weather: what comes over the configuration for a while, without a file being touched.

import type { CurrentWeather } from '../../gateway/weather.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { type JsonObject, stringifyJson } from '../../kernel/json.ts'
import { parseSource } from '../../kernel/read-source.ts'
import type { Plan } from '../../plan/compile.ts'
import { invalidConfigurationSchema, refuseConfiguration } from './plan.ts'
import { type Control, DONE, json, list, object, type Route, replyWith, words } from './route.ts'

export const weatherSchema = object(
  {
    name: { type: ['string', 'null'], description: 'null where it is clear.' },
    until: { type: 'string', format: 'date-time', description: 'By real time. Absent: until told.' },
    operations: { ...list(words), description: 'Those that it touches for everybody.' },
    consumers: { ...list(words), description: 'Those for whom it is different.' },
    known: { ...list(words), description: 'The weather that the configuration names.' },
  },
  'until',
)

const describe = (plan: Plan, current: CurrentWeather | undefined) => ({
  name: current?.weather.name ?? null,
  ...(current?.until === undefined ? {} : { until: new Date(current.until).toISOString() }),
  operations: (current?.weather.operations() ?? [])
    .filter((planned, index) => planned !== plan.operations[index])
    .map(({ operation }) => operation.id),
  consumers: [...(current?.weather.consumers.keys() ?? [])],
  known: [...plan.weather.keys()],
})

export const weatherRoutes = ({ gateway }: Control): Route[] => [
  {
    method: 'GET',
    path: '/weather',
    operation: 'getWeather',
    underWorkers: 'absent',
    summary: 'What has come over the configuration, and what could.',
    replies: { 200: replyWith('The weather.', weatherSchema) },
    answer: () => json(describe(gateway.plan, gateway.weather.current)),
  },
  {
    method: 'PUT',
    path: '/weather',
    operation: 'setWeather',
    underWorkers: 'absent',
    summary:
      'Makes weather over every world: one that the configuration names, or another; for a while, or until told.',
    body: {
      description: 'A name of the configuration; or blocks as they stand there under `weather`, in JSON or YAML.',
      schema: { type: 'object' },
      texts: ['application/yaml'],
    },
    replies: {
      200: replyWith('The weather from now on.', weatherSchema),
      422: {
        description: 'It cannot be; the weather is what it was.',
        content: { 'application/problem+json': invalidConfigurationSchema },
      },
    },
    answer: ({ body, text }) => {
      const report = new Diagnostics()
      const written = text ?? stringifyJson(body as JsonObject)
      const source = parseSource('weather', written, report)
      const current = source && gateway.weather.make(gateway.plan, source, report)
      return current === undefined ? refuseConfiguration(report) : json(describe(gateway.plan, current))
    },
  },
  {
    method: 'DELETE',
    path: '/weather',
    operation: 'clearWeather',
    underWorkers: 'absent',
    summary: 'Back to the configuration.',
    replies: { 204: { description: 'It is clear.' } },
    answer: () => {
      gateway.weather.clear()
      return DONE
    },
  },
]
