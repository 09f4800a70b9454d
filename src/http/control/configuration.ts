// The configuration that is being served, the plan that is compiled of it, and their replacement.

import type { Gateway } from '../../gateway/gateway.ts'
import { effectiveConfiguration, maskText, servedText, unmaskText } from '../../gateway/mask.ts'
import { describeReport, refusedReport } from '../../gateway/refused.ts'
import type { Reloader } from '../../gateway/reload.ts'
import { describeContract } from '../../gateway/served-contract.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import { stringifyJson } from '../../kernel/json.ts'
import type { Schema } from '../../kernel/schema/schema.ts'
import type { Loaded } from '../../load/load.ts'
import { describeDay, describeDayWhole, describePlan, describeWhole } from '../../plan/describe.ts'
import { WORLD_NAME, WORLD_NAME_RULE } from '../../world/world-name.ts'
import { badRequest, type ControlReply, json, momentNamed, refuseAbsent, refused, text } from './replies.ts'
import {
  anyObject,
  type BodySpec,
  type Call,
  type Control,
  type ControlRoute,
  described,
  flag,
  list,
  nameParameter,
  outsideTurns,
  type PlainRoute,
  problemWith,
  replyWith,
  shape,
  under,
} from './route.ts'

/** The declaration of `refuseConfiguration`. */
export const invalidOrder = (description: string) => ({
  422: problemWith(description, { diagnostics: list(shape('Finding')) }),
})

/** Refuses a configuration or a part of one, with every mistake and its place. */
export const refuseConfiguration = (report: Diagnostics): ControlReply =>
  refused(refusedReport(report, 'invalid_configuration'))

/** The body of a call that orders a part of a configuration, in JSON or YAML. */
export const orderSpec = (description: string, maxBytes: number, shown: Schema = anyObject): BodySpec => ({
  description,
  schema: anyObject,
  shown,
  texts: ['application/yaml'],
  maxBytes,
})

/** Returns an order as JSON or YAML. */
export const orderText = ({ body, text }: Call): string => text ?? stringifyJson(body)

/** Describes the configuration that was loaded, or refuses it. */
const describeAdopted = ({ plan, report }: Loaded, reloaded = true): ControlReply =>
  plan === undefined
    ? refuseConfiguration(report)
    : json({
        reloaded,
        operations: plan.operations.length,
        warnings: report.unsorted.length,
        diagnostics: describeReport(report),
      })

/** The replies to a call that loads a configuration. */
const adopts = (description: string, mistaken: string) => ({
  200: replyWith(description, shape('AdoptedConfiguration')),
  ...invalidOrder(mistaken),
})

/** Describes the contract of a world that was given or taken back; there may be none to take back. */
const describeGiven = (world: string, loaded: Loaded | undefined): ControlReply =>
  loaded === undefined ? refuseAbsent(`the world ${world} was given no contract`) : describeAdopted(loaded)

/** The maximum size of a configuration, which may contain the contract. */
const MAX_CONFIGURATION = 8_000_000

const YAML = ['application/yaml', 'application/x-yaml', 'text/yaml']

export const configurationRoutes = ({ gateway, reloader, about }: Control): ControlRoute[] => [
  ...under('always', {
    getContract: getContract(gateway, about.api),
    getPlan: getPlan(gateway),
    getConfiguration: getConfiguration(gateway),
    getConfigurationText: getConfigurationText(gateway, reloader),
    getConfigurationSchema: getConfigurationSchema(gateway),
  }),
  ...outsideTurns(under('always', { reload: reload(reloader) })),
  ...outsideTurns(
    under('absent', {
      giveContract: giveContract(reloader),
      takeContract: takeContract(reloader),
      replaceConfiguration: replaceConfiguration(gateway, reloader),
    }),
  ),
]

const getContract = (gateway: Gateway, origin: () => string): PlainRoute => ({
  at: 'GET /contract',
  summary:
    'The served OpenAPI document in one piece; `x-understudy` of an operation tells its phase, dates and behaviours.',
  replies: {
    200: replyWith('The document.', anyObject),
    404: 'The contract cannot be written as one document.',
  },
  handle: () => {
    const { plan, worlds } = gateway
    const operations = gateway.weather.current?.weather.operations.all() ?? plan.operations
    const document = describeContract(plan, origin(), operations, worlds.default.clock.now())
    return document === undefined ? refuseAbsent('the contract has neither info nor paths') : json(document)
  },
})

const getPlan = (gateway: Gateway): PlainRoute => ({
  at: 'GET /plan',
  summary: 'Every operation with its behaviours, consumers and dates; or the phase of every operation at a time.',
  parameters: {
    at: described('A date, a timestamp, or an offset from the time of the default world: 2030-12-06, +30d.'),
  },
  replies: {
    200: replyWith('The plan.', { anyOf: [shape('DescribedPlan'), list(shape('OperationOnADay'))] }, 'text/plain'),
  },
  handle: call => {
    const { plan, worlds } = gateway
    const at = call.parameters.at as string | undefined
    const asText = call.prefers('text/plain')
    const weather = gateway.weather.current?.weather
    if (at === undefined) return asText ? text(describeWhole(plan, weather)) : json(describePlan(plan, weather))
    const time = momentNamed('at', at, worlds.default.clock.now())
    if (typeof time === 'object') return time
    return asText ? text(describeDayWhole(plan, time)) : json(describeDay(plan, time))
  },
})

const reload = (reloader: Reloader): PlainRoute => ({
  at: 'POST /reload',
  summary: 'Loads the configuration anew from its files; the records stay.',
  replies: adopts(
    'The configuration is being served.',
    'The configuration has errors; the last valid one is still being served.',
  ),
  handle: async () => describeAdopted(await reloader.reload()),
})

const getConfiguration = (gateway: Gateway): PlainRoute => ({
  at: 'GET /config',
  summary: 'The served configuration, as written and with defaults, or as text. Credentials are masked.',
  replies: {
    200: replyWith('The configuration.', shape('ServedConfiguration'), 'application/yaml'),
  },
  handle: call =>
    call.prefers('application/yaml')
      ? text(maskText(servedText(gateway.plan), gateway.plan), 'application/yaml')
      : json(effectiveConfiguration(gateway.plan)),
})

const getConfigurationText = (gateway: Gateway, reloader: Reloader): PlainRoute => ({
  at: 'GET /config/text',
  summary:
    'The text of the served configuration, and that of its file: `<masked:CONSUMER.SCHEME>` replaces a credential.',
  replies: { 200: replyWith('Both texts.', shape('ConfigurationTexts')) },
  handle: () => {
    const { plan } = gateway
    const served = servedText(plan)
    const disk = reloader.readDisk()
    return json({
      file: plan.simulation.source.file,
      applied: maskText(served, plan),
      disk: disk === undefined ? null : maskText(disk, plan),
      same: served === disk,
    })
  },
})

const getConfigurationSchema = (gateway: Gateway): PlainRoute => ({
  at: 'GET /config/schema',
  summary: 'The JSON Schema of gateway.yaml, with the names of the served contract.',
  replies: { 200: replyWith('JSON Schema, draft 2020-12.', anyObject) },
  handle: async () => {
    const { schemaFor } = await import('../../plan/published-schema.ts')
    return json(await schemaFor(gateway.plan))
  },
})

const giveContract = (reloader: Reloader): PlainRoute => ({
  at: 'PUT /worlds/{name}/contract',
  summary: 'Gives a world a contract of its own. A new world begins with the seeds, a sandbox keeps its records.',
  parameters: nameParameter,
  body: {
    description: 'An OpenAPI document.',
    schema: { type: 'object' },
    texts: YAML,
    maxBytes: MAX_CONFIGURATION,
  },
  replies: adopts('The world is served by this contract.', 'The document has errors; nothing was changed.'),
  handle: async ({ parameters, text, body }) => {
    const name = parameters.name as string
    if (!WORLD_NAME.test(name)) return badRequest(`the name of a world must have ${WORLD_NAME_RULE}`)
    return describeGiven(name, await reloader.giveContract(name, text ?? stringifyJson(body)))
  },
})

const takeContract = (reloader: Reloader): PlainRoute => ({
  at: 'DELETE /worlds/{name}/contract',
  summary: 'Takes back the contract that a world was given, and deletes the world.',
  parameters: nameParameter,
  replies: {
    404: 'The world was given no contract.',
    ...adopts('The world is gone.', 'The configuration has errors; nothing was changed.'),
  },
  handle: async ({ parameters }) => {
    const name = parameters.name as string
    return describeGiven(name, await reloader.giveContract(name, undefined))
  },
})

const replaceConfiguration = (gateway: Gateway, reloader: Reloader): PlainRoute => ({
  at: 'PUT /config',
  summary: 'Serves another configuration until the next reload, and keeps the records.',
  parameters: {
    'dry-run': described('Only reports the mistakes, and changes nothing.', flag),
  },
  body: {
    description:
      'The whole content of a gateway.yaml, with paths relative to that file. `<masked:CONSUMER.SCHEME>` keeps the current credential.',
    schema: { type: 'object', required: ['contract'] },
    texts: YAML,
    maxBytes: MAX_CONFIGURATION,
  },
  replies: adopts(
    'The configuration is being served; of a dry run, it could be.',
    'The configuration has errors; the previous one is still being served.',
  ),
  handle: async ({ parameters, text, body }) => {
    const configuration = unmaskText(text ?? stringifyJson(body), gateway.plan)
    const dry = parameters['dry-run'] === true
    const loaded = await (dry ? reloader.check(configuration) : reloader.reload(configuration))
    if (loaded.plan !== undefined && !dry) {
      await gateway.change(() => gateway.state?.configured(configuration), 'PUT /config')
    }
    return describeAdopted(loaded, !dry)
  },
})
