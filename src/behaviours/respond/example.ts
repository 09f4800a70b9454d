// `example: sold-out`: an example of the contract.

import { type Handler, type Site, setting } from '../behaviour.ts'
import type { Responder } from '../responder.ts'
import { headersSchema, type KeysOf, statusSchema } from './config.ts'
import { compileChoice } from './documented.ts'

const keys = {
  example: setting.text('The name of an example of the contract.'),
  status: statusSchema,
  headers: headersSchema,
}
type ExampleConfig = KeysOf<typeof keys>

export const example: Responder<ExampleConfig> = {
  kind: 'example',
  keys,
  changes: false,
  onDemand: true,
  compile: (config: ExampleConfig, site: Site): Handler => compileChoice(config, site),
}
