// The list of decisions, by title.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../docs/decisions')

/** A line for each file: its title and its date. */
export function describeDecisions(): string {
  return readdirSync(FOLDER)
    .filter(file => file.endsWith('.md') && file !== 'index.md')
    .map(file => {
      const text = readFileSync(join(FOLDER, file), 'utf8')
      const [, title = ''] = /^# (.*)/.exec(text) ?? []
      const [date] = /\d{4}-\d{2}-\d{2}/.exec(text) ?? []
      return `- [${title}](${file}), ${date}`
    })
    .sort()
    .join('\n')
}
