// Writes a note of each answered request to the engine before its reply is sent, so that other processes know the request
// even if this one is killed. The requests of one turn of the event loop are one note.

import type { Engine } from '../../state/engine.ts'
import type { Journal } from '../journal/journal.ts'
import { EntryWriter, writeForgotten } from '../journal/portable.ts'
import type { Gathering } from './gathering.ts'

export class RequestTrail {
  readonly #engine: Engine
  readonly #journal: Journal
  readonly #gathering: Gathering
  readonly #writer = new EntryWriter()
  #lines: string[] = []
  /** Resolves when the notes so far have been left; `undefined` where there are none to wait for. */
  #left: Promise<void> | undefined
  /** The mean length of a note. */
  #length = 300

  constructor(engine: Engine, journal: Journal, gathering: Gathering) {
    this.#gathering = gathering
    this.#engine = engine
    this.#journal = journal
    for (const entry of journal.each()) this.#note(this.#writer.write(entry))
    journal.listen(entry => this.#note(this.#writer.write(entry)))
    journal.onClear = world => this.#note(writeForgotten({ world, member: journal.member }))
  }

  /** Resolves when all requests so far would be known even if this process were killed; `undefined` if they are. */
  get left(): Promise<void> | undefined {
    return this.#left
  }

  /** Returns the lines that all processes have noted: see `joinJournals`. */
  read(): Promise<readonly string[]> {
    return this.#engine.notes()
  }

  /** Makes every process forget its requests: all, or those of a world. */
  forget(world: string | undefined): Promise<void> {
    this.#note(writeForgotten({ world, member: undefined }))
    return this.#left as Promise<void>
  }

  #note(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length === 1) this.#left = this.#leave()
  }

  async #leave(): Promise<void> {
    // The requests that arrived together are one note.
    await this.#gathering.ready()
    const left = this.#left
    const note = this.#lines.join('\n')
    this.#lines = []
    this.#length += (note.length - this.#length) / 100
    const { requests, bytes } = this.#journal.bounds
    await this.#engine.leave(note, Math.ceil(Math.min(requests, bytes / this.#length)))
    if (this.#left === left) this.#left = undefined
  }
}
