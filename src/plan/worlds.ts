// The `worlds` block of gateway.yaml: the worlds besides the default one, and the limits of sandboxes.

import type { Contract } from '../contract/contract.ts'
import type { Diagnostics } from '../kernel/diagnostic.ts'
import type { Schema } from '../kernel/schema.ts'
import { parseDuration, parseSize } from '../kernel/units.ts'
import type { SandboxLimits } from '../world/sandboxes.ts'

export interface WorldsFile {
  readonly sandboxes?: boolean
  readonly max?: number
  readonly idle?: string
  readonly maxBytes?: string
  readonly default?: string
}

export interface WorldsSettings extends SandboxLimits {
  readonly sandboxes: boolean
  /** The maximum size of the records of all worlds together, in bytes; `undefined`: a share of the heap. */
  readonly maxBytes: number | undefined
  /** The world of requests that name none. */
  readonly default: string
}

/** The names of worlds: valid as a path segment, a header, a file name and a label. */
export const WORLD_NAME = /^[A-Za-z0-9._-]{1,64}$/

export const worldsSchema: Schema = {
  type: 'object',
  description:
    'Worlds apart from each other: sandboxes, forked from the seeds when a request first names them, and one permanent world for each host among the servers of the contract.',
  additionalProperties: false,
  properties: {
    sandboxes: {
      type: 'boolean',
      description:
        'Whether a request may name a world of its own, with `Understudy-World: NAME` or `/~NAME` after the base path or before it. Default: true.',
    },
    max: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      description:
        'Above it a sandbox goes: first of those that nobody wrote to, the one that has gone longest without a request. Default: 1000.',
    },
    idle: {
      type: 'string',
      format: 'duration',
      description: 'A sandbox that nobody asks for goes after this much real time. Default: 1h.',
    },
    maxBytes: {
      type: 'string',
      format: 'size',
      description:
        'The most memory that the records of all worlds together may take, estimated as 190 bytes and two for each character of the JSON a record; records that a world shares with another count once. Above it the sandbox that has gone longest without a request goes; where none is left, writes are refused with 507. Default: 40 % of the heap.',
    },
    default: {
      type: 'string',
      pattern: WORLD_NAME.source,
      description:
        'The world that requests reach which name none and come for no host of the contract; it may be the world of such a host. Default: default.',
    },
  },
}

export const worldsSettings = (file: WorldsFile = {}): WorldsSettings => ({
  sandboxes: file.sandboxes ?? true,
  max: file.max ?? 1000,
  idle: Math.max(1, Math.round(parseDuration(file.idle ?? '1h') as number)),
  maxBytes: file.maxBytes === undefined ? undefined : parseSize(file.maxBytes),
  default: file.default ?? 'default',
})

/** Reports paths that begin like the address of a world, which cannot be reached. */
export function checkPaths({ operations }: Contract, report: Diagnostics): void {
  for (const { path, node } of operations) {
    if (!path.startsWith('/~')) continue
    const place = node.document.source.locate([...node.document.base, ...node.path], 'key')
    const hint = 'listen: { clientControls: false } makes it a path like any other'
    report.warning('path-names-world', `${path} begins like the name of a world, and cannot be reached`, place, hint)
  }
}
