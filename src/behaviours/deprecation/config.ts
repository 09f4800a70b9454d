// The keys of `deprecation` in gateway.yaml.

import type { AfterSunset } from '../lifecycle.ts'

export interface DeprecationConfig {
  readonly since: string
  readonly sunset?: string
  readonly successor?: string
  readonly policy?: string
  readonly afterSunset?: AfterSunset
  readonly brownouts?: BrownoutsConfig
}

export interface BrownoutsConfig {
  readonly starts: string
  readonly every: string
  readonly for: string
  readonly growing?: boolean
  readonly answer?: 503 | 410
}
