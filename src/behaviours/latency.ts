// Delays replies like the real service: draws a delay per request and waits by the world's clock.

import {
  fixed,
  type Knot,
  lognormal,
  normal,
  type Quantile,
  throughPercentiles,
  uniform,
} from '../kernel/distribution.ts'
import type { Path } from '../kernel/file/source.ts'
import { parseDuration } from '../kernel/units.ts'
import { type Behaviour, type ConfigOf, type SettingOf, type Site, setting } from './behaviour.ts'

const pair = <Key extends string>(description: string, first: Readonly<Record<Key, string>>) => {
  const keys = Object.keys(first) as Key[]
  const bounds = Object.fromEntries(keys.map(key => [key, setting.duration(first[key])]))
  return setting.block(description, bounds as Record<Key, SettingOf<string>>, { required: keys })
}

const KINDS = ['fixed', 'uniform', 'normal', 'lognormal'] as const
export const latencySchema = setting.block(
  'The time that a reply takes, drawn for each request: one of `fixed`, `uniform`, `normal` and `lognormal`, or percentiles: `p1` … `p99.99`.',
  {
    fixed: setting.duration('The same time for every reply.'),
    uniform: pair('A uniform distribution between two bounds.', { min: 'The shortest.', max: 'The longest.' }),
    normal: pair('A normal distribution, cut off at zero.', {
      mean: 'The mean.',
      deviation: 'The standard deviation.',
    }),
    lognormal: pair('A log-normal distribution.', { p50: 'The median.', p99: 'The 99th percentile.' }),
    p50: setting.duration('The median. Others likewise: `p95` is the time that 95 % of the replies do not exceed.'),
    min: setting.duration('With percentiles: the minimum. Default: half of the lowest percentile.'),
    max: setting.duration('With percentiles: the maximum. Default: the highest percentile.'),
  },
  {
    minProperties: 1,
    patternProperties: {
      '^p(?!50$|0+(?:\\.0+)?$)\\d{1,2}(?:\\.\\d+)?$': setting.duration(
        'The percentile: p95 is the time that 95 % of the replies do not exceed.',
      ),
    },
  },
)
export type LatencyConfig = ConfigOf<typeof latencySchema> & { readonly [percentile: `p${string}`]: string | undefined }

export const latency: Behaviour<LatencyConfig> = {
  name: 'latency',
  weather: true,
  schema: latencySchema,
  compile(config, site) {
    const quantile = config && compileQuantile(config, site)
    if (quantile === undefined) return undefined
    return next => async exchange => {
      // The work is done before the delay, so that requests take effect in their order of arrival.
      const reply = await next(exchange)
      const delay = quantile(exchange.draw('latency'))
      exchange.note(`latency: ${delay.toFixed(1)} ms`)
      await exchange.wait(delay)
      return reply
    }
  },
  describe: config =>
    config &&
    Object.entries(config)
      .map(([key, value]) => `${key} ${typeof value === 'object' ? Object.values(value).join('–') : value}`)
      .join(', '),
}

const ms = (text: string): number => parseDuration(text) as number

/** Returns the configured distribution in milliseconds; `undefined` after reporting mistakes. */
export function compileQuantile(config: LatencyConfig, site: Pick<Site, 'error'>): Quantile | undefined {
  const kinds: string[] = KINDS.filter(kind => config[kind] !== undefined)
  const percentiles = Object.keys(config).filter(key => !(KINDS as readonly string[]).includes(key))
  const [, second] = [...kinds, ...percentiles.slice(0, 1)]
  if (kinds.length > 0 && second !== undefined) {
    const message = `${[...kinds, ...percentiles].join(' and ')} exclude each other`
    site.error('ambiguous-latency', message, [second], `write one of ${KINDS.join(', ')}, or percentiles`, 'key')
    return undefined
  }
  if (config.fixed !== undefined) return fixed(ms(config.fixed))
  if (config.normal !== undefined) return normal(ms(config.normal.mean), ms(config.normal.deviation))
  if (config.uniform !== undefined) {
    const { min, max } = config.uniform
    return rises({ min, max }, ['uniform'], site) ? uniform(ms(min), ms(max)) : undefined
  }
  if (config.lognormal !== undefined) {
    const { p50, p99 } = config.lognormal
    return rises({ p50, p99 }, ['lognormal'], site, true) ? lognormal(ms(p50), ms(p99)) : undefined
  }
  return compilePercentiles(config, site)
}

function compilePercentiles({ min, max, ...config }: LatencyConfig, site: Pick<Site, 'error'>): Quantile | undefined {
  const shareOf = (key: string): number => Number(key.slice(1)) / 100
  const stated = Object.entries(config as Readonly<Record<string, string>>).sort(([a], [b]) => shareOf(a) - shareOf(b))
  const [lowest] = stated
  if (lowest === undefined) {
    const hint = 'add p50, or write uniform: { min, max }'
    site.error('no-percentile', 'min and max need a percentile between them', [], hint)
    return undefined
  }
  const steps = Object.fromEntries(stated)
  const bounds = { ...(min === undefined ? {} : { min }), ...steps, ...(max === undefined ? {} : { max }) }
  if (!rises(steps, [], site, true) || !rises(bounds, [], site)) return undefined
  const knots: Knot[] = stated.map(([key, value]) => ({ share: shareOf(key), value: ms(value) }))
  if (max !== undefined) knots.push({ share: 1, value: ms(max) })
  return throughPercentiles(min === undefined ? ms(lowest[1]) / 2 : ms(min), knots)
}

/** Checks that each percentile is not below the previous one, and reports those that are. */
function rises(
  steps: Readonly<Record<string, string>>,
  within: Path,
  site: Pick<Site, 'error'>,
  strictly = false,
): boolean {
  let [before, bound] = ['', '0ms']
  for (const [key, text] of Object.entries(steps)) {
    if (strictly ? ms(text) <= ms(bound) : ms(text) < ms(bound)) {
      const least = before === '' ? 'zero' : `${before}, ${bound}`
      const message = `${key}, ${text}, is not ${strictly ? 'above' : 'at least'} ${least}`
      site.error('percentiles-out-of-order', message, [...within, key])
      return false
    }
    before = key
    bound = text
  }
  return true
}
