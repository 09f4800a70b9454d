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
/** The same in words. */
export const WORLD_NAME_RULE = '1 to 64 characters of A-Z a-z 0-9 . _ -'

export const worldsSchema: Schema = {
  type: 'object',
  description:
    'Isolated worlds: sandboxes, forked from the seeds when a request first names them, and a permanent world for each host among the servers of the contract.',
  additionalProperties: false,
  properties: {
    sandboxes: {
      type: 'boolean',
      description:
        'Whether a request may name a sandbox, with `Understudy-World: NAME` or with `/~NAME` before or after the base path. Default: true.',
    },
    max: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      description:
        'The maximum number of sandboxes. Above it the least recently used one is removed, unchanged ones first. Default: 1000.',
    },
    idle: {
      type: 'string',
      format: 'duration',
      description: 'The real time without a request after which a sandbox is removed. Default: 1h.',
    },
    maxBytes: {
      type: 'string',
      format: 'size',
      description:
        'The maximum memory for the records of all worlds together, estimated as 190 bytes a record and 2 bytes for each character of its JSON; records that worlds share count once. Above it the least recently used sandbox is removed; if no sandbox is left, writes are refused with 507. Default: 40 % of the heap.',
    },
    default: {
      type: 'string',
      pattern: WORLD_NAME.source,
      description:
        'The name of the world for requests that name no world and are not for a host of the contract. It may be the world of a host. Default: default.',
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
    const hint = 'rename the path, or set listen: { clientControls: false }'
    report.warning(
      'path-names-world',
      `${path} is unreachable: its beginning is read as the name of a world`,
      place,
      hint,
    )
  }
}
