// Measures the free memory after each garbage collection. Writes are refused before it runs out (see `Budget`).

import { heapLimit, heapUsed } from '../world/budget.ts'
import { afterCollections } from '../world/clock.ts'
import type { WorldsMemory } from './worlds/memory.ts'

/**
 * The share of the heap beyond which sandboxes are evicted: from 80 % on the engine may end a process that only collects.
 */
const STRAINED = 0.85
/** The share of the heap beyond which the engine is about to end the process. */
const EXHAUSTED = 0.91

/**
 * Watches until the answer is called.
 *
 * @param limit bytes of the heap
 * @param exhausted called when memory has run out although no sandbox is left to evict
 */
export function watchMemory(
  memory: Pick<WorldsMemory, 'measured' | 'relieve'>,
  exhausted: () => void,
  limit = heapLimit(),
): () => void {
  let wasExhausted = false
  return afterCollections(() => {
    const used = heapUsed()
    memory.measured(used)
    const isExhausted = used > STRAINED * limit && !memory.relieve() && used > EXHAUSTED * limit
    // There may be new garbage since this collection: what counts is that the next one does not help.
    if (isExhausted && wasExhausted) exhausted()
    wasExhausted = isExhausted
  })
}
