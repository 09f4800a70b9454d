// The memory that the engine gives to JavaScript objects: how much there may be. The one reader of the engine's numbers.

import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'

/** The size of one space for young objects, in MiB: V8 has changed its default twice. */
const semiSpace = (node: number): number => (node < 24 ? 16 : node < 26 ? 64 : 32)

/** The engine counts three spaces for young objects into its limit; records live in the rest. */
const YOUNG = 3 * semiSpace(Number.parseInt(process.versions.node, 10)) * 2 ** 20

/** The maximum of bytes of old objects (`--max-old-space-size`); above it the engine ends the process. */
export function heapLimit(): number {
  const { heap_size_limit: limit } = getHeapStatistics()
  return Math.max(limit - YOUNG, limit / 4)
}

/** Bytes of old objects, including garbage that is not collected yet. */
export const heapUsed = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: used }) => (name.startsWith('new_') ? sum : sum + used),
    0,
  )
