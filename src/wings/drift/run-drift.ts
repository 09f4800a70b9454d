// Runs `understudy drift`: compares a recording, or asks a running gateway what it has compared.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  CONFIGURATIONS,
  CONTROL,
  type CommandLine,
  counted,
  isUrl,
  load,
  type Program,
  tellMistakes,
} from '../../cli/command.ts'
import { readRunning } from '../../http/control-client.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { attempted } from '../../kernel/memo.ts'
import { readHar } from '../project/har.ts'
import type { DriftReport } from './drift-book.ts'
import { compareRecorded } from './recorded.ts'
import { tellDrift, toldOfBook } from './tell-drift.ts'

export async function runDrift(line: CommandLine, program: Program): Promise<number> {
  const { values } = line
  const file = line.file || CONTROL
  const { home, complain } = program
  if (isUrl(file)) {
    const text = await readRunning(file, '/drift', program)
    if (text === undefined) return 1
    const running = attempted(() => JSON.parse(text) as DriftReport)
    if (running !== undefined) return tellDrift(running, line, program)
    complain(`understudy: ${file} is not the control plane of a gateway\n`)
    return 1
  }
  const config = values.config ?? CONFIGURATIONS.find(one => existsSync(resolve(home, one)))
  if (config === undefined) {
    complain(`none of these files exists: ${CONFIGURATIONS.join(', ')}; name one with --config\n`)
    return 2
  }
  const { plan, report } = await load({ ...line, file: config }, program)
  if (plan === undefined) {
    tellMistakes(report, line, program)
    return 1
  }
  const findings = new Diagnostics()
  const { book, compared } = await compareRecorded(readHar(resolve(home, file), file, findings), plan, findings, file)
  if (compared === 0 && findings.failed) {
    tellMistakes(findings, line, program)
    return 1
  }
  const told = toldOfBook(book, plan, findings, `${counted(compared, 'exchange')} of ${file}\n`)
  return tellDrift(told, line, program)
}
