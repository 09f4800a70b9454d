// `understudy import`.

import { relative, resolve } from 'node:path'
import {
  type Command,
  type CommandLine,
  counted,
  firstLines,
  oneOf,
  type Program,
  tellMistakes,
} from '../../cli/command.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { isHar } from '../project/har.ts'
import { record } from '../record/record-command.ts'
import { IMPORT_KINDS, importFiles } from './import.ts'

export const importCommand: Command = {
  about: `make a project of the file or folder of another tool: ${IMPORT_KINDS.join(', ')}`,
  files: ['db.json'],
  takesMany: true,
  options: {
    output: {
      takes: 'FOLDER',
      about: 'the folder to write openapi.yaml, gateway.yaml and fixtures to (default: imported)',
    },
    contract: { takes: 'FILE', about: 'the OpenAPI document that the requests are for; without it one is made' },
    as: {
      takes: 'KIND',
      about: `the kind of the file, if it is not recognised: ${IMPORT_KINDS.join(', ')}`,
      fault: oneOf(IMPORT_KINDS),
    },
    force: { about: 'overwrite existing files' },
    format: { takes: 'FORMAT', about: 'as for serve', fault: oneOf(['text', 'json', 'github']) },
  },
  run: runImport,
}

async function runImport(line: CommandLine, program: Program): Promise<number> {
  const { file, values, lists, switches } = line
  const { files: names = [file] } = lists
  const { output = 'imported', contract } = values
  // A HAR is large, and is read entry by entry.
  if (values.as === 'har' || (values.as === undefined && isHar(resolve(program.home, file)))) {
    return record.run({ ...line, values: { from: file, output, contract } }, program)
  }
  const report = new Diagnostics()
  const options = { output, as: values.as, contract, force: switches.has('force'), wings: program.wings }
  const made = await importFiles(names, program.home, report, options)
  tellMistakes(report, line, program, true)
  if (made === undefined) return 1
  const { kind, tried, variables } = made
  const lines = [
    `${names.join(', ')}: ${kind.what}; ${counted(made.files.size, 'file')} are in ${output}.`,
    `${tried.equal} of ${tried.tried} replies are equal.`,
    tried.named > 0 && `${tried.named} of them only if the request names the example: Prefer: example=NAME`,
    tried.untried > 0 && `Not tried, because no request for them is named: ${counted(tried.untried, 'case')}.`,
    ...firstLines(tried.different),
    variables.length > 0 && `Set before it is served, as credentials of its consumers: ${variables.join(', ')}`,
    `Try: understudy serve ${relative(program.home, `${output}/gateway.yaml`) || output}\n`,
  ]
  program.print(lines.filter(Boolean).join('\n'))
  return report.failed ? 1 : 0
}
