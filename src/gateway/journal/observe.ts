// The second observer: keeps each request in the journal.

import type { Judgement } from '../../kernel/http.ts'
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
      const isSecret = done.exchange.operation.secret === true
      const note = ({ text, body }: Judgement): void => {
        if (text !== undefined) journal.note(id, text)
        if (body instanceof Uint8Array && !isSecret) journal.keepReply(id, body)
      }
      stream.judged.then(note).catch(fail)
    }
  },
}
