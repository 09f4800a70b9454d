// Times, durations, latencies, rates, sizes and JSON as people read and write them. Times are in UTC, as the headers of
// the API and the log have them. Numbers in JSON stay digit for digit, since the text is never parsed into a value.

/** A colour with a meaning; the style sheet has its values. */
export type Tone = 'plain' | 'good' | 'info' | 'warn' | 'bad' | 'accent' | 'cut'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const ONE_DAY = 24 * HOUR
export const YEAR = 365.25 * ONE_DAY

/** `5 Dec 2030`. @param at milliseconds since the epoch */
export const writeDay = (at: number): string => new Date(at).toUTCString().slice(5, 16).replace(/^0/, '')

/** `5 Dec 2030, 09:30`; without the time at midnight, and with seconds if there are some. @param at as above */
export const writeMoment = (at: number): string =>
  at % ONE_DAY === 0
    ? writeDay(at)
    : `${writeDay(at)}, ${new Date(at).toISOString().slice(11, at % MINUTE === 0 ? 16 : 19)}`

const UNITS = [
  ['year', YEAR],
  ['month', YEAR / 12],
  ['day', ONE_DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', 1000],
] as const

const distances = new Intl.RelativeTimeFormat('en')

/** How far a moment is from another one: `in 4 years`, `3 days ago`, `now`. @param distance milliseconds */
export function writeDistance(distance: number): string {
  // "18 months" says more than "1 year", so a unit is used from two of it on.
  const [name, unit] = UNITS.find(([, length]) => Math.abs(distance) >= 2 * length) ?? UNITS[5]
  const count = Math.round(distance / unit)
  return count === 0 ? 'now' : distances.format(count, name)
}

/** A duration in its largest unit: `2 hours`, `1 day`. @param duration milliseconds */
export function writeDuration(duration: number): string {
  const [name, unit] = UNITS.slice(2).find(([, length]) => duration >= length) ?? UNITS[5]
  return plural(Number((duration / unit).toFixed(1)), name)
}

/** Returns what a person typed for the clock as the control plane reads it: `2030-12-06 09:30` is a timestamp in UTC. */
export const momentTyped = (text: string): string =>
  text.replaceAll(' ', '').replace(/^(\d{4}-\d\d-\d\d)T?(\d\d:\d\d(?::\d\d)?)$/, '$1T$2Z')

/** The time of day of a timestamp: `14:03:22.512`. */
export const writeTime = (timestamp: string): string => timestamp.slice(11, 23)

/** `0.42 ms`, `12 ms`, `1.5 s`; a dash for null. */
export function writeLatency(milliseconds: number | null): string {
  if (milliseconds === null) return '–'
  if (milliseconds >= 1000) return `${Number((milliseconds / 1000).toPrecision(3))} s`
  return `${Number(milliseconds.toPrecision(milliseconds < 10 ? 2 : 3))} ms`
}

/** A number of requests a second: `0.25/s`; a dash for 0. */
export const writeRate = (perSecond: number): string =>
  perSecond === 0 ? '–' : `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(2)}/s`

/** `5 %`. */
export const writePercent = (part: number): string => `${Number((part * 100).toPrecision(3))} %`

/** `482 B`, `1.2 kB`, `3.4 MB`. */
export function writeBytes(count: number): string {
  if (count < 1000) return `${count} B`
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}

/** `1 request`, `1,200 requests`. @param noun in the singular */
export const plural = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

interface JsonPiece {
  readonly text: string
  /** Unset for punctuation and blanks. */
  readonly tone?: Tone
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]|\s+|[\s\S]/g

/**
 * Returns the pieces of a JSON text, indented. Those of a text that is cut off go as far as it does; a text that is neither an
 * object nor a list is one piece.
 */
export function piecesOfJson(text: string): readonly JsonPiece[] {
  if (!/^\s*[[{]/.test(text)) return [{ text }]
  const tokens = (text.match(TOKEN) ?? []).filter(token => token.trim() !== '')
  let depth = 0
  return tokens.flatMap((token, i): readonly JsonPiece[] => {
    const next = tokens[i + 1] ?? ''
    const isOpening = /^[[{]/.test(token)
    if (isOpening) depth += 1
    // The line ends after what begins or divides a container, and before its end, unless it is empty.
    const ends = /^[\]}]/.test(next) ? !isOpening : isOpening || token === ','
    if (/^[\]}]/.test(next)) depth = Math.max(0, depth - 1)
    const line = ends ? [{ text: `\n${'  '.repeat(depth)}` }] : []
    return [token === ':' ? { text: ': ' } : pieceOfToken(token, next), ...line]
  })
}

function pieceOfToken(text: string, next: string): JsonPiece {
  if (text.startsWith('"')) return { text, tone: next === ':' ? 'info' : 'good' }
  if (/^-?\d/.test(text)) return { text, tone: 'warn' }
  return /^(?:true|false|null)$/.test(text) ? { text, tone: 'cut' } : { text }
}

/** Returns a JSON text indented; another text as it is. */
export const indentJson = (text: string): string =>
  piecesOfJson(text)
    .map(piece => piece.text)
    .join('')
