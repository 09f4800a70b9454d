// Ordered maps that clone in constant time, because copies share what neither has written since. The door to sorted-btree.

import sortedBTree from 'sorted-btree'
import diffAgainst from 'sorted-btree/extended/diffAgainst.js'

// The library is CommonJS; its class, and its function, are properties of the default exports.
export const Tree = sortedBTree.default
export type Tree<K, V> = InstanceType<typeof Tree<K, V>>

/** Walks the differences of two maps, and not what they share. */
export const differences = diffAgainst.default
