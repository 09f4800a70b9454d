// Chooses requests that are sent to the real API, too, once they are answered, so that both replies are compared.

import { type Behaviour, type ConfigOf, type SettingOf, Slot, setting } from '../../behaviours/behaviour.ts'
import { METHODS } from '../../contract/paths.ts'
import { hasDotSegment } from '../real-api/forward.ts'
import { upstreamBlock } from '../real-api/settings.ts'
import { type UpstreamSettings, whyUnsent } from '../real-api/upstream.ts'

const schema = setting.block(
  'Requests that go to the real API, too, once the stand-in has answered. Both replies are compared: see `GET /drift`.',
  {
    share: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'The share of the requests, from 0 to 1, or in percent: `10%`.',
    } as SettingOf<number>,
    methods: setting.list(
      { enum: METHODS } as SettingOf<string>,
      'Their methods, of those in `upstream.methods`. Default: [GET].',
    ),
  },
  { required: ['share'] },
)

/** Set if a request is sent to the real API, too, once it is answered. */
export const SHADOWED = new Slot<UpstreamSettings>('shadow')

export const shadow: Behaviour<ConfigOf<typeof schema>> = {
  name: 'shadow',
  schema,
  compile(config, { settings, operation, passesOn, error }) {
    if (config === undefined || passesOn !== undefined) return undefined
    const { share, methods = ['GET'] } = config
    const upstream = settings(upstreamBlock)
    if (upstream === undefined) {
      error('no-upstream', 'there is no real API to ask', [], 'add upstream: { url: https://… }', 'key')
      return undefined
    }
    for (const [i, method] of methods.entries()) {
      const hint = 'add it to upstream.methods'
      if (!upstream.methods.has(method))
        error('unsent-method', `${method} is not sent to the real API`, ['methods', i], hint)
    }
    if (operation.wing !== undefined || !methods.includes(operation.method)) return undefined
    return next => exchange => {
      const isChosen = exchange.draw('shadow') < share && whyUnsent(exchange, upstream) === undefined
      if (isChosen && !hasDotSegment(exchange.request.path)) exchange.set(SHADOWED, upstream)
      return next(exchange)
    }
  },
  describe: config => config && `${config.share}`,
}
