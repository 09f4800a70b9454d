// The proxy of `understudy record --upstream`: a gateway that forwards every request, and records what passes.

import { relative } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type CommandLine, counted, type Program } from '../../cli/command.ts'
import { createLog } from '../../gateway/log.ts'
import type { Serving } from '../../http/serve.ts'
import { type Loaded, loadPlan } from '../../load/load.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { start } from '../../start.ts'
import { realClock } from '../../world/clock.ts'
import { Blanks } from '../project/blanks.ts'
import { readRecording } from '../project/recording.ts'
import { realApiObserver } from '../real-api/observe.ts'
import { recordingObserver } from './observe.ts'
import { Recorder, type RecordingTarget } from './recorder.ts'

/** Runs a proxy of an API until it is stopped. Returns the exit code. */
export async function recordProxy(
  url: string,
  { path, personal, plan }: RecordingTarget,
  { values }: CommandLine,
  program: Program,
): Promise<number> {
  // The engine lets the garbage of copies grow to 60 MB more otherwise, and is no faster for it.
  setFlagsFromString('--optimize-for-size')
  const { home, print, complain, progress, version, wings } = program
  const loaded = loadPlan('recorder.yaml', home, {}, { text: proxySettings(url, values), wings })
  if (loaded.plan === undefined) {
    complain(`--upstream ${loaded.report.list.map(({ message }) => message).join('; ')}\n`)
    return 2
  }
  const { open, ...masked } = await readRecording(path, version)
  const har = open()
  const recorder = new Recorder(har, new Blanks(personal, plan?.contract, masked), plan, error => {
    progress.report(`recording: ${recorder.summary}`)
    if (error !== undefined) complain(`understudy: nothing more is recorded (${error.message}); requests still pass\n`)
  })
  const name = relative(home, path)
  await serveRecorder(recorder, { ...loaded, plan: withOneOperation(loaded.plan) }, path, program, serving => {
    const { origin, controlOrigin } = serving
    print(`Recording ${url} at ${origin} to ${name}\nStop: Ctrl-C, or POST ${controlOrigin}/recordings/stop\n`)
  })
  har.close()
  progress.clear()
  const { cut, lost } = recorder.counts
  print(`Recorded: ${recorder.summary}${cut > 0 ? `; left out: ${counted(cut, 'body')} of more than 1 MiB` : ''}\n`)
  if (lost === 0) return 0
  complain(
    `understudy: ${lost} exchanges are not in the recording; make a project of the rest: understudy record --from ${name}\n`,
  )
  return 1
}

/** Returns the configuration of the proxy. */
function proxySettings(url: string, values: CommandLine['values']): string {
  const operation = { responses: { default: { description: 'As the real API answers' } } }
  return JSON.stringify({
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
}

/** Returns the plan with one operation, which has every method and path. */
function withOneOperation(plan: Plan): Plan {
  const target = { planned: plan.operations[0] as PlannedOperation, basePath: '' }
  return { ...plan, find: () => ({ target, segments: [], broken: false }) }
}

/** Serves the proxy until it is stopped, and all exchanges are written. */
async function serveRecorder(
  recorder: Recorder,
  loaded: Loaded & { readonly plan: Plan },
  file: string,
  { environment, stopped, wings }: Program,
  started: (serving: Serving) => void,
): Promise<void> {
  const { host, port, controlHost, control: controlPort } = loaded.plan.simulation.listen
  const { gateway, serving, close } = await start(loaded.plan, loaded, async () => loaded, {
    clock: realClock,
    log: await createLog('warn'),
    environment,
    wings,
    watch: false,
    listen: { host, port, controlHost, controlPort, controlToken: undefined },
  })
  gateway.observed(realApiObserver).wrap(client => recorder.through(client))
  const ended = stopped(stop => {
    gateway.observed(recordingObserver).stop = async () => {
      await recorder.written
      stop()
      const { exchanges, breaking, operations } = recorder.counts
      return { file, exchanges, operations: operations.size, breaking }
    }
  })
  started(serving)
  await ended
  await close()
  await recorder.written
}
