// `understudy requests` and `understudy records`: what a running gateway has, for other tools.

import { type Command, mustBe, oneOf } from '../../cli/command.ts'
import { isTraceId } from '../../kernel/trace.ts'

const WORLD = { takes: 'NAME', about: 'those of this world' }

export const requests: Command = {
  about: 'print the requests of a running gateway, named by the URL of its control plane, for other tools',
  options: {
    format: {
      takes: 'FORMAT',
      variable: 'UNDERSTUDY_REQUESTS_FORMAT',
      about: 'json, har (HAR 1.2) or postman (a collection, 2.1); default: har',
      fault: oneOf(['json', 'har', 'postman']),
    },
    world: WORLD,
    trace: {
      takes: 'ID',
      about: 'those of this trace (`traceparent`)',
      fault: mustBe('32 hexadecimal digits in lower case', isTraceId),
    },
  },
  run: async (line, program) => (await import('./run-requests.ts')).runRequests(line, program),
}

export const records: Command = {
  about: 'print the records of a world of a running gateway as a db.json',
  options: { world: { ...WORLD, about: 'the world (default: default)' } },
  run: async (line, program) => (await import('./run-requests.ts')).runRecords(line, program),
}
