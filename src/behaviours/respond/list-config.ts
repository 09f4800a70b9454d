// The keys of `respond` that go with a list.

import type { Json } from '../../kernel/json.ts'
import type { Path } from '../../kernel/source.ts'
import type { Comparison } from '../../world/collection.ts'
import type { WithinConfig } from './within-config.ts'

export interface PagingConfig {
  readonly limit?: string
  readonly offset?: string
  readonly page?: string
  readonly cursor?: string
  readonly links?: boolean
}

export interface ListConfig extends PagingConfig {
  readonly list: string
  readonly within?: WithinConfig | readonly WithinConfig[]
  readonly filter?: readonly (string | FilterConfig)[]
  readonly search?: string
  readonly sort?: string | SortConfig
  readonly order?: string
  readonly by?: string
  readonly body?: Json
  readonly item?: Json
  readonly headers?: Readonly<Record<string, string | number>>
}

/** A filter whose parameter has another name than its field, or that does not compare for equality. */
export interface FilterConfig {
  readonly parameter: string
  readonly field?: string
  readonly is?: 'equal' | Comparison['is']
  /** A value of the parameter that filters nothing. */
  readonly all?: string
}

/** A sort parameter, and what becomes of a word in it that names no field. */
export interface SortConfig {
  readonly parameter: string
  readonly unknownFields?: 'ignore' | 'refuse'
}

/** Returns the index of a query parameter in `operation.parameters`; -1 after reporting that there is none. */
export type LocateParameter = (name: string, path: Path) => number
