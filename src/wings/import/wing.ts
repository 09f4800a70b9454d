// Import: makes a project of the files of another tool, and recognises them where a contract is expected.

import type { Wing } from '../../cli/command.ts'
import { refuseForeign } from './foreign.ts'
import { importCommand } from './import-command.ts'

export const importing: Wing = { name: 'import', convert: refuseForeign, commands: { import: importCommand } }
