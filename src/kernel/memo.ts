// Values that are made once and kept, and values that may be impossible to make.

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

/** Returns the result of a task; `undefined` where it throws. */
export function attempted<Result>(task: () => Result): Result | undefined {
  try {
    return task()
  } catch {
    return undefined
  }
}
