// Weather (a chaos profile) for deliveries: it repeats, delays, loses and reorders them, and spoils signatures.

import { setting } from '../../behaviours/behaviour.ts'
import { compileQuantile, type LatencyConfig, latency } from '../../behaviours/latency.ts'
import type { Quantile } from '../../kernel/distribution.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { BlockLoad } from '../../plan/house.ts'
import type { WeatherFile } from '../../plan/simulation-file.ts'
import type { NewDelivery } from './queue.ts'

const CHANCES = ['duplicate', 'drop', 'reorder', 'badSignature'] as const
type Chance = (typeof CHANCES)[number]

type FateFile = { readonly [chance in Chance]?: string | number } & { readonly delay?: string | LatencyConfig }
type Fates = Readonly<Record<string, FateFile>>

const chance = (description: string) => ({
  type: ['string', 'number'],
  pattern: '^\\d{1,2}(?:\\.\\d+)? ?%$|^100 ?%$',
  minimum: 0,
  maximum: 1,
  description,
})

export const weatherKeys = {
  webhooks: setting.named(
    'The deliveries of webhooks, by name.',
    setting.block('How they misbehave. Chances are written as 5% or 0.05.', {
      duplicate: chance('How many arrive twice.'),
      drop: chance('How many attempts are lost on the way; they count as failed.'),
      reorder: chance('How many wait for a second, so that later ones overtake them.'),
      badSignature: chance('How many attempts have a signature that does not match.'),
      delay: {
        ...(latency.schema as object),
        type: ['object', 'string'],
        format: 'duration',
        description: 'How late they are, written as a latency.',
      },
    } as never),
  ),
}

/** The fate of the deliveries of one webhook. */
export interface Fate {
  readonly delay: Quantile | undefined
  chance(kind: Chance): number
}

const fatesIn = (file: object): Fates => (file as { readonly webhooks?: Fates }).webhooks ?? {}

const shareOf = (written: string | number | undefined): number =>
  typeof written === 'string' ? Number.parseFloat(written) / 100 : (written ?? 0)

const delayOf = ({ delay }: FateFile, error: (...mistake: [string, string, ...unknown[]]) => void = () => {}) =>
  delay === undefined
    ? undefined
    : compileQuantile(typeof delay === 'string' ? ({ fixed: delay } as LatencyConfig) : delay, { error } as never)

const compiled = new WeakMap<FateFile, Fate>()

/** Returns the fate of a webhook in some weather; `undefined` if it has none. */
export function fateOf(weather: { readonly file: WeatherFile } | undefined, webhook: string): Fate | undefined {
  const file = weather && fatesIn(weather.file)[webhook]
  return file && getOrMake(compiled, file, () => ({ delay: delayOf(file), chance: kind => shareOf(file[kind]) }))
}

/** The time in milliseconds for which a delivery waits that later ones are to overtake. */
const OVERTAKEN = 1000

/** Returns a delivery as the weather lets it go: late, or twice. @param draw a number in [0, 1) for a purpose */
export function underFate(
  fate: Fate,
  delivery: NewDelivery,
  draw: (purpose: string) => number,
): readonly NewDelivery[] {
  if (delivery.due === undefined) return [delivery]
  const late = (copy: string): NewDelivery => {
    const delay = Math.round(fate.delay?.(draw(`delay${copy}`)) ?? 0)
    const isOvertaken = draw(`reorder${copy}`) < fate.chance('reorder')
    const injected = [
      ...(delay > 0 ? [`delayed by ${delay} ms`] : []),
      ...(isOvertaken ? ['overtaken by later ones'] : []),
      ...(copy === '' ? [] : ['a copy']),
    ]
    return { ...delivery, due: delivery.at + delay + (isOvertaken ? OVERTAKEN : 0), injected }
  }
  const isRepeated = draw('duplicate') < fate.chance('duplicate')
  return isRepeated ? [late(''), { ...late(' copy'), repeats: true }] : [late('')]
}

/** Reports webhooks in weather that there are not, and invalid delays. */
export function checkFates(
  { settings, source, report }: BlockLoad,
  names: readonly string[],
  hint: (name: string) => string | undefined,
): void {
  for (const [weather, file] of Object.entries(settings.weather ?? {})) {
    for (const [name, fate] of Object.entries(fatesIn(file))) {
      const path = ['weather', weather, 'webhooks', name]
      if (!names.includes(name))
        report.error('unknown-webhook', `there is no webhook "${name}"`, source.locate(path, 'key'), hint(name))
      delayOf(fate, (code, message) => report.error(code, message, source.locate([...path, 'delay'])))
    }
  }
}
