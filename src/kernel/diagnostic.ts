// What is wrong with what an author wrote: collected, never thrown, each with its place. Knows nothing of files.

export type Severity = 'error' | 'warning'

/** A place in a text; `line` and `column` count from 1, `length` in characters. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly length: number
  /** The line itself, for the excerpt; empty where there is none (a missing file, say). */
  readonly text: string
  /** Tells this place from others before it is worked out: two places of one id are the same. */
  readonly id?: string
}

export interface Diagnostic {
  readonly severity: Severity
  /** Stable, kebab-case: what tests and tools hold on to; the message may change. */
  readonly code: string
  readonly message: string
  readonly place: Place
  readonly hint?: string
}

/** Collects diagnostics, so that an author sees every mistake at once. */
export class Diagnostics {
  /** Names of blocks that are there but wrong: whoever refers to one has made no mistake. */
  readonly broken = new Set<string>()
  readonly #list: Diagnostic[] = []
  readonly #seen = new Set<string>()
  readonly #strict: boolean
  #errors = 0

  /** @param strict whether a warning is an error */
  constructor(strict = false) {
    this.#strict = strict
  }

  error(code: string, message: string, place: Place, hint?: string): void {
    this.add({ severity: 'error', code, message, place, hint })
  }

  warning(code: string, message: string, place: Place, hint?: string): void {
    this.add({ severity: this.#strict ? 'error' : 'warning', code, message, place, hint })
  }

  add(diagnostic: Diagnostic): void {
    const { code, message, place, severity } = diagnostic
    // A component that is referred to twice is read twice; its mistake is still one mistake.
    const key = `${place.id ?? `${place.file}:${place.line}:${place.column}`}:${code}:${message}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#list.push(diagnostic)
    if (severity === 'error') this.#errors += 1
  }

  /** In the order of their places: file by file as first met, then line by line. */
  get list(): readonly Diagnostic[] {
    const files = [...new Set(this.#list.map(({ place }) => place.file))]
    return this.#list.toSorted(
      (a, b) =>
        files.indexOf(a.place.file) - files.indexOf(b.place.file) ||
        a.place.line - b.place.line ||
        a.place.column - b.place.column,
    )
  }

  /** Whether this was said of that very place. */
  has(code: string, { file, line, column }: Place): boolean {
    return this.#list.some(
      one => one.code === code && one.place.file === file && one.place.line === line && one.place.column === column,
    )
  }

  get failed(): boolean {
    return this.#errors > 0
  }

  /** How many there are. */
  get size(): number {
    return this.#list.length
  }

  /** The first few as they were met: their places alone are worked out. */
  first(count: number): readonly Diagnostic[] {
    return this.#list.slice(0, count)
  }
}

const EXCERPT = 100

/** The text for people: place, code, message, then the line with a caret under the culprit, then the hint. */
export function formatDiagnostic({ severity, code, message, place, hint }: Diagnostic): string {
  const head = `${place.file}:${place.line}:${place.column} ${severity} ${code}: ${message}`
  const gutter = ' '.repeat(String(place.line).length)
  const tail = hint === undefined ? [] : [`${gutter} = ${hint}`]
  if (place.text.trim() === '') return [head, ...tail].join('\n')
  // A minified document is one line of megabytes: show the stretch around the culprit.
  const from = place.column > EXCERPT - 20 ? place.column - 40 : 0
  const shown = place.text.slice(from, from + EXCERPT).trimEnd()
  const cut = from + EXCERPT < place.text.trimEnd().length
  // A tab is as wide as the terminal likes, and the caret would miss.
  const excerpt = `${from > 0 ? '…' : ''}${shown}${cut ? '…' : ''}`.replaceAll('\t', ' ')
  const column = place.column - 1 - from + (from > 0 ? 1 : 0)
  const carets = '^'.repeat(Math.max(1, Math.min(place.length, excerpt.length - column)))
  return [head, `${place.line} | ${excerpt}`, `${gutter} | ${' '.repeat(column)}${carets}`, ...tail].join('\n')
}

/** All of them, and how many; nothing for none. */
export function formatDiagnostics(list: readonly Diagnostic[]): string {
  if (list.length === 0) return ''
  const count = (severity: Severity) => list.filter(one => one.severity === severity).length
  const say = (n: number, word: string) => (n === 0 ? [] : [`${n} ${word}${n === 1 ? '' : 's'}`])
  const summary = [...say(count('error'), 'error'), ...say(count('warning'), 'warning')].join(', ')
  return `${[...list.map(formatDiagnostic), summary].join('\n\n')}\n`
}

const SHOWN = 10

/**
 * The same where much may be wrong and something else is wanted: every error, the first ten warnings, and how many there
 * are. Only the places of those are worked out.
 */
export function formatBriefly(report: Diagnostics): string {
  const all = report.first(report.size)
  const warnings = all.filter(({ severity }) => severity === 'warning')
  const shown = new Set([...all.filter(({ severity }) => severity === 'error'), ...warnings.slice(0, SHOWN)])
  const text = formatDiagnostics(all.filter(one => shown.has(one)))
  const left = warnings.length - SHOWN
  return left > 0 ? text.replace(/\n[^\n]*\n$/, `\n${left} more warnings; \`understudy check\` shows all\n`) : text
}

/** The candidate nearest to a misspelt word, if one is near enough to be meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), least)
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/**
 * The candidate that a word is a slip of: one letter off, or two in a word of five or more. For what clients send, where a
 * wrong guess is worse than none; `undefined` for a word of one or two letters, unless it differs in case alone.
 */
export function slipOf(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = slipsIn(word) + 1
  for (const candidate of candidates) {
    if (candidate === word) continue
    const letters = editDistance(word.toLowerCase(), candidate.toLowerCase(), least)
    if (letters >= least) continue
    least = letters
    best = candidate
  }
  return best
}

/** How many letters of a word may be wrong before it is another word. */
export const slipsIn = ({ length }: string): number => (length > 4 ? 2 : length > 2 ? 1 : 0)

/** `did you mean "…"?`, or what there is to choose from, or nothing. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates]
  const near = nearest(word, all)
  if (near !== undefined) return `did you mean "${near}"?`
  return all.length > 0 && all.length <= 20 ? `one of: ${all.join(', ')}` : undefined
}

/** Optimal string alignment distance: insert, delete, replace, or swap two neighbours; gives up at `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, rows[i - 2]![j - 2]! + 1)
      row.push(cost)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
