// `understudy check --against`: compares a running server with the contract.

import { type CommandExtension, isUrl, mustBe } from '../../cli/command.ts'
import { BASELINE } from './drift-command.ts'
import { pauseOf } from './pause.ts'

export const against: CommandExtension = {
  options: {
    against: {
      takes: 'URL',
      about: 'call the operations of this server instead, and report where it differs from the contract',
      fault: mustBe('an http or https URL', isUrl),
    },
    as: { takes: 'CONSUMER', about: 'with --against: send the credentials of this consumer' },
    writes: { about: 'with --against: also create, change and delete records' },
    rate: {
      takes: 'RATE',
      about: 'with --against: send no more requests; default 10/s',
      fault: mustBe('requests per second, minute or hour, such as 10/s', text => pauseOf(text) !== undefined),
    },
    ...BASELINE,
  },
  run: (line, program) =>
    line.values.against === undefined
      ? undefined
      : import('./run-against.ts').then(({ runAgainst }) => runAgainst(line, program)),
}
