// Ordered maps that clone in constant time, because copies share what neither has written since. The door to sorted-btree.

import sortedBTree from 'sorted-btree'

// The library is CommonJS; its class is a property of the default export.
export const Tree = sortedBTree.default
export type Tree<K, V> = InstanceType<typeof Tree<K, V>>
