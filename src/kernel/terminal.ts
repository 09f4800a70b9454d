// Output for a terminal: tables, and the progress of long work.

/** Pads columns to the width of their longest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Reports a step of the work; `done` of `all` if it can be counted. */
export type Progress = (step: string, done?: number, all?: number) => void

/** A terminal's `write`, and the time in milliseconds. */
export interface ProgressScreen {
  write(text: string): void
  now(): number
}

export interface ShownProgress {
  readonly report: Progress
  /** Removes the line before other output is written. */
  clear(): void
}

/** Shorter work shows no progress, in milliseconds. */
const PATIENCE = 1000
/** The minimum time between two updates of the line, in milliseconds. */
const PAUSE = 100

/** Shows progress in one line that is rewritten, once the work has taken more than a second. */
export function showProgress({ write, now }: ProgressScreen): ShownProgress {
  const began = now()
  let shown = 0
  let step = ''
  return {
    report(text, done, all) {
      const time = now()
      if (time - began < PATIENCE || (text === step && time - shown < PAUSE)) return
      shown = time
      step = text
      write(`\r\u001b[K${text}${done === undefined ? '' : ` ${done}${all === undefined ? '' : ` of ${all}`}`} …`)
    },
    clear() {
      if (shown > 0) write('\r\u001b[K')
      shown = 0
    },
  }
}
