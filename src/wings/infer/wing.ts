// Inference: the state that an OpenAPI document without settings suggests, served as it is or written to a gateway.yaml.

import type { Wing } from '../../cli/command.ts'
import { init } from './init-command.ts'

export const infer: Wing = {
  name: 'infer',
  commands: { init },
  reading: {
    options: { stateful: { about: 'give a bare OpenAPI document the state that can be inferred from it' } },
    loader({ switches }) {
      if (!switches.has('stateful')) return undefined
      return async (...given) => (await import('./load-inferred.ts')).loadInferred(...given)
    },
  },
}
