// Runs `understudy import`.

import { relative, resolve } from 'node:path'
import { type CommandLine, counted, firstLines, type Program, tellMistakes } from '../../cli/command.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { isHar } from '../project/har.ts'
import { runRecord } from '../record/run-record.ts'
import { importFiles } from './import.ts'

export async function runImport(line: CommandLine, program: Program): Promise<number> {
  const { file, values, lists, switches } = line
  const { files: names = [file] } = lists
  const { output = 'imported', contract } = values
  // A HAR is large, and is read entry by entry.
  if (values.as === 'har' || (values.as === undefined && isHar(resolve(program.home, file)))) {
    return runRecord({ ...line, values: { from: file, output, contract } }, program)
  }
  const report = new Diagnostics()
  const options = { output, as: values.as, contract, force: switches.has('force'), wings: program.wings }
  const made = await importFiles(names, program.home, report, options)
  tellMistakes(report, line, program, true)
  if (made === undefined) return 1
  const { kind, tried, variables } = made
  const lines = [
    `${names.join(', ')}: ${kind.what}; ${counted(made.files.size, 'file')} are in ${output}.`,
    `${tried.equal} of ${tried.tried} replies are equal${others(tried.alike, tried.equal)}.`,
    tried.named > 0 && `${tried.named} of them only if the request names the example: Prefer: example=NAME`,
    tried.untried > 0 && `Not tried, because no request for them is named: ${counted(tried.untried, 'case')}.`,
    ...firstLines(tried.different),
    variables.length > 0 && `Set before it is served, as credentials of its consumers: ${variables.join(', ')}`,
    `Try: understudy serve ${relative(program.home, `${output}/gateway.yaml`) || output}\n`,
  ]
  program.print(lines.filter(Boolean).join('\n'))
  return report.failed ? 1 : 0
}

/** The rest of a sentence: replies whose values the source or the stand-in draws are compared by status and types. */
const others = (alike: number, equal: number): string =>
  alike === 0 ? '' : `, ${alike} ${equal === 0 ? '' : 'more '}${alike === 1 ? 'has' : 'have'} the same status and types`
