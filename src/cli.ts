#!/usr/bin/env node
// The command line: arguments and environment in, exit code out. The only reader of `process`.

import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { describeStart, openBrowser } from './cli/banner.ts'
import {
  type CommandLine,
  describeFailure,
  describeMissing,
  listenOf,
  readCommandLine,
  readingOf,
  WrongCommandLine,
} from './cli/command-line.ts'
import { describeSchema, modeline, writeAnew } from './cli/init.ts'
import { createLog, type LogLevel } from './gateway/log.ts'
import type { Load } from './gateway/reload.ts'
import { findParents, followParents } from './http/this-process.ts'
import { isWorker, leave, obey } from './http/workers/worker.ts'
import { type Diagnostics, formatAsJson, formatBriefly, formatForGitHub, formatReport } from './kernel/diagnostic.ts'
import { showProgress } from './kernel/terminal.ts'
import { inferFile, type Loaded, type LoadOptions, loadInferred, loadPlan, sharesState } from './load/load.ts'
import { loadAside } from './load/load-aside.ts'
import { selfCheck } from './load/probe/self-check.ts'
import { describeCalendar, describeDayWhole, describeWhole } from './plan/describe.ts'
import type { Plan } from './plan/plan.ts'
import { start, version } from './start.ts'
import { parseMoment, realClock } from './world/clock.ts'

const HOME = process.cwd()

const EXHAUSTED = 'out of memory; lower worlds.maxBytes, or give Node more: NODE_OPTIONS=--max-old-space-size=4096'

/** Shows progress on a terminal only. */
const progress = showProgress({
  write: text => process.stderr.isTTY && process.stderr.write(text),
  now: realClock.now,
})

/** The commands by name. Each returns the exit code. */
const commands: Readonly<Record<string, (line: CommandLine) => Promise<number>>> = {
  serve: serveCommand,
  async check(line) {
    const { file, switches } = line
    const { plan, report, files } = await load(line, { thorough: true })
    const checked =
      plan !== undefined && switches.has('deep') ? await selfCheck(plan, report, progress.report) : undefined
    tellMistakes(report, line, process.stdout)
    if (plan === undefined || report.failed) return 1
    if (line.values.format === 'json') return 0
    if (checked !== undefined) print(`${counted(checked.requests, 'request')} answered as the contract documents\n`)
    const sizes = `${counted(plan.operations.length, 'operation')}, ${counted(files.length, 'file')}`
    print(`${file}: ${sizes}, ${report.unsorted.length === 0 ? 'no mistakes' : 'no errors'}\n`)
    return 0
  },
  async plan(line) {
    const { values, switches } = line
    const { at } = values
    const now = realClock.now()
    const time = at === undefined ? now : (parseMoment(at, now) ?? now)
    return withPlan(await load(line), line, plan => {
      if (switches.has('calendar')) print(describeCalendar(plan, time))
      else print(at === undefined ? describeWhole(plan) : describeDayWhole(plan, time))
    })
  },
  init,
  async schema(line) {
    if (line.file !== '') return withPlan(await load(line), line, async plan => print(await describeSchema(plan)))
    print(await describeSchema(undefined))
    return 0
  },
}

/** Loads the file that the command line names, with its options. */
async function load(line: CommandLine, more: LoadOptions = {}): Promise<Loaded> {
  const { file, switches } = line
  const options: LoadOptions = { ...readingOf(line), progress: progress.report, ...more }
  return switches.has('stateful') && more.confined === undefined
    ? loadInferred(file, HOME, process.env, options)
    : loadPlan(file, HOME, process.env, options)
}

const counted = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

/** Writes the mistakes in the requested format; text is written to standard error. */
function tellMistakes(
  report: Diagnostics,
  { command, values: { format } }: CommandLine,
  other: NodeJS.WriteStream = process.stderr,
): void {
  progress.clear()
  if (format === 'json') other.write(formatAsJson(report))
  else if (format === 'github') other.write(formatForGitHub(report.list))
  else process.stderr.write(command === 'check' || command === 'init' ? formatReport(report) : formatBriefly(report))
}

/** Reports the mistakes, and uses the plan if there is one. */
async function withPlan({ plan, report }: Loaded, line: CommandLine, use: (plan: Plan) => unknown): Promise<number> {
  tellMistakes(report, line)
  if (plan === undefined) return 1
  await use(plan)
  return 0
}

const print = (text: string): void => void process.stdout.write(text)

async function serveCommand(line: CommandLine): Promise<number> {
  const parents = findParents()
  const { values, switches } = line
  const several = values.workers !== undefined
  /** The files that the configuration on the disk named when it was last loaded. */
  let known: readonly string[] = []
  /** Whether several processes serve that share no state; unset before they do. */
  let apart: boolean | undefined
  const accept = (loaded: Loaded, text?: string): Loaded => {
    if (text === undefined) known = loaded.files
    const { plan, report } = loaded
    if (!several || plan === undefined || !sharesState(plan)) return loaded
    const { source, state } = plan.simulation
    const isShared = state?.engine.kind === 'redis'
    if (isShared && apart !== true) return loaded
    const message = 'several processes (--workers) share records, limits and kept replies through Redis only'
    const hint = isShared ? 'restart the program' : 'serve without --workers, or set state: { redis: … }'
    report.error('shared-state', message, source.locate([]), hint)
    return { ...loaded, plan: undefined }
  }
  const reload: Load = async ({ text, lacking }) => {
    const more = { text, lacking, confined: text === undefined ? undefined : known }
    const options = { ...readingOf(line), ...more }
    const trial = { path: line.file, home: HOME, environment: { ...process.env }, options }
    return accept(await loadAside(trial, () => load(line, more)), text)
  }
  const loaded = accept(await load(line))
  return withPlan(loaded, line, async plan => {
    const { listen } = plan.simulation
    apart = plan.simulation.state?.engine.kind !== 'redis'
    const log = await createLog((values['log-level'] ?? 'info') as LogLevel)
    const started = await start(plan, loaded, reload, {
      clock: realClock,
      log,
      // The primary watches for all.
      watch: !switches.has('no-watch') && !isWorker(),
      exhausted,
      recover: switches.has('recover'),
      workers: isWorker() ? 'worker' : several ? Number(values.workers) : undefined,
      listen: { ...listenOf(values, listen), controlToken: process.env.UNDERSTUDY_CONTROL_TOKEN || undefined },
    })
    // The signal handlers exist before the banner is printed.
    const told = stopped(stop => {
      // A terminal that is closed ends the program. Workers reload when the primary does.
      if (!process.stdin.isTTY) process.on('SIGHUP', () => isWorker() || void started.reloader.reload().catch(() => {}))
      if (isWorker()) obey(started.gateway, started.reloader, stop)
      // Other scripts of npm may leave a server behind on purpose, as in "understudy serve & run-tests".
      else if (process.env.npm_lifecycle_event === 'start') followParents(parents, stop)
    })
    if (!isWorker()) print(describeStart(plan, version, started.serving))
    if (switches.has('open') && !isWorker()) {
      const complain = (url: string) => process.stderr.write(`understudy: no browser could be opened; open ${url}\n`)
      openBrowser(started.serving.controlOrigin, process.platform, complain)
    }
    await told
    await started.close({ drain: started.gateway.plan.simulation.listen.drain })
    leave()
    await log.close()
    unwritten = false
    // An unread line would keep the process waiting.
    process.exit(0)
  })
}

/** Writes the inferred file. Overwrites an existing one only with `--force`. */
async function init(line: CommandLine): Promise<number> {
  const { file, values, switches } = line
  const { output = 'gateway.yaml' } = values
  const folder = output === '-' ? HOME : dirname(resolve(HOME, output))
  const { inferred, report } = await inferFile(file, HOME, folder, progress.report)
  tellMistakes(report, line)
  if (inferred === undefined) return 1
  const text = modeline(folder, switches.has('schema')) + inferred
  if (output === '-') {
    print(text)
    return 0
  }
  const schema = join(folder, 'gateway.schema.json')
  writeAnew(resolve(HOME, output), text, switches.has('force'))
  if (switches.has('schema')) {
    const { plan } = await load({ ...line, file: output })
    progress.clear()
    writeAnew(schema, await describeSchema(plan), switches.has('force'))
  }
  const written = switches.has('schema') ? `${output} and ${relative(HOME, schema)} are` : `${output} is`
  const found = basename(output) === 'gateway.yaml' && folder === HOME ? '' : ` ${output}`
  print(`${written} written. Try: understudy serve${found}\n`)
  return 0
}

/** Resolves at the first signal, or when `otherwise` calls its argument. The second signal ends the process at once. */
const stopped = (otherwise?: (stop: () => void) => unknown): Promise<void> =>
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

// Output that cannot be written is dropped: a full disk or a closed pipe must not stop the server.
let unwritten = false
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  unwritten ||= code !== 'EPIPE'
})
process.stderr.on('error', () => {})
process.on('exit', () => {
  if (unwritten && !process.exitCode) process.exitCode = 1
})

/** Ends the process because it has no memory left. */
function exhausted(): never {
  process.stderr.write(`understudy: ${EXHAUSTED}\n`)
  process.exit(3)
}

try {
  const line = readCommandLine(process.argv.slice(2), process.env, version, file => existsSync(resolve(HOME, file)))
  if (line.help !== undefined) print(line.help)
  else if (line.version) print(`${version}\n`)
  else if (line.missing) {
    process.stderr.write(`understudy: ${describeMissing(line)}\n`)
    process.exitCode = 1
  } else process.exitCode = await commands[line.command]?.(line)
} catch (error) {
  const wrong = error instanceof WrongCommandLine
  const why = wrong ? `${error.message}\nTry: understudy --help` : describeFailure(error, HOME)
  process.stderr.write(`understudy: ${why}\n`)
  process.exitCode = wrong ? 2 : 1
}
