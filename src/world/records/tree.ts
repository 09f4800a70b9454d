// Ordered maps that clone in constant time, because copies share unchanged parts. The only file that imports sorted-btree.

import sortedBTree from 'sorted-btree'
import bulkLoad from 'sorted-btree/extended/bulkLoad.js'
import diffAgainst from 'sorted-btree/extended/diffAgainst.js'

// The library is CommonJS; its class, and its function, are properties of the default exports.
export const Tree = sortedBTree.default
export type Tree<K, V> = InstanceType<typeof Tree<K, V>>

/** Iterates over the differences of two maps, without their shared parts. */
export const differences = diffAgainst.default

/** The maximum number of children of a node, which is the default of the library. */
const NODE = 32

/** Returns a map of keys that ascend, in linear time. Throws if they do not ascend, or if there is one twice. */
export const treeOf = <K, V>(keys: K[], values: V[], compare: (a: K, b: K) => number): Tree<K, V> =>
  bulkLoad.bulkLoad(keys, values, NODE, compare, 1)
