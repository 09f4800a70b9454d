// How far long work has come, for a person who waits for it.

/** Reports a step of the work; `done` of `all` where it can be counted. */
export type Progress = (step: string, done?: number, all?: number) => void

/** Where progress is shown: a terminal's `write`, and the time in milliseconds. */
export interface ProgressScreen {
  write(text: string): void
  now(): number
}

export interface ShownProgress {
  readonly report: Progress
  /** Removes what is shown, before something else is written. */
  clear(): void
}

/** Work that takes no longer than this shows nothing, in milliseconds. */
const PATIENCE = 1000
/** The shortest time between two changes of the line, in milliseconds. */
const PAUSE = 100

/** Shows progress in one line that is written over and over, once the work has taken more than a second. */
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
