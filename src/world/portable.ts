// Values that hold bytes, as JSON and back.

/** Replaces bytes by an object that `fromPortable` turns into bytes again. */
export function toPortable(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map(toPortable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPortable(item)]))
}

export function fromPortable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPortable)
  if (typeof value !== 'object' || value === null) return value
  const bytes = (value as Record<string, unknown>)[BYTES]
  if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromPortable(item)]))
}

const BYTES = '$base64'
