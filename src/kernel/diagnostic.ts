// Mistakes in the author's files. They are collected with their places and never thrown. Independent of files.

import { DOUBTFUL, remedyFor } from './remedies.ts'

export type Severity = 'error' | 'warning'

/** A place in a text; `line` and `column` count from 1, `length` in characters. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly length: number
  /** The text of the line, for the excerpt; empty if there is none (a missing file). */
  readonly text: string
  /** Identifies the place without computing its line: two places with one id are the same. */
  readonly id?: string
}

export interface Diagnostic {
  readonly severity: Severity
  /** Stable, in kebab-case. Tests and tools rely on the code; the message may change. */
  readonly code: string
  readonly message: string
  readonly place: Place
  readonly hint?: string
  /** The subject of the message, such as an operation's id, if the message leaves it out. */
  readonly subject?: string
  /** Identifies the finding from run to run: the message without its counts and times. */
  readonly constant?: string
}

/** The maximum number of diagnostics that are kept; further ones are counted. */
const MOST_KEPT = 10_000

/** The characters of a message that are kept: it may name a key of megabytes. */
const LONGEST = 2000

/** Collects diagnostics, so that an author sees every mistake at once. */
export class Diagnostics {
  /**
   * Names of blocks that exist and are invalid: a reference to one of them is not another mistake. And pointers to blocks of
   * which a part is invalid: that something is missing there is not another mistake either.
   */
  readonly broken = new Set<string>()
  /** The files of the contract that cannot be read. */
  readonly lost = new Set<string>()
  readonly #lacking: ReadonlySet<string> | undefined
  readonly #list: Diagnostic[] = []
  readonly #seen = new Set<string>()
  readonly #strict: boolean
  /** The places of variables that are not set: the values there are unknown, and have no other mistakes. */
  readonly #unset: Place[] = []
  readonly #counts: Record<Severity, number> = { error: 0, warning: 0 }

  /**
   * @param strict whether a warning is an error
   * @param lacking the unreadable files that the served configuration lacks, too; unset before one is served
   */
  constructor(strict = false, lacking?: ReadonlySet<string>) {
    this.#strict = strict
    this.#lacking = lacking
  }

  /** Notes that a file which the contract refers to cannot be read. Returns whether that is new to the served configuration. */
  loses(file: string): boolean {
    this.lost.add(file)
    return this.#lacking?.has(file) === false
  }

  error(code: string, message: string, place: Place, hint?: string): void {
    if (DOUBTFUL.has(code)) this.warning(code, message, place, hint)
    else this.add({ severity: 'error', code, message, place, hint })
  }

  warning(code: string, message: string, place: Place, hint?: string): void {
    this.add({ severity: this.#strict ? 'error' : 'warning', code, message, place, hint })
  }

  add(said: Diagnostic): void {
    const hint = said.hint ?? remedyFor(said.code)
    const text = said.message.length > LONGEST ? `${said.message.slice(0, LONGEST)}…` : said.message
    const diagnostic = { ...said, message: text, hint }
    const { code, message, place, severity, subject } = diagnostic
    const isHere = ({ file, line, column }: Place) =>
      line === place.line && column === place.column && file === place.file
    if (code === 'missing-variable') this.#unset.push(place)
    else if (this.#unset.some(isHere)) return
    if (this.#list.length >= MOST_KEPT) {
      this.#counts[severity] += 1
      return
    }
    // A component with two references is read twice; its mistake is reported once.
    const key = `${place.id ?? `${place.file}:${place.line}:${place.column}`}:${code}:${subject}:${message}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#list.push(diagnostic)
    this.#counts[severity] += 1
  }

  /** Adds to the number of errors that have no description. */
  omit(errors: number): void {
    this.#counts.error += errors
  }

  /** The diagnostics by file, in order of first appearance, then by line. */
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

  get failed(): boolean {
    return this.#counts.error > 0
  }

  /** Counts the diagnostics of a severity, including those that are not kept. */
  count(severity: Severity): number {
    return this.#counts[severity]
  }

  /** The diagnostics in order of appearance. Their places are not computed yet. */
  get unsorted(): readonly Diagnostic[] {
    return this.#list
  }
}

/**
 * Returns the candidate that is closest to a misspelt word, if one is close enough.
 *
 * @param most the number of letters that may differ
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  most = Math.max(slipsIn(word), Math.floor(word.length / 3)),
): string | undefined {
  let best: string | undefined
  let least = most + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), least)
    if (distance >= least) continue
    least = distance
    best = candidate
  }
  return best
}

/**
 * Returns another candidate, which differs from a word by one letter, or by two in a word of five or more. Used for names that
 * clients send, where a wrong guess is worse than none: `undefined` for a word of one or two letters, unless only its case
 * differs.
 */
export const slipOf = (word: string, candidates: Iterable<string>): string | undefined =>
  nearest(
    word,
    [...candidates].filter(one => one !== word && Math.max(word.length, one.length) <= LONGEST_NAME),
    slipsIn(word),
  )

/** Longer names, in characters, are not compared: clients may send any. */
const LONGEST_NAME = 100

/** The number of letters that may differ before a word counts as another one. */
export const slipsIn = ({ length }: string): number => (length > 4 ? 2 : length > 2 ? 1 : 0)

/** Returns `did you mean "…"?`, or the list of candidates, or nothing. */
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
