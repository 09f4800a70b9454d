// `understudy record`: of a file, of the journal of a running gateway, or of what passes through a proxy.

import { join, relative, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import {
  type Command,
  type CommandLine,
  counted,
  firstLines,
  isUrl,
  type Program,
  port,
  RECORDED,
  tellMistakes,
} from '../../cli/command.ts'
import { createLog } from '../../gateway/log.ts'
import { readRunning } from '../../http/control-client.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { loadPlan } from '../../load/load.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { start } from '../../start.ts'
import { realClock } from '../../world/clock.ts'
import { addToRecording, createMask, exchangesOf, RECORDING, readRecording } from '../project/recording.ts'
import { realApiObserver } from '../real-api/observe.ts'
import { recordingObserver } from './observe.ts'
import { projectOfExchanges } from './record.ts'
import { createRecorder, type RecordingCounts } from './recorder.ts'

export const record: Command = {
  about: 'make a stateful stand-in of recorded traffic, and say how true it is',
  options: {
    from: RECORDED,
    upstream: { takes: 'URL', about: 'record what passes through a proxy of this API, until it is stopped' },
    port: { takes: 'N', about: 'port of the proxy (default: 4010)', fault: port },
    'control-port': { takes: 'N', about: 'port of its control plane (default: 4011)', fault: port },
    contract: { takes: 'FILE', about: 'the OpenAPI document; without it a first one is inferred from the traffic' },
    output: { takes: 'FOLDER', about: 'the folder of the project and of earlier recordings (default: recorded)' },
    mask: { takes: 'NAMES', about: 'blank these fields, too, separated by commas: name,email' },
  },
  async run(line, program) {
    const { from = line.file, output = 'recorded', contract, upstream, mask = '' } = line.values
    const { home, complain, print, version, wings } = program
    if ((from === '') === (upstream === undefined)) {
      complain('record needs one source: --upstream URL, --from FILE.har, or --from http://127.0.0.1:4011\n')
      return 2
    }
    const report = new Diagnostics()
    const tell = (mistakes: Diagnostics): number => {
      tellMistakes(mistakes, line, program, true)
      return mistakes.failed ? 1 : 0
    }
    const document = contract === undefined ? undefined : loadPlan(contract, home, {}, { wings })
    if (document !== undefined && document.plan === undefined) return tell(document.report)
    const folder = resolve(home, output)
    const path = join(folder, RECORDING)
    const personal = mask.split(',')
    if (upstream !== undefined) {
      const code = await runProxy(upstream, path, personal, document?.plan, line, program)
      if (code !== 0) return code
    } else {
      const read = isUrl(from) && (await readRunning(from, '/requests?format=har&limit=100000', program))
      if (read === undefined) return 1
      const exchanges = exchangesOf(read === false ? resolve(home, from) : [Buffer.from(read)], from, report)
      const options = { source: from, personal, contract: document?.plan?.contract, version }
      const { added, all } = await addToRecording(path, exchanges, options, report)
      if (all === 0 && !report.failed) complain(`${from} has no exchanges with an API\n`)
      if (report.failed || all === 0) return tell(report) || 1
      print(`New exchanges: ${added}, of ${all} in ${output}/${RECORDING}\n`)
    }
    const place = { folder, contract: contract && resolve(home, contract), home, wings }
    const made = await projectOfExchanges(exchangesOf(path), place, report)
    const code = tell(report)
    if (made === undefined) return 1
    const { files, kept, proof } = made
    const different = [...proof.different].map(([what, count]) => `${what}${count === 1 ? '' : ` (${count} replies)`}`)
    const lines = [
      `Written to ${output}: ${[...files.keys()].join(', ')}`,
      kept.length > 0 && `Kept, because they were changed: ${kept.join(', ')}; delete one to have it written anew`,
      `${proof.equal} of ${proof.tried} recorded replies are equal${different.length > 0 ? '; recorded ≠ answered:' : ''}`,
      ...firstLines(different),
      `Try: understudy serve ${relative(home, join(folder, 'gateway.yaml'))}\n`,
    ]
    print(lines.filter(Boolean).join('\n'))
    return code
  },
}

/** Runs a proxy that records until it is stopped. Returns the exit code. */
async function runProxy(
  url: string,
  path: string,
  personal: readonly string[],
  plan: Plan | undefined,
  { values }: CommandLine,
  { home, environment, print, complain, progress, stopped, version, wings }: Program,
): Promise<number> {
  // The engine lets the garbage of copies grow to 60 MB more otherwise, and is no faster for it.
  setFlagsFromString('--optimize-for-size')
  // One operation has every method and path.
  const operation = { responses: { default: { description: 'As the real API answers' } } }
  const text = JSON.stringify({
    contract: {
      openapi: '3.1.0',
      info: { title: 'What is recorded', version: '1' },
      paths: { '/': { get: operation } },
    },
    upstream: { url, send: ['*'] },
    listen: { port: +(values.port ?? 4010), control: +(values['control-port'] ?? 4011), clientControls: false },
    journal: { requests: 1 },
    defaults: { respond: { forward: {} }, validate: { requests: 'off', replies: 'off' } },
  })
  const loaded = loadPlan('recorder.yaml', home, {}, { text, wings })
  const found = loaded.plan
  if (found === undefined) {
    complain(`--upstream ${loaded.report.list.map(({ message }) => message).join('; ')}\n`)
    return 2
  }
  const target = { planned: found.operations[0] as PlannedOperation, basePath: '' }
  const find: Plan['find'] = () => ({ target, segments: [], broken: false })
  const [open, blanks] = await readRecording(path, version)
  const har = open()
  const mask = createMask(personal, plan?.contract, blanks)
  const say = ({ exchanges, operations, breaking }: RecordingCounts): string =>
    `${counted(exchanges, 'exchange')}, ${counted(operations.size, 'operation')}${plan === undefined ? '' : `, ${breaking} of the replies break the contract`}`
  const recorder = createRecorder(har, mask, plan, (counts, error) => {
    progress.report(`recording: ${say(counts)}`)
    if (error !== undefined) complain(`understudy: nothing more is recorded (${error.message}); requests still pass\n`)
  })
  const { host, port: own, controlHost, control } = found.simulation.listen
  const { gateway, serving, close } = await start({ ...found, find }, loaded, async () => loaded, {
    clock: realClock,
    log: await createLog('warn'),
    environment,
    wings,
    watch: false,
    listen: { host, port: own, controlHost, controlPort: control, controlToken: undefined },
  })
  gateway.observed(realApiObserver).wrap(client => recorder.through(client))
  const { counts } = recorder
  const told = stopped(stop => {
    gateway.observed(recordingObserver).stop = async () => {
      await recorder.written()
      stop()
      const { exchanges, breaking, operations } = counts
      return { file: path, exchanges, operations: operations.size, breaking }
    }
  })
  print(
    `Recording ${url} at ${serving.origin} to ${relative(home, path)}\nStop: Ctrl-C, or POST ${serving.controlOrigin}/recordings/stop\n`,
  )
  await told
  await close()
  await recorder.written()
  har.close()
  progress.clear()
  print(
    `Recorded: ${say(counts)}${counts.cut > 0 ? `; left out: ${counted(counts.cut, 'body')} of more than 1 MiB` : ''}\n`,
  )
  if (counts.lost === 0) return 0
  complain(
    `understudy: ${counts.lost} exchanges are not in the recording; make a project of the rest: understudy record --from ${relative(home, path)}\n`,
  )
  return 1
}
