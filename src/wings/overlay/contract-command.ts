// `understudy contract`: the document with its overlays.

import { CONFIGURATIONS, type Command, OVERLAY, oneOf, readingOf, tellMistakes } from '../../cli/command.ts'
import { writeYaml } from '../../kernel/file/write-yaml.ts'
import { approximate, type Json } from '../../kernel/json.ts'
import { readMerged } from '../../load/load.ts'

export const contract: Command = {
  about: 'print the OpenAPI document with its overlays applied',
  files: CONFIGURATIONS,
  options: {
    overlay: OVERLAY,
    format: {
      takes: 'FORMAT',
      variable: 'UNDERSTUDY_CONTRACT_FORMAT',
      about: 'the format of the document: yaml or json',
      fault: oneOf(['yaml', 'json']),
    },
  },
  async run(line, program) {
    const { value, report } = readMerged(line.file, program.home, program.environment, readingOf(line))
    tellMistakes(report, { ...line, values: {} }, program)
    if (value === undefined) return 1
    const document = value as Json
    program.print(
      line.values.format === 'json' ? `${JSON.stringify(approximate(document), null, 2)}\n` : writeYaml(document),
    )
    return 0
  },
}
