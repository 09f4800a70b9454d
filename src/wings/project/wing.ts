// Projects made of exchanges: a contract, settings and fixtures, and the proof that they answer alike. Other wings use it.

import type { Wing } from '../../cli/command.ts'

export const project: Wing = { name: 'project' }
