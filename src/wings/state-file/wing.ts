// A state file: the state of one process, kept over restarts.

import type { Wing } from '../../cli/command.ts'
import { KEYS, mistakesIn, settingsOf } from './settings.ts'

export const stateFile: Wing = {
  name: 'state-file',
  engines: [
    {
      key: 'file',
      about: 'a file',
      example: 'file: ./understudy.state',
      keys: KEYS,
      isShared: false,
      mistakesIn,
      async make(block, folder, around, switches) {
        const { FileLog } = await import('./file-log.ts')
        return new FileLog(settingsOf(block, folder, switches.has('recover')), around)
      },
    },
  ],
  extensions: {
    serve: { options: { recover: { about: 'drop the damaged line of a state file, and those after it' } } },
  },
}
