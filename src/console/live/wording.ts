// Formats numbers and times for the live view.

/** `0.42 ms`, `12 ms`, `1.3 s`. */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(value >= 10_000 ? 0 : 1)} s`
  return `${value >= 10 ? Math.round(value) : value.toFixed(value >= 1 ? 1 : 2)} ms`
}

/** The local time of day of a timestamp: `14:03:22.512`. */
export function clockTime(timestamp: string): string {
  const date = new Date(timestamp)
  const two = (part: number): string => String(part).padStart(2, '0')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** `482 B`, `1.2 kB`, `3.4 MB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}
