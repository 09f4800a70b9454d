// Values that are made once and kept.

/** Returns the value that is kept under a key; without one, makes it and keeps it. */
export function getOrMake<Key, Value>(
  kept: Pick<Map<Key, Value>, 'get'> & { set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  let value = kept.get(key)
  if (value === undefined) {
    value = make()
    kept.set(key, value)
  }
  return value
}
