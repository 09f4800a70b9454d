// `example: sold-out`: an example of the contract.

import { ANY_QUESTION } from '../../contract/answer/answers.ts'
import { type Handler, type Site, setting } from '../behaviour.ts'
import type { Responder } from '../responder.ts'
import type { KeysOf } from './config.ts'

const keys = { example: setting.text('The name of an example of the contract.') }
type ExampleConfig = KeysOf<typeof keys>

export const example: Responder<ExampleConfig> = { kind: 'example', keys, changes: false, compile: compileExample }

function compileExample({ example }: ExampleConfig, { answers, error }: Site): Handler {
  const refused = answers.reply({ ...ANY_QUESTION, example }).refusal
  if (refused !== undefined) error('unknown-example', refused.detail, ['example'])
  return async exchange => answers.reply(exchange.question({ example }))
}
