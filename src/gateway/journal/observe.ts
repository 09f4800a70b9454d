// The second observer: keeps each request in the journal.

import type { Observer } from '../observer.ts'
import type { Journal } from './journal.ts'

export const journalObserver: Observer<{ readonly journal: Journal; fail(error: unknown): void }> = {
  name: 'journal',
  open: host => host,
  listens:
    (_, { journal }) =>
    () =>
      journal.bodies > 0,
  compile(plan, { journal, fail }) {
    if (plan.world === undefined) journal.adapt(plan.simulation.journal)
    return done => {
      const id = journal.record(done)
      const { stream } = done.reply
      if (stream?.judged === undefined) return
      stream.judged.then(({ text }) => text === undefined || journal.note(id, text)).catch(fail)
    }
  },
}
