// Answers with an example of the contract, by its name.

import { ANY_QUESTION } from '../../contract/answer/answers.ts'
import type { Handler, Site } from '../behaviour.ts'

export function compileExample(example: string, site: Site): Handler {
  const { answers } = site
  const refused = answers.reply({ ...ANY_QUESTION, example }).refusal
  if (refused !== undefined) site.error('unknown-example', refused.detail, ['example'])
  return async exchange => answers.reply(exchange.question({ example }))
}
