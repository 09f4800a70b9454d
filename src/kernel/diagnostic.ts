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

/** How many are kept: who wrote more mistakes sees the first of them. */
const MOST_KEPT = 10_000

/** Collects diagnostics, so that an author sees every mistake at once. */
export class Diagnostics {
  /** Names of blocks that are there but wrong: whoever refers to one has made no mistake. */
  readonly broken = new Set<string>()
  readonly #list: Diagnostic[] = []
  readonly #seen = new Set<string>()
  readonly #strict: boolean
  /** Places by code: `file:line:column`. */
  readonly #places = new Map<string, { readonly known: Set<string>; read: number; readonly all: Place[] }>()
  readonly #counts: Record<Severity, number> = { error: 0, warning: 0 }

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
    if (this.#list.length >= MOST_KEPT) {
      this.#counts[severity] += 1
      return
    }
    // A component that is referred to twice is read twice; its mistake is still one mistake.
    const key = `${place.id ?? `${place.file}:${place.line}:${place.column}`}:${code}:${message}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#list.push(diagnostic)
    this.#counts[severity] += 1
    const places = this.#places.get(code)
    if (places === undefined) this.#places.set(code, { known: new Set(), read: 0, all: [place] })
    else places.all.push(place)
  }

  /** Counts errors that nobody described. */
  omit(errors: number): void {
    this.#counts.error += errors
  }

  /** In the order of their places: file by file as first met, then line by line. */
  get list(): readonly Diagnostic[] {
    const files = new Map<string, number>()
    for (const { place } of this.#list) if (!files.has(place.file)) files.set(place.file, files.size)
    return this.#list.toSorted(
      (a, b) =>
        (files.get(a.place.file) as number) - (files.get(b.place.file) as number) ||
        a.place.line - b.place.line ||
        a.place.column - b.place.column,
    )
  }

  /** Whether this was said of that very place. */
  has(code: string, place: Place): boolean {
    const places = this.#places.get(code)
    if (places === undefined) return false
    for (; places.read < places.all.length; places.read++) places.known.add(textOf(places.all[places.read] as Place))
    return places.known.has(textOf(place))
  }

  get failed(): boolean {
    return this.#counts.error > 0
  }

  /** How many there are of a severity, those included that are not kept. */
  count(severity: Severity): number {
    return this.#counts[severity]
  }

  /** How many are kept. */
  get size(): number {
    return this.#list.length
  }

  /** The first few as they were met: their places alone are worked out. */
  first(count: number): readonly Diagnostic[] {
    return this.#list.slice(0, count)
  }
}

const textOf = ({ file, line, column }: Place): string => `${file}:${line}:${column}`

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

/** The first errors by their places, at most so many, and all warnings. */
export const MOST_SHOWN = 100

export function shownOf(list: readonly Diagnostic[]): readonly Diagnostic[] {
  let errors = 0
  return list.filter(({ severity }) => severity === 'warning' || ++errors <= MOST_SHOWN)
}

/** The text of a report: the first hundred errors, all warnings, and how many there are; nothing for none. */
export const formatReport = (report: Diagnostics): string =>
  formatDiagnostics(report.list, severity => report.count(severity))

/**
 * The text of a list, the same way.
 *
 * @param total how many there are in all
 */
export function formatDiagnostics(
  list: readonly Diagnostic[],
  total = (severity: Severity) => list.filter(one => one.severity === severity).length,
): string {
  if (list.length === 0) return ''
  const shown = shownOf(list)
  const say = (word: Severity) => {
    const [n, seen] = [total(word), shown.filter(one => one.severity === word).length]
    return n === 0 ? [] : [`${n} ${word}${n === 1 ? '' : 's'}${seen < n ? ` (the first ${seen} are shown)` : ''}`]
  }
  const summary = [...say('error'), ...say('warning')].join(', ')
  return `${[...shown.map(formatDiagnostic), summary].join('\n\n')}\n`
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
  const text = formatDiagnostics(
    all.filter(one => shown.has(one)),
    severity => (severity === 'error' ? report.count(severity) : Math.min(SHOWN, warnings.length)),
  )
  const left = report.count('warning') - SHOWN
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
