// Effects: what a write of a record changes in other resources.

import type { Wing } from '../../cli/command.ts'
import { effects as responder } from './effects.ts'

export const effects: Wing = { name: 'effects', responders: [responder] }
