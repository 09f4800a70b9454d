// The keys of `respond` that name an action on one record.

import type { Json } from '../../kernel/json.ts'
import type { Id } from '../../world/collection.ts'
import type { WithinConfig } from './within-config.ts'

export const ACTIONS = ['create', 'read', 'replace', 'update', 'delete'] as const
export type ActionConfig = { readonly [action in (typeof ACTIONS)[number]]?: string } & {
  readonly within?: WithinConfig | readonly WithinConfig[]
  readonly body?: Json
  readonly set?: Readonly<Record<string, Json>>
  readonly id?: Id
  readonly creates?: boolean
}
