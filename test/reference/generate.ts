// Writes the parts that follow from the code: config/gateway.schema.json, the schemas of the control plane's replies, the blocks
// of README.md and docs/ between markers, and the pictures. With --check it writes nothing and fails if something is stale.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeCommands } from '../../src/cli/command-line.ts'
import { WINGS } from '../../src/wings.ts'
import { describeConfiguration } from './configuration.ts'
import { describeControlPlane } from './control-plane.ts'
import { describeDecisions } from './decisions.ts'
import { gatewaySchema } from './gateway-schema.ts'
import { describeMetrics } from './metrics.ts'
import { describeNumbers } from './numbers.ts'
import { drawBench } from './pictures/bench.ts'
import { drawCalendar } from './pictures/calendar.ts'
import { drawRecording, drawReplies, drawSandbox } from './pictures/real-api.ts'
import { drawRequest } from './pictures/request.ts'
import { drawRooms } from './pictures/rooms.ts'
import { describeProblems } from './problems.ts'
import { describeReplies, REPLY_FOLDERS } from './reply-schemas.ts'

const ROOT = join(import.meta.dirname, '../..')
const END = '<!-- end of generated -->'
/** The help of the program, from its second line on: the first contains the version. */
const describeProgram = () => `\`\`\`\n${describeCommands('', WINGS).split('\n').slice(2).join('\n')}\`\`\``

/** By page, its generated parts by name. */
const PARTS: Readonly<Record<string, Readonly<Record<string, () => string | Promise<string>>>>> = {
  'README.md': { numbers: describeNumbers },
  'docs/decisions/index.md': { decisions: describeDecisions },
  'docs/reference/cli.md': { commands: describeProgram },
  'docs/reference/configuration.md': { configuration: describeConfiguration },
  'docs/reference/control-plane.md': { 'control plane': describeControlPlane },
  'docs/reference/refusals.md': { problems: describeProblems },
  'docs/reference/metrics.md': { metrics: describeMetrics },
}

async function fill(page: string, parts: (typeof PARTS)[string]): Promise<string> {
  let text = readFileSync(join(ROOT, page), 'utf8')
  for (const [name, describe] of Object.entries(parts)) {
    const begin = `<!-- generated: ${name} -->`
    const from = text.indexOf(begin)
    const to = text.indexOf(END, from)
    if (from === -1 || to === -1) throw new Error(`${page} has no part "${begin}" … "${END}"`)
    text = `${text.slice(0, from)}${begin}\n\n${await describe()}\n\n${text.slice(to)}`
  }
  return text
}

/** The pages for language models (https://llmstxt.org): docs/index.md with its headings as headings. */
function describePages(): string {
  const pages = readFileSync(join(ROOT, 'docs/index.md'), 'utf8').replace(/^\*\*(.*)\*\*$/gm, '## $1')
  const { description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return pages.replace('# Understudy\n', `# Understudy\n\n> ${description}\n`)
}

const files: Readonly<Record<string, string>> = {
  'docs/llms.txt': describePages(),
  ...Object.fromEntries(REPLY_FOLDERS.map(folder => [`${folder}/reply-schemas.json`, describeReplies(folder)])),
  'config/gateway.schema.json': `${JSON.stringify(gatewaySchema(), null, 2)}\n`,
  'docs/pictures/bench.svg': drawBench(),
  'docs/pictures/calendar.svg': drawCalendar(),
  'docs/pictures/recording.svg': drawRecording(),
  'docs/pictures/replies.svg': drawReplies(),
  'docs/pictures/request.svg': drawRequest(),
  'docs/pictures/rooms.svg': drawRooms(),
  'docs/pictures/sandbox.svg': drawSandbox(),
  ...Object.fromEntries(
    await Promise.all(Object.entries(PARTS).map(async ([page, parts]) => [page, await fill(page, parts)] as const)),
  ),
}

const check = process.argv.includes('--check')
for (const [path, text] of Object.entries(files)) {
  const written = existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined
  if (written === text) continue
  if (check) {
    console.error(`${path} is stale: npm run generate`)
    process.exitCode = 1
  } else writeFileSync(join(ROOT, path), text)
}
