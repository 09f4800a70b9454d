// Import: makes a project of the files of another tool.

import type { Wing } from '../../cli/command.ts'
import { importCommand } from './import-command.ts'

export const importing: Wing = { name: 'import', commands: { import: importCommand } }
