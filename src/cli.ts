#!/usr/bin/env node
// The command line: arguments and environment in, exit code out. The only reader of `process`.

import { parseArgs } from 'node:util'
import { createLog, LOG_LEVELS, type LogLevel } from './gateway/log.ts'
import { UnguardedControlPlane } from './http/control/access.ts'
import { formatDiagnostics, suggest } from './kernel/diagnostic.ts'
import type { Plan } from './plan/compile.ts'
import { describeOperations, describeWhole } from './plan/describe.ts'
import { type Loaded, loadPlan } from './plan/load.ts'
import { simulationSchema } from './plan/simulation.ts'
import { start } from './start.ts'
import { version } from './version.ts'
import { realClock } from './world/clock.ts'

const USAGE = `Understudy ${version}: the staging stand-in that also rehearses your API's future.

Usage: understudy <command> [FILE] [options]

FILE is a gateway.yaml or a bare OpenAPI document (default: config/gateway.yaml).

Commands:
  serve [FILE]   serve the API
  check [FILE]   say what is wrong with the configuration; exit 0 or 1
  plan [FILE]    print every operation with its behaviours, consumers and dates
  schema         print the JSON Schema of gateway.yaml

Options of serve, each over its environment variable, over the file:
  --port N                PORT           port of the API
  --host ADDRESS          HOST           address of the API
  --control-port N        CONTROL_PORT   port of the control plane
  --control-host ADDRESS  CONTROL_HOST   its address; beyond loopback it wants a token
  --log-level LEVEL       LOG_LEVEL      ${LOG_LEVELS.join(', ')} (default: info)
  --no-watch                             do not reload when a file changes

  --help, --version

The control plane asks for the bearer token in UNDERSTUDY_CONTROL_TOKEN, where that is set.

Exit codes: 0 success, 1 wrong configuration or failure, 2 wrong command line.
`

const COMMANDS = ['serve', 'check', 'plan', 'schema'] as const
const HOME = process.cwd()

class WrongCommandLine extends Error {}

async function main(): Promise<number> {
  const { values, positionals } = readArguments()
  if (values.help) return print(USAGE)
  if (values.version) return print(`${version}\n`)
  const [command, file = 'config/gateway.yaml', ...rest] = positionals
  if (command === undefined) throw new WrongCommandLine('a command is missing')
  if (rest.length > 0) throw new WrongCommandLine(`one file, not ${rest.length + 1}`)
  switch (command) {
    case 'serve':
      return runServe(file, values)
    case 'check': {
      const { plan, report, files } = load(file)
      if (report.list.length > 0) process.stderr.write(formatDiagnostics(report.list))
      if (plan === undefined) return 1
      return print(`${file}: ${plan.operations.length} operations, ${files.length} files, nothing wrong\n`)
    }
    case 'plan':
      return withPlan(load(file), plan => print(describeWhole(plan)))
    case 'schema':
      return print(`${JSON.stringify(simulationSchema, null, 2)}\n`)
    default:
      throw new WrongCommandLine(`there is no command "${command}"; ${suggest(command, COMMANDS)}`)
  }
}

type Values = ReturnType<typeof readArguments>['values']

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'control-port': { type: 'string' },
        'control-host': { type: 'string' },
        'log-level': { type: 'string' },
        'no-watch': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new WrongCommandLine((error as Error).message.split('. ')[0])
  }
}

const load = (file: string): Loaded => loadPlan(file, HOME, process.env)

function withPlan(loaded: Loaded, use: (plan: Plan) => number | Promise<number>): number | Promise<number> {
  const { plan, report } = loaded
  if (report.list.length > 0) process.stderr.write(formatDiagnostics(report.list))
  return plan === undefined ? 1 : use(plan)
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

async function runServe(file: string, values: Values): Promise<number> {
  const port = portOf('--port', values.port ?? process.env.PORT)
  const controlPort = portOf('--control-port', values['control-port'] ?? process.env.CONTROL_PORT)
  const host = values.host ?? process.env.HOST
  const level = values['log-level'] ?? process.env.LOG_LEVEL ?? 'info'
  if (!(LOG_LEVELS as readonly string[]).includes(level)) {
    throw new WrongCommandLine(`there is no log level "${level}"; ${suggest(level, LOG_LEVELS)}`)
  }
  const loaded = load(file)
  return withPlan(loaded, async plan => {
    const { listen } = plan.simulation
    const started = await start(plan, loaded, () => load(file), {
      clock: realClock,
      log: createLog(level as LogLevel),
      version,
      watch: !values['no-watch'],
      listen: {
        host: host || listen.host,
        port: port ?? listen.port,
        controlHost: values['control-host'] || process.env.CONTROL_HOST || listen.controlHost,
        controlPort: controlPort ?? listen.control,
        controlToken: process.env.UNDERSTUDY_CONTROL_TOKEN || undefined,
      },
    })
    print(banner(plan, started.serving.origin, started.serving.controlOrigin))
    await stopped()
    started.stopWatching()
    await started.serving.close()
    return 0
  })
}

function portOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65535) return port
  throw new WrongCommandLine(`${name} must be a port, not "${text}"`)
}

/** Resolves at the first signal; the second ends the process at once. */
const stopped = (): Promise<void> =>
  new Promise(resolve => {
    let first = true
    const stop = (signal: NodeJS.Signals) => {
      if (!first) process.exit(signal === 'SIGINT' ? 130 : 143)
      first = false
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })

function banner(plan: Plan, origin: string, controlOrigin: string): string {
  const { contract, simulation } = plan
  const names = simulation.consumerNames
  return `
Understudy ${version} stands in for ${contract.title} ${contract.version}

  API            ${contract.basePaths.map(path => origin + path).join('  ')}
  Control plane  ${controlOrigin}  (/metrics /healthz /readyz /plan, POST /reset /reload)
  Consumers      ${names.length > 0 ? names.join(', ') : 'none configured: any well-formed credential is accepted'}

${describeOperations(plan).replace(/^/gm, '  ')}

  ${tryIt(plan, origin)}

`
}

/** A line to paste. A key is shown only where the configuration itself publishes it as a default. */
function tryIt(plan: Plan, origin: string): string {
  const { contract, simulation } = plan
  const operation = contract.operations.find(one => one.method === 'GET' && !one.path.includes('{'))
  if (operation === undefined) return `curl ${controlOriginHint(origin)}`
  const scheme = operation.security[0]?.[0]
  const url = `${origin}${contract.basePaths[0]}${operation.path}`
  if (scheme === undefined || contract.securitySchemes.get(scheme)?.type !== 'http') return `curl ${url}`
  const [name] = simulation.consumerNames
  const key = name === undefined ? 'any' : simulation.file.consumers?.[name]?.[scheme]
  const shown = name === 'demo' && key === 'demo-key' ? key : `<key of ${name}>`
  return `curl -H 'Authorization: Bearer ${shown}' ${url}`
}

const controlOriginHint = (origin: string): string => `${origin}/healthz`

try {
  process.exitCode = await main()
} catch (error) {
  if (error instanceof WrongCommandLine) {
    process.stderr.write(`understudy: ${error.message}\nTry: understudy --help\n`)
    process.exitCode = 2
  } else {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    const why =
      code === 'EADDRINUSE'
        ? `the port ${port} is taken; choose another with --port or --control-port`
        : error instanceof UnguardedControlPlane
          ? error.message
          : String(error)
    process.stderr.write(`understudy: ${why}\n`)
    process.exitCode = 1
  }
}
