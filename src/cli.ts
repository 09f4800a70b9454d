#!/usr/bin/env node
// The command line: arguments and environment in, exit code out. The only reader of `process`.

import { writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describeStart } from './banner.ts'
import { type CommandLine, readCommandLine, WrongCommandLine } from './command-line.ts'
import { createLog, type LogLevel } from './gateway/log.ts'
import { selfCheck } from './gateway/self-check.ts'
import { UnguardedControlPlane } from './http/control/access.ts'
import { isWorker, leave, obey } from './http/workers.ts'
import { formatBriefly, formatReport } from './kernel/diagnostic.ts'
import { describeCalendar, describeDayWhole } from './plan/calendar.ts'
import type { Plan } from './plan/compile.ts'
import { describeWhole } from './plan/describe.ts'
import { inferFile, type Loaded, type LoadOptions, loadInferred, loadPlan } from './plan/load.ts'
import { withoutSharedState } from './plan/shared-state.ts'
import { simulationSchema } from './plan/simulation.ts'
import { start } from './start.ts'
import { version } from './version.ts'
import { realClock } from './world/clock.ts'
import { parseMoment } from './world/world-clock.ts'

const HOME = process.cwd()

const commands: Readonly<Record<string, (line: CommandLine) => number | Promise<number>>> = {
  serve,
  async check(line) {
    const { file, switches } = line
    const { plan, report, files } = await load(line, { thorough: true })
    const checked = plan !== undefined && switches.has('deep') ? await selfCheck(plan, report) : undefined
    process.stderr.write(formatReport(report))
    if (plan === undefined || report.failed) return 1
    if (checked !== undefined) print(`${count(checked.requests, 'request')} answered as the contract has it\n`)
    const sizes = `${count(plan.operations.length, 'operation')}, ${count(files.length, 'file')}`
    return print(`${file}: ${sizes}, ${report.size === 0 ? 'nothing wrong' : 'no error'}\n`)
  },
  async plan(line) {
    const { values, switches } = line
    const { at } = values
    const now = realClock.now()
    const time = at === undefined ? now : (parseMoment(at, now) ?? now)
    return withPlan(await load(line), plan => {
      if (switches.has('calendar')) return print(describeCalendar(plan, time))
      return print(at === undefined ? describeWhole(plan) : describeDayWhole(plan, time))
    })
  },
  init,
  schema: () => print(`${JSON.stringify(simulationSchema, null, 2)}\n`),
}

/** Loads what the command line names, with what it says of the reading. */
async function load({ file, values, switches }: CommandLine, more: LoadOptions = {}): Promise<Loaded> {
  const status = values['invalid-status']
  const options: LoadOptions = {
    strict: switches.has('strict'),
    basePath: values['base-path'],
    invalidStatus: status === undefined ? undefined : status === '422' ? 422 : 400,
    ...more,
  }
  return switches.has('stateful')
    ? loadInferred(file, HOME, process.env, options)
    : loadPlan(file, HOME, process.env, options)
}

const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

function withPlan(loaded: Loaded, use: (plan: Plan) => number | Promise<number>): number | Promise<number> {
  process.stderr.write(formatBriefly(loaded.report))
  return loaded.plan === undefined ? 1 : use(loaded.plan)
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

async function serve(line: CommandLine): Promise<number> {
  const { values, switches } = line
  const several = values.workers !== undefined
  const read = async (text?: string) => {
    const loaded = await load(line, { text })
    return several ? withoutSharedState(loaded) : loaded
  }
  const loaded = await read()
  return withPlan(loaded, async plan => {
    const { listen } = plan.simulation
    const started = await start(plan, loaded, read, {
      clock: realClock,
      log: await createLog((values['log-level'] ?? 'info') as LogLevel),
      version,
      // The primary watches for all.
      watch: !switches.has('no-watch') && !isWorker(),
      workers: isWorker() ? 'worker' : several ? Number(values.workers) : undefined,
      listen: {
        host: values.host ?? listen.host,
        port: Number(values.port ?? listen.port),
        controlHost: values['control-host'] ?? listen.controlHost,
        controlPort: Number(values['control-port'] ?? listen.control),
        controlToken: process.env.UNDERSTUDY_CONTROL_TOKEN || undefined,
      },
    })
    // Signals are waited for before the banner says that they may come.
    const told = stopped(isWorker() ? stop => obey(started.gateway, started.reloader, stop) : undefined)
    if (!isWorker()) print(describeStart(plan, version, started.serving.origin, started.serving.controlOrigin))
    await told
    started.stopWatching()
    await started.serving.close({ drain: started.gateway.plan.simulation.listen.drain })
    leave()
    return 0
  })
}

/** Writes what was inferred; never over what somebody wrote, unless told to. */
async function init({ file, values: { output = 'gateway.yaml' }, switches }: CommandLine): Promise<number> {
  const { inferred, report } = await inferFile(file, HOME, output === '-' ? HOME : dirname(resolve(HOME, output)))
  process.stderr.write(formatReport(report))
  if (inferred === undefined) return 1
  if (output === '-') return print(inferred)
  try {
    writeFileSync(resolve(HOME, output), inferred, { flag: switches.has('force') ? 'w' : 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    process.stderr.write(`understudy: ${output} is there already; overwrite it with --force\n`)
    return 1
  }
  return print(`${output} is written. Try: understudy serve ${output}\n`)
}

/** Resolves at the first signal, or when `otherwise` is told to; the second signal ends the process at once. */
const stopped = (otherwise?: (stop: () => void) => void): Promise<void> =>
  new Promise(resolve => {
    otherwise?.(resolve)
    let first = true
    const stop = (signal: NodeJS.Signals) => {
      if (!first) process.exit(signal === 'SIGINT' ? 130 : 143)
      first = false
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })

/** What keeps it from starting, for whoever started it. */
function describeFailure(error: unknown): string {
  const { code, port, address, syscall } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (error instanceof UnguardedControlPlane) return error.message
  if (code === 'EADDRINUSE') return `the port ${port} is taken; choose another with --port or --control-port`
  if (code === 'EACCES' && syscall === 'listen') return `the port ${port} is not for everybody; choose one above 1023`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${address ?? 'the address'} is no address of this machine; see --host and --control-host`
  }
  return String(error)
}

try {
  const line = readCommandLine(process.argv.slice(2), process.env, version)
  if (line.help !== undefined) process.exitCode = print(line.help)
  else if (line.version) process.exitCode = print(`${version}\n`)
  else process.exitCode = await commands[line.command]?.(line)
} catch (error) {
  const wrong = error instanceof WrongCommandLine
  const why = wrong ? `${error.message}\nTry: understudy --help` : describeFailure(error)
  process.stderr.write(`understudy: ${why}\n`)
  process.exitCode = wrong ? 2 : 1
}
