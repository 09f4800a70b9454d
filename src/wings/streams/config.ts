// The keys of `respond: { stream: … }`.

import { type ConfigOf, type SettingOf, setting } from '../../behaviours/behaviour.ts'
import { type LatencyConfig, latencySchema } from '../../behaviours/latency.ts'
import { listKeys } from '../../behaviours/respond/config.ts'

/** A duration, or a distribution in the words of `latency`. */
export type Pace = string | LatencyConfig

const pace = (description: string) =>
  ({ description, anyOf: [setting.duration('A fixed time.'), latencySchema] }) as unknown as SettingOf<Pace>

const paced = setting.block('A stream of items of the contract, of a file or of a template.', {
  count: setting.integer('How many items. Default: those of the example or of the file, else 10.', 1, 1_000_000),
  first: pace('The time before the first item: `300ms`, or percentiles as in `latency`. Default: none.'),
  gap: pace('The time between two items. A frozen clock holds it. Default: none.'),
  item: setting.json('An item; ${item.index} counts from 0, and other ${…} are expressions in CEL.'),
  file: setting.some('A file below the folder of this configuration, an item a line: JSON, or text.'),
  retry: setting.duration('For an event stream: the time after which a client connects again. Default: 1s.'),
})
export type PacedConfig = ConfigOf<typeof paced>

const stream = {
  description: 'A resource, whose changes are the events; or `count`, `first`, `gap`, and `item` or `file`.',
  anyOf: [{ type: 'string' }, paced],
} as unknown as SettingOf<string | PacedConfig>

export const keys = { stream, filter: listKeys.filter }
export interface StreamConfig {
  readonly stream?: string | PacedConfig
  readonly filter?: ConfigOf<typeof listKeys.filter>
}
