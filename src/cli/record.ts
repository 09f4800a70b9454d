// `understudy record`.

import { join, relative, resolve } from 'node:path'
import { readControlPlane } from '../http/control-client.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import { loadContract } from '../load/load.ts'
import { projectOfExchanges } from '../load/record/record.ts'
import { addToRecording, exchangesOf, RECORDING } from '../load/record/recording.ts'
import { type Command, tellMistakes } from './command.ts'

/** The most differences that are named. */
const SHOWN = 50

export const record: Command = {
  about: 'make a stateful stand-in of recorded traffic, and say how true it is',
  options: {
    from: { takes: 'SOURCE', about: 'a HAR file, or the URL of the control plane of a running gateway' },
    contract: { takes: 'FILE', about: 'the OpenAPI document; without it a first one is inferred from the traffic' },
    output: { takes: 'FOLDER', about: 'the folder of the project and of earlier recordings (default: recorded)' },
    mask: { takes: 'NAMES', about: 'blank these fields, too, separated by commas: name,email' },
  },
  async run(line, program) {
    const { from = line.file, output = 'recorded', contract, mask = '' } = line.values
    const { home, environment, complain, print, version } = program
    if (from === '') {
      complain('record needs a source: --from FILE.har, or --from http://127.0.0.1:4011\n')
      return 2
    }
    const report = new Diagnostics()
    const token = environment.UNDERSTUDY_CONTROL_TOKEN
    const isUrl = /^https?:/.test(from)
    const read = isUrl ? await readControlPlane(from, '/requests?format=har&limit=100000', token) : { text: '' }
    if ('fault' in read) {
      complain(`understudy: ${read.fault}\n`)
      return 1
    }
    const exchanges = exchangesOf(isUrl ? [Buffer.from(read.text)] : resolve(home, from), from, report)
    const document = contract === undefined ? undefined : loadContract(contract, home)
    const tell = (mistakes: Diagnostics): number => {
      tellMistakes(mistakes, line, program, true)
      return mistakes.failed ? 1 : 0
    }
    if (document?.report.failed) return tell(document.report)
    const folder = resolve(home, output)
    const options = { source: from, personal: mask.split(','), contract: document?.contract, version }
    const recording = join(folder, RECORDING)
    const { added, all } = await addToRecording(recording, exchanges, options, report)
    if (all === 0 && !report.failed) complain(`${from} has no exchanges with an API\n`)
    if (report.failed || all === 0) return tell(report) || 1
    const place = { folder, contract: contract && resolve(home, contract), home }
    const made = await projectOfExchanges(exchangesOf(recording), place, report)
    const code = tell(report)
    if (made === undefined) return 1
    const { files, kept, proof } = made
    const different = [...proof.different].map(
      ([what, count]) => `  ${what}${count === 1 ? '' : ` (${count} replies)`}`,
    )
    const lines = [
      `New exchanges: ${added}, of ${all} in ${output}/${RECORDING}`,
      `Written to ${output}: ${[...files.keys()].join(', ')}`,
      kept.length > 0 && `Kept, because they were changed: ${kept.join(', ')}; delete one to have it written anew`,
      `${proof.equal} of ${proof.tried} recorded replies are equal${different.length > 0 ? '; recorded ≠ answered:' : ''}`,
      ...different.slice(0, SHOWN),
      different.length > SHOWN && `  … and ${different.length - SHOWN} more`,
      `Try: understudy serve ${relative(home, join(folder, 'gateway.yaml'))}\n`,
    ]
    print(lines.filter(Boolean).join('\n'))
    return code
  },
}
