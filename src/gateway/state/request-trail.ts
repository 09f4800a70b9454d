// Notes each request that this process answers with the engine, before the reply leaves: other processes know of it though
// this one is killed. The requests of one turn of the event loop are one note.

import type { Reply } from '../../kernel/reply.ts'
import type { Engine } from '../../state/engine.ts'
import { afterPromises } from '../../world/clock.ts'
import type { Journal } from '../journal/journal.ts'
import { writeEntry, writeForgotten } from '../journal/portable.ts'

export class RequestTrail {
  readonly #engine: Engine
  readonly #journal: Journal
  #lines: string[] = []
  /** Resolves when the notes so far have been left; `undefined` where there are none to wait for. */
  #left: Promise<void> | undefined
  #done = () => {}
  /** The mean length of a note. */
  #length = 300

  constructor(engine: Engine, journal: Journal) {
    this.#engine = engine
    this.#journal = journal
    for (const entry of journal.each()) this.#note(writeEntry(entry))
    journal.listen(entry => this.#note(writeEntry(entry)))
    journal.onClear = world => this.#note(writeForgotten({ world, member: journal.member }))
  }

  /** Returns the reply once other processes would know of it though this one were killed. */
  noted(reply: Reply): Reply | Promise<Reply> {
    const left = this.#left
    return left === undefined ? reply : left.then(() => reply)
  }

  /** Returns the lines that all processes have noted: see `joinJournals`. */
  read(): Promise<readonly string[]> {
    return this.#engine.notes()
  }

  /** Has the requests of every process be forgotten: all, or those of a world. */
  forget(world: string | undefined): Promise<void> {
    this.#note(writeForgotten({ world, member: undefined }))
    return this.#left as Promise<void>
  }

  #note(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > 1) return
    const left = new Promise<void>(resolve => {
      this.#done = resolve
    })
    this.#left = left
    afterPromises(() => this.#leave(left))
  }

  #leave(left: Promise<void>): void {
    const lines = this.#lines
    const done = this.#done
    this.#lines = []
    const end = () => {
      if (this.#left === left) this.#left = undefined
      done()
    }
    const note = lines.join('\n')
    this.#length += (note.length - this.#length) / 100
    const { requests, bytes } = this.#journal.bounds
    const leaving = this.#engine.leave(note, Math.ceil(Math.min(requests, bytes / this.#length)))
    if (leaving === undefined) end()
    else void leaving.then(end)
  }
}
