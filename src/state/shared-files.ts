// Files without a name that the processes of one machine share instead of messages. The system keeps their bytes even if the
// writer is killed. One file holds the end of a log, two hold the notes of a process.

import { closeSync, ftruncateSync, openSync, readFileSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StateRefused } from './engine.ts'

/** Opens a new file, in the first of these folders that can be written, and removes its name. */
export function openUnnamed(folders: readonly string[], name: string): number {
  for (const folder of folders) {
    const path = join(folder, name)
    try {
      const file = openSync(path, 'wx+', 0o600)
      unlinkSync(path)
      return file
    } catch {
      // The next one may be writable.
    }
  }
  throw new StateRefused(`workers share files, and none of these folders can be written: ${folders.join(', ')}`)
}

/** The end of a log in a file: a number, twice, so that a reader recognises one that is just being written. */
export class LogEnd {
  readonly #file: number
  readonly #bytes = Buffer.alloc(16)

  constructor(file: number) {
    this.#file = file
  }

  get file(): number {
    return this.#file
  }

  /** @param at `undefined` where readers must ask */
  write(at: number | undefined): void {
    this.#bytes.writeDoubleLE(at ?? -1, 0)
    this.#bytes.writeDoubleLE(at ?? -1, 8)
    writeSync(this.#file, this.#bytes, 0, 16, 0)
  }

  /** Whether the log certainly ends there. */
  is(at: number): boolean {
    const read = readSync(this.#file, this.#bytes, 0, 16, 0)
    return read === 16 && this.#bytes.readDoubleLE(0) === at && this.#bytes.readDoubleLE(8) === at
  }
}

/** The notes of one process, in two files that it fills in turn, so that they do not grow without end. */
export class NoteFiles {
  readonly files: readonly [number, number]
  /** Counts the times that a file was begun: the first line of each. */
  #begun = 0
  #notes = Number.POSITIVE_INFINITY
  #end = 0

  constructor(files: readonly [number, number]) {
    this.files = files
  }

  get #file(): number {
    return this.files[this.#begun % 2] as number
  }

  /** Adds a note, which has no line feed at its end; at least the last `most` ones are kept. */
  add(note: string, most: number): void {
    if (this.#notes >= most) {
      this.#begun += 1
      this.#notes = 0
      ftruncateSync(this.#file)
      this.#end = writeSync(this.#file, `${this.#begun}\n`, 0)
    }
    this.#notes += 1
    this.#end += writeSync(this.#file, `${note}\n`, this.#end)
  }

  /** Reads the notes of a process that has ended line by line, oldest first, and closes the files. */
  take(): readonly string[] {
    const halves = this.files.map(file => {
      const [begun = '', ...lines] = readFileSync(file, 'utf8').split('\n')
      closeSync(file)
      // The last one has no end, or is empty.
      return { begun: Number(begun), notes: lines.slice(0, -1) }
    })
    return halves.sort((a, b) => a.begun - b.begun).flatMap(({ notes }) => notes)
  }
}
