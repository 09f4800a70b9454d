// Answers with an example of the contract, by its name.

import type { Question } from '../../answer/answers.ts'
import type { Handler, Site } from '../behaviour.ts'

export function compileExample(example: string, site: Site): Handler {
  const { answers } = site
  const refused = answers.reply({ ...ANY, example }).refusal
  if (refused !== undefined) site.error('unknown-example', refused.detail, ['example'])
  return async exchange => answers.reply(exchange.question({ example }))
}

/** A question without a request, for finding out at load whether there is such an example. */
const ANY: Question = {
  status: undefined,
  example: undefined,
  dynamic: false,
  seed: 0,
  given: { parameters: [], body: undefined },
  accept: undefined,
  method: 'GET',
  path: '/',
  host: undefined,
}
