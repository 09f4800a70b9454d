// `understudy contract`: the document with its overlays.

import { CONFIGURATIONS, type Command, oneOf, readingOf, tellMistakes } from '../../cli/command.ts'
import { writeYaml } from '../../kernel/file/write-yaml.ts'
import { approximate, type Json } from '../../kernel/json.ts'
import { Loading } from '../../load/loading.ts'

export const contract: Command = {
  about: 'print the OpenAPI document with its overlays applied',
  files: CONFIGURATIONS,
  options: {
    format: {
      takes: 'FORMAT',
      variable: 'UNDERSTUDY_CONTRACT_FORMAT',
      about: 'the format of the document: yaml or json',
      fault: oneOf(['yaml', 'json']),
    },
  },
  async run(line, program) {
    const { home, environment, wings } = program
    const loading = new Loading(line.file, home, environment, readingOf(line, wings))
    const { report } = loading
    const merged = loading.readFile()?.readContractFile()
    tellMistakes(report, { ...line, values: {} }, program)
    if (merged === undefined || report.failed) return 1
    const document = merged.source.value as Json
    program.print(
      line.values.format === 'json' ? `${JSON.stringify(approximate(document), null, 2)}\n` : writeYaml(document),
    )
    return 0
  },
}
