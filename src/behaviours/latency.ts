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
import type { Path } from '../kernel/source.ts'
import { parseDuration } from '../kernel/units.ts'
import type { Behaviour, Site } from './behaviour.ts'

export interface LatencyConfig {
  readonly fixed?: string
  readonly uniform?: { readonly min: string; readonly max: string }
  readonly normal?: { readonly mean: string; readonly deviation: string }
  readonly lognormal?: { readonly p50: string; readonly p99: string }
  readonly min?: string
  readonly max?: string
  readonly [percentile: `p${string}`]: string | undefined
}

const duration = (description: string) => ({ type: 'string', format: 'duration', description })
const pair = (description: string, first: Record<string, string>) => ({
  type: 'object',
  description,
  additionalProperties: false,
  required: Object.keys(first),
  properties: Object.fromEntries(Object.entries(first).map(([name, text]) => [name, duration(text)])),
})

const KINDS = ['fixed', 'uniform', 'normal', 'lognormal'] as const

export const latency: Behaviour<LatencyConfig> = {
  name: 'latency',
  weather: true,
  schema: {
    type: 'object',
    description:
      'The time that a reply takes, drawn for each request: one of `fixed`, `uniform`, `normal` and `lognormal`, or percentiles, any of `p1` … `p99.99`.',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      fixed: duration('The same time for every reply.'),
      uniform: pair('A uniform distribution between two bounds.', { min: 'The shortest.', max: 'The longest.' }),
      normal: pair('A normal distribution, cut off at zero.', {
        mean: 'The mean.',
        deviation: 'The standard deviation.',
      }),
      lognormal: pair('A log-normal distribution.', { p50: 'The median.', p99: 'The 99th percentile.' }),
      min: duration('With percentiles: the minimum. Default: half of the lowest percentile.'),
      max: duration('With percentiles: the maximum. Default: the highest percentile.'),
    },
    patternProperties: {
      '^p(?!0+(?:\\.0+)?$)\\d{1,2}(?:\\.\\d+)?$': duration(
        'The percentile: p95 is the time that 95 % of the replies do not exceed.',
      ),
    },
  },
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
  describe(config) {
    if (config === undefined) return undefined
    return Object.entries(config)
      .map(([key, value]) =>
        typeof value === 'object' ? `${key} ${Object.values(value).join('–')}` : `${key} ${value}`,
      )
      .join(', ')
  },
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
    return rises(
      [
        ['min', min],
        ['max', max],
      ],
      ['uniform'],
      site,
    )
      ? uniform(ms(min), ms(max))
      : undefined
  }
  if (config.lognormal !== undefined) {
    const { p50, p99 } = config.lognormal
    return rises(
      [
        ['p50', p50],
        ['p99', p99],
      ],
      ['lognormal'],
      site,
      true,
    )
      ? lognormal(ms(p50), ms(p99))
      : undefined
  }
  return compilePercentiles(config, site)
}

function compilePercentiles({ min, max, ...config }: LatencyConfig, site: Pick<Site, 'error'>): Quantile | undefined {
  const stated = Object.entries(config)
    .map(([key, value]) => [key, value as string, Number(key.slice(1)) / 100] as const)
    .sort((a, b) => a[2] - b[2])
  if (stated.length === 0) {
    site.error(
      'no-percentile',
      'min and max need a percentile between them',
      [],
      'add p50, or write uniform: { min, max }',
    )
    return undefined
  }
  const bounds = (key: string, text: string | undefined): [string, string][] =>
    text === undefined ? [] : [[key, text]]
  const steps = stated.map(([key, value]) => [key, value] as const)
  if (!rises(steps, [], site, true)) return undefined
  if (!rises([...bounds('min', min), ...steps, ...bounds('max', max)], [], site)) return undefined
  const knots: Knot[] = stated.map(([, value, share]) => ({ share, value: ms(value) }))
  if (max !== undefined) knots.push({ share: 1, value: ms(max) })
  return throughPercentiles(min === undefined ? ms(stated[0]![1]) / 2 : ms(min), knots)
}

/** Checks that each percentile is not below the previous one, and reports those that are. */
function rises(
  steps: readonly (readonly [string, string])[],
  within: Path,
  site: Pick<Site, 'error'>,
  strictly = false,
): boolean {
  for (const [i, [key, text]] of steps.entries()) {
    const [before, bound] = steps[i - 1] ?? ['zero', '0ms']
    if (i === 0 ? !strictly || ms(text) > 0 : strictly ? ms(text) > ms(bound) : ms(text) >= ms(bound)) continue
    const message = `${key}, ${text}, is not ${strictly ? 'above' : 'at least'} ${before === 'zero' ? before : `${before}, ${bound}`}`
    site.error('percentiles-out-of-order', message, [...within, key])
    return false
  }
  return true
}
