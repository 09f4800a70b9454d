// Replies of the real API that are used again for a short time, by all worlds.

import { LRUCache } from 'lru-cache'

const MOST = 1000
/** Characters of all replies. */
const LARGEST = 4_000_000

export type FreshReplies<Reply extends { readonly text: string }> = LRUCache<string, Reply>

/** @param ttl the time for which a reply is used again, in milliseconds; `undefined` is returned for 0 */
export const freshReplies = <Reply extends { readonly text: string }>(ttl: number): FreshReplies<Reply> | undefined =>
  ttl === 0
    ? undefined
    : new LRUCache({
        ttl,
        max: MOST,
        maxSize: LARGEST,
        sizeCalculation: ({ text }, key) => text.length + key.length + 1,
      })
