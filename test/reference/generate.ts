// Writes what is derived from the code: config/gateway.schema.json, and the parts of README.md between markers. With
// --check it writes nothing, and fails where something is stale.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeCommands } from '../../src/cli/command-line.ts'
import { publishedSchema } from '../../src/plan/published-schema.ts'
import { describeConfiguration } from './configuration.ts'
import { describeMetrics } from './metrics.ts'
import { describeProblems } from './problems.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The help of the program, from its second line on: the first has the version in it. */
const describeProgram = () => `\`\`\`\n${describeCommands('').split('\n').slice(2).join('\n')}\`\`\``

const PARTS: Readonly<Record<string, () => string | Promise<string>>> = {
  commands: describeProgram,
  configuration: describeConfiguration,
  problems: describeProblems,
  metrics: describeMetrics,
}

let readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
for (const [name, describe] of Object.entries(PARTS)) {
  const [begin, end] = [`<!-- generated: ${name} -->`, '<!-- end of generated -->']
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`README.md has no part "${begin}" … "${end}"`)
  readme = `${readme.slice(0, from)}${begin}\n\n${await describe()}\n\n${readme.slice(to)}`
}

const check = process.argv.includes('--check')
for (const [path, text] of [
  ['config/gateway.schema.json', `${JSON.stringify(publishedSchema(), null, 2)}\n`],
  ['README.md', readme],
] as const) {
  if (readFileSync(join(ROOT, path), 'utf8') === text) continue
  if (check) {
    console.error(`${path} is stale: npm run generate`)
    process.exitCode = 1
  } else writeFileSync(join(ROOT, path), text)
}
