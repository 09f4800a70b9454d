// The requests of this process together with those of the other processes that share its state.

import type { Journal } from './journal/journal.ts'
import { type JournalView, joinJournals, writeJournal } from './journal/portable.ts'
import type { KeptState } from './state/kept-state.ts'

/** A question of one process to the others. */
type ProcessQuestion = { readonly ask: 'requests' } | { readonly ask: 'forget'; readonly world?: string | undefined }

export class AllRequests {
  readonly #journal: Journal
  readonly #state: () => KeptState | undefined

  /** @param state `undefined` where this process shares no state */
  constructor(journal: Journal, state: () => KeptState | undefined) {
    this.#journal = journal
    this.#state = state
  }

  async read(): Promise<JournalView> {
    const state = this.#state()
    if (state?.trail === undefined) return this.#journal
    const others = await state.ask(JSON.stringify({ ask: 'requests' } satisfies ProcessQuestion))
    return joinJournals(this.#journal, others, await state.trail.read())
  }

  /** Forgets all requests, or those of one world, in every process. */
  async forget(world?: string): Promise<void> {
    const state = this.#state()
    this.#journal.clear(world)
    await state?.trail?.forget(world)
    await state?.ask(JSON.stringify({ ask: 'forget', world } satisfies ProcessQuestion))
  }

  /** Forgets the requests of a world that is reset or deleted. The other processes do so when they read of that change. */
  forgetWorld(world: string): void {
    this.#journal.clear(world)
    void this.#state()?.trail?.forget(world)
  }

  /** Answers a question of another process. */
  async answer(text: string): Promise<string> {
    const question = JSON.parse(text) as ProcessQuestion
    // A reset that was acknowledged may not have reached this process, which forgets requests then.
    await this.#state()
      ?.catchUp()
      .catch(() => {})
    switch (question.ask) {
      case 'requests':
        return writeJournal(this.#journal)
      case 'forget':
        this.#journal.clear(question.world)
        return 'done'
      default:
        question satisfies never
        return ''
    }
  }
}
