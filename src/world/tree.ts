// Ordered maps that clone in constant time, because copies share unchanged parts. The only file that imports sorted-btree.

import sortedBTree from 'sorted-btree'
import diffAgainst from 'sorted-btree/extended/diffAgainst.js'

// The library is CommonJS; its class, and its function, are properties of the default exports.
export const Tree = sortedBTree.default
export type Tree<K, V> = InstanceType<typeof Tree<K, V>>

/** Iterates over the differences of two maps, without their shared parts. */
export const differences = diffAgainst.default
