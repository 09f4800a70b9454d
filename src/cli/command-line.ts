// Parses a command line, describes its syntax, and says why the program cannot start. Arguments and environment are
// parameters.

import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { LOG_LEVELS } from '../gateway/log.ts'
import { UnguardedControlPlane } from '../http/control/access.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { table } from '../kernel/terminal.ts'
import type { LoadOptions } from '../load/load.ts'
import type { Simulation } from '../plan/settings.ts'
import { parseMoment } from '../world/clock.ts'
import { StateRefused } from '../world/engines/engine.ts'
import { FileExists } from './init.ts'

// The commands and their options, as one table that parsing, help and messages are made of.

/** An option of a command. */
interface Option {
  /** The name of its value; absent for a switch. */
  readonly takes?: string
  /** The environment variable that it wins over. Default: `UNDERSTUDY_` and the option's name. */
  readonly variable?: string
  readonly about: string
  /** Returns the mistake of a value, as the rest of a sentence that begins with the option's name. */
  readonly fault?: (text: string) => string | undefined
}

interface Command {
  readonly about: string
  /** The files to look for where none is named; unset for a command that needs none. */
  readonly files?: readonly string[]
  readonly options: Readonly<Record<string, Option>>
}

/** Makes the check of an option. @param kind what its value must be, with the article */
const mustBe = (kind: string, fits: (text: string) => boolean) => (text: string) =>
  fits(text) ? undefined : `must be ${kind}, not "${text}"`
const oneOf = (words: readonly string[]) => (text: string) =>
  words.includes(text) ? undefined : `is not "${text}"; ${suggest(text, words)}`

const port = mustBe('a port, 0 to 65535', text => /^\d{1,5}$/.test(text) && Number(text) <= 65535)

const DOCUMENTS = ['openapi.yaml', 'openapi.yml', 'openapi.json']

/** The files that are tried as the configuration, in this order. */
const CONFIGURATIONS = ['gateway.yaml', 'config/gateway.yaml', ...DOCUMENTS]

const READING: Readonly<Record<string, Option>> = {
  'base-path': { takes: 'PATH', about: 'serve the API below this path instead of the paths of its servers' },
  'invalid-status': {
    takes: 'STATUS',
    about: 'the status of invalid requests if the contract documents neither: 400 or 422',
    fault: mustBe('400 or 422', text => text === '400' || text === '422'),
  },
  strict: { about: 'treat warnings as errors' },
  format: {
    takes: 'FORMAT',
    about: 'the format of mistakes: text, json, or github (annotations of a workflow)',
    fault: oneOf(['text', 'json', 'github']),
  },
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    about: 'serve the API',
    files: CONFIGURATIONS,
    options: {
      port: { takes: 'N', variable: 'PORT', about: 'port of the API; 0 picks a free one', fault: port },
      host: { takes: 'ADDRESS', variable: 'HOST', about: 'address of the API' },
      'control-port': { takes: 'N', variable: 'CONTROL_PORT', about: 'port of the control plane', fault: port },
      'control-host': {
        takes: 'ADDRESS',
        variable: 'CONTROL_HOST',
        about: 'address of the control plane; beyond loopback it needs a token',
      },
      'log-level': {
        takes: 'LEVEL',
        variable: 'LOG_LEVEL',
        about: `${LOG_LEVELS.join(', ')} (default: info)`,
        fault: oneOf(LOG_LEVELS),
      },
      open: { about: 'open the console in a browser' },
      'no-watch': { about: 'do not reload when a file changes' },
      workers: {
        takes: 'N',
        about: 'serve with N processes, which share state through Redis',
        fault: mustBe('a number of processes', text => /^\d{1,3}$/.test(text) && Number(text) > 0),
      },
      recover: { about: 'drop the damaged line of a state file, and those after it' },
      stateful: { about: 'give a bare OpenAPI document the state that can be inferred from it' },
      ...READING,
    },
  },
  check: {
    about: 'report the mistakes of the configuration; exit 0 or 1',
    files: CONFIGURATIONS,
    options: {
      deep: { about: 'also call every operation in process, and check each reply against the contract' },
      stateful: { about: 'as for serve' },
      ...READING,
    },
  },
  plan: {
    about: 'print every operation with its behaviours, consumers and dates',
    files: CONFIGURATIONS,
    options: {
      at: {
        takes: 'DATE',
        about: 'describe the operations at this time: 2030-12-06, 2030-12-06T10:00:00Z or +30d',
        fault: mustBe('a date, a timestamp or an offset', text => parseMoment(text, 0) !== undefined),
      },
      calendar: { about: 'list the coming changes, from now or from --at' },
      stateful: { about: 'as for serve' },
      ...READING,
    },
  },
  init: {
    about: 'write a gateway.yaml that is inferred from an OpenAPI document',
    files: DOCUMENTS,
    options: {
      output: { takes: 'PATH', about: 'the file to write; - is standard output (default: gateway.yaml)' },
      schema: { about: 'write gateway.schema.json beside it, so that an editor completes and checks it' },
      force: { about: 'overwrite existing files' },
    },
  },
  schema: {
    about: "print the JSON Schema of gateway.yaml; with a FILE, with the names of that file's contract",
    options: {},
  },
}

/** Returns the environment variable of an option. */
export const variableOf = (name: string, { variable }: Option): string =>
  variable ?? `UNDERSTUDY_${name.toUpperCase().replaceAll('-', '_')}`

/** The requested command. */
export interface CommandLine {
  readonly command: string
  /** The named file; else the first default that exists; else the first default. Empty if the command needs none. */
  readonly file: string
  /** Whether `file` was neither named nor found. */
  readonly missing?: boolean
  /** By the name of the option: from the command line, else from the environment. */
  readonly values: Readonly<Record<string, string | undefined>>
  readonly switches: ReadonlySet<string>
  /** The text to print instead of running a command. */
  readonly help?: string
  readonly version?: boolean
}

/** The command line cannot be understood; the message says why. */
export class WrongCommandLine extends Error {
  override readonly name = 'WrongCommandLine'
}

/**
 * Throws a `WrongCommandLine`.
 *
 * @param exists returns whether a file exists, for commands that search for one
 */
export function readCommandLine(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  version: string,
  exists: (file: string) => boolean = () => false,
): CommandLine {
  const takers = Object.values(COMMANDS).flatMap(({ options }) => Object.entries(options))
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      takers.map(([name, { takes }]) => [name, { type: takes === undefined ? 'boolean' : 'string' }] as const),
    ),
  })
  const positionals = tokens.flatMap(token => (token.kind === 'positional' ? [token.value] : []))
  const [command = '', named, ...rest] = positionals
  const known = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
  const found = named ?? known?.files?.find(exists)
  const file = found ?? known?.files?.[0] ?? ''
  const given = tokens.flatMap(token => (token.kind === 'option' ? [token] : []))
  const asks = (...names: string[]) => given.some(({ rawName }) => names.includes(rawName))
  const nothing = { command, file, values: {}, switches: new Set<string>() }
  if (asks('--help', '-h') || command === 'help')
    return { ...nothing, help: describeCommands(version, known && command) }
  if (asks('--version')) return { ...nothing, version: true }
  if (known === undefined) {
    const names = Object.keys(COMMANDS)
    const why = command === '' ? 'a command is missing' : `there is no command "${command}"`
    throw new WrongCommandLine(`${why}; ${command === '' ? `one of: ${names.join(', ')}` : suggest(command, names)}`)
  }
  const values: Record<string, string | undefined> = {}
  const switches = new Set<string>()
  for (const { name, rawName, value } of given) {
    const option = Object.hasOwn(known.options, name) ? known.options[name] : undefined
    if (option === undefined || !rawName.startsWith('--')) {
      const hint = suggest(rawName, [...Object.keys(known.options).map(name => `--${name}`), '--help', '--version'])
      throw new WrongCommandLine([`${command} has no option ${rawName}`, hint].filter(Boolean).join('; '))
    }
    if (option.takes === undefined) {
      if (value !== undefined) throw new WrongCommandLine(`${rawName} takes no value`)
      switches.add(name)
    } else if (value === undefined || value === '') throw new WrongCommandLine(`${rawName} needs ${option.takes}`)
    else values[name] = checked(rawName, value, option)
  }
  if (rest.length > 0) throw new WrongCommandLine(`${command} takes one file, not ${[file, ...rest].join(' ')}`)
  for (const [name, option] of Object.entries(known.options)) {
    const variable = variableOf(name, option)
    const value = environment[variable]
    if (!value) continue
    if (option.takes !== undefined) values[name] ??= checked(variable, value, option)
    else if (isOn(variable, value)) switches.add(name)
  }
  return { command, file, values, switches, missing: found === undefined && file !== '' }
}

/** Whether the variable of a switch sets it. */
function isOn(variable: string, value: string): boolean {
  if (/^(?:1|true|yes|on)$/i.test(value)) return true
  if (/^(?:0|false|no|off)$/i.test(value)) return false
  throw new WrongCommandLine(`${variable} must be true or false, not "${value}"`)
}

function checked(name: string, value: string, { fault }: Option): string {
  const why = fault?.(value)
  if (why !== undefined) throw new WrongCommandLine(`${name} ${why}`)
  return value
}

/** The help of one command, or of all. */
export function describeCommands(version: string, only?: string): string {
  const shown = Object.entries(COMMANDS).filter(([name]) => only === undefined || name === only)
  const withOptions = shown.filter(([, { options }]) => Object.keys(options).length > 0)
  const usage = `Usage: understudy ${only ?? '<command>'} [FILE]${withOptions.length > 0 ? ' [options]' : ''}`
  const paragraphs = [
    `Understudy ${version}: a mock of your API that also rehearses its future.`,
    usage,
    only === undefined
      ? `Commands:\n${indented(shown.map(([name, { about }]) => [`${name} [FILE]`, about]))}`
      : `  ${COMMANDS[only]?.about}`,
    ...(shown.some(([, { files }]) => files !== undefined) ? [FILE] : []),
    ...withOptions.map(([name, { options }]) => {
      const rows = Object.entries(options).map(([option, { takes, variable, about }]) => [
        `--${option}${takes === undefined ? '' : ` ${takes}`}`,
        variableOf(option, { variable, about } as Option),
        about,
      ])
      return `Options of ${name}, each over its environment variable, over the file:\n${indented(rows)}`
    }),
    '  --help, --version',
    ...(only === undefined || only === 'serve' ? [TOKEN] : []),
    'Exit codes: 0 success, 1 wrong configuration or failure, 2 wrong command line, 3 memory ran out.',
  ]
  return `${paragraphs.join('\n\n')}\n`
}

const FILE = `FILE is a gateway.yaml or a bare OpenAPI document. Default: the first of these that exists:
${CONFIGURATIONS.join(', ')}; of these, init takes an OpenAPI document.`
const TOKEN = 'The control plane requires the bearer token in UNDERSTUDY_CONTROL_TOKEN, if that is set.'

const indented = (rows: readonly (readonly string[])[]): string => table(rows).replace(/^/gm, '  ')

/** Returns the options of reading that the command line sets. */
export function readingOf({ values, switches }: CommandLine): LoadOptions {
  const status = values['invalid-status']
  return {
    strict: switches.has('strict'),
    basePath: values['base-path'],
    invalidStatus: status === undefined ? undefined : (Number(status) as 400 | 422),
  }
}

/** Returns the addresses and ports to listen on. */
export const listenOf = (values: CommandLine['values'], listen: Simulation['listen']) => ({
  host: values.host ?? listen.host,
  port: Number(values.port ?? listen.port),
  controlHost: values['control-host'] ?? listen.controlHost,
  controlPort: Number(values['control-port'] ?? listen.control),
})

/** Describes a missing file: the names that were searched for, and the argument to give instead. */
export function describeMissing({ command }: CommandLine): string {
  const looked = COMMANDS[command]?.files?.join(', ')
  const hint =
    command === 'init'
      ? 'name an OpenAPI document: understudy init FILE'
      : 'name a gateway.yaml or an OpenAPI document, or write a gateway.yaml: understudy init FILE'
  return `none of these files exists: ${looked}\n${hint}`
}

/** Describes an error of the start. `home` is the folder that paths are shown relative to. */
export function describeFailure(error: unknown, home: string): string {
  const { code, port, address, syscall } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (error instanceof StateRefused || error instanceof UnguardedControlPlane) return error.message
  if (error instanceof FileExists) return `${relative(home, error.message)} already exists; overwrite it with --force`
  if (code === 'EADDRINUSE') return `the port ${port} is taken; choose another with --port or --control-port`
  if (code === 'EACCES' && syscall === 'listen') return `the port ${port} needs privileges; choose one above 1023`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${address ?? 'the address'} is not an address of this machine; see --host and --control-host`
  }
  return String(error)
}
