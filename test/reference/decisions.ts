// The list of decisions, by number.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../docs/decisions')

/** A line for each file: its number, its title and its date. */
export function describeDecisions(): string {
  return readdirSync(FOLDER)
    .filter(file => /^\d{4}-.*\.md$/.test(file))
    .sort()
    .map(file => {
      const text = readFileSync(join(FOLDER, file), 'utf8')
      const [heading = ''] = text.split('\n')
      const [date] = /\d{4}-\d{2}-\d{2}/.exec(text) ?? []
      const title = heading.replace(/^# (?:\d{4}:? )?/, '')
      return `- ${file.slice(0, 4)} [${title.charAt(0).toUpperCase()}${title.slice(1)}](${file}), ${date}`
    })
    .join('\n')
}
