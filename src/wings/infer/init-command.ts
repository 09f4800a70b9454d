// `understudy init`: the files that it writes.

import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import {
  type Command,
  type CommandLine,
  DOCUMENTS,
  FileExists,
  load,
  type Program,
  readingOf,
  tellMistakes,
} from '../../cli/command.ts'
import { describeSchema } from '../../cli/schema.ts'
import { referenceTo } from './reference.ts'

export const init: Command = {
  about: 'write a gateway.yaml that is inferred from an OpenAPI document',
  files: DOCUMENTS,
  options: {
    output: { takes: 'PATH', about: 'the file to write; - is standard output (default: gateway.yaml)' },
    schema: { about: 'write gateway.schema.json beside it, so that an editor completes and checks it' },
    force: { about: 'overwrite existing files' },
  },
  reads: true,
  run: runInit,
}

/** Writes the inferred file. Overwrites an existing one only with `--force`. */
async function runInit(line: CommandLine, program: Program): Promise<number> {
  const { home, print, progress, wings } = program
  const { file, values, switches } = line
  const { output = 'gateway.yaml' } = values
  const folder = output === '-' ? home : dirname(resolve(home, output))
  const { inferFile } = await import('./load-inferred.ts')
  const { inferred, report } = await inferFile(file, home, folder, {
    ...readingOf(line, wings),
    progress: progress.report,
  })
  tellMistakes(report, line, program, true)
  if (inferred === undefined) return 1
  const text = modeline(folder, switches.has('schema')) + inferred
  if (output === '-') {
    print(text)
    return 0
  }
  const schema = join(folder, 'gateway.schema.json')
  writeAnew(resolve(home, output), text, switches.has('force'))
  if (switches.has('schema')) {
    const { plan } = await load({ ...line, file: output, lists: {} }, program)
    progress.clear()
    writeAnew(schema, await describeSchema(plan), switches.has('force'))
  }
  const written = switches.has('schema') ? `${output} and ${relative(home, schema)} are` : `${output} is`
  const found = basename(output) === 'gateway.yaml' && folder === home ? '' : ` ${output}`
  print(`${written} written. Try: understudy serve${found}\n`)
  return 0
}

/** Writes a text, in the given folder; throws a `FileExists`. */
function writeAnew(path: string, text: string, force: boolean): void {
  try {
    writeFileSync(path, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new FileExists(path)
    throw error
  }
}

/** The schema as an installed package has it. */
const INSTALLED = 'node_modules/understudy-gateway/config/gateway.schema.json'

/**
 * Returns the comment by which an editor finds the schema of a gateway.yaml in `folder`: the one that `init` writes beside it,
 * otherwise that of the installed package, otherwise one that is beside it already. Without any of them it returns no comment.
 *
 * @param written whether a gateway.schema.json is written beside it
 */
function modeline(folder: string, written: boolean): string {
  const installed = written ? undefined : installedSchema(folder)
  if (installed === undefined && !written && !existsSync(join(folder, BESIDE))) return ''
  return `# yaml-language-server: $schema=${referenceTo(folder, installed ?? join(folder, BESIDE))}\n`
}

/** The schema that `init --schema` writes. */
const BESIDE = 'gateway.schema.json'

function installedSchema(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, INSTALLED)
    if (existsSync(path)) return path
    if (dirname(at) === at) return undefined
  }
}
