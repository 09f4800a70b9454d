// What can be written on the command line: commands and their options, as one table that parsing, help and messages are
// made of. Reads nothing itself: arguments and environment are given.

import { parseArgs } from 'node:util'
import { LOG_LEVELS } from './gateway/log.ts'
import { suggest } from './kernel/diagnostic.ts'
import { parseMoment } from './world/world-clock.ts'

/** An option of a command. */
interface Option {
  /** What stands after it; none for a switch. */
  readonly takes?: string
  /** The environment variable that it wins over. */
  readonly variable?: string
  readonly about: string
  /** What is wrong with a value, as it reads on after the option's name. */
  readonly fault?: (text: string) => string | undefined
}

interface Command {
  readonly about: string
  /** Whether it takes a FILE. */
  readonly file: boolean
  /** The file where none is named. */
  readonly fallback?: string
  readonly options: Readonly<Record<string, Option>>
}

const port = (text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? undefined : `must be a port, 0 to 65535, not "${text}"`
const level = (text: string) =>
  (LOG_LEVELS as readonly string[]).includes(text) ? undefined : `is not "${text}"; ${suggest(text, LOG_LEVELS)}`

const processes = (text: string) =>
  /^\d{1,3}$/.test(text) && Number(text) > 0 ? undefined : `must be a number of processes, not "${text}"`
const moment = (text: string) =>
  parseMoment(text, 0) === undefined ? `must be a date, a timestamp or an offset, not "${text}"` : undefined

const READING: Readonly<Record<string, Option>> = {
  'base-path': { takes: 'PATH', about: 'serve the API below this path, whatever its servers say' },
  'invalid-status': {
    takes: 'STATUS',
    about: 'of an invalid request where the contract documents none: 400 or 422',
    fault: text => (text === '400' || text === '422' ? undefined : `must be 400 or 422, not "${text}"`),
  },
  strict: { about: 'a warning is an error' },
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    about: 'serve the API',
    file: true,
    options: {
      port: { takes: 'N', variable: 'PORT', about: 'port of the API; 0 picks a free one', fault: port },
      host: { takes: 'ADDRESS', variable: 'HOST', about: 'address of the API' },
      'control-port': { takes: 'N', variable: 'CONTROL_PORT', about: 'port of the control plane', fault: port },
      'control-host': {
        takes: 'ADDRESS',
        variable: 'CONTROL_HOST',
        about: 'its address; beyond loopback it wants a token',
      },
      'log-level': {
        takes: 'LEVEL',
        variable: 'LOG_LEVEL',
        about: `${LOG_LEVELS.join(', ')} (default: info)`,
        fault: level,
      },
      'no-watch': { about: 'do not reload when a file changes' },
      workers: { takes: 'N', about: 'serve with N processes; only without resources', fault: processes },
      stateful: { about: 'give a bare OpenAPI document the state that can be inferred from it' },
      ...READING,
    },
  },
  check: {
    about: 'say what is wrong with the configuration; exit 0 or 1',
    file: true,
    options: {
      deep: { about: 'call every operation in process as well, and hold each reply to the contract' },
      stateful: { about: 'as serve has it' },
      ...READING,
    },
  },
  plan: {
    about: 'print every operation with its behaviours, consumers and dates',
    file: true,
    options: {
      at: {
        takes: 'DATE',
        about: 'what every operation is then: 2030-12-06, 2030-12-06T10:00:00Z or +30d',
        fault: moment,
      },
      calendar: { about: 'what is to come, from now or from --at on' },
      stateful: { about: 'as serve has it' },
      ...READING,
    },
  },
  init: {
    about: 'write a gateway.yaml that makes sense of an OpenAPI document (default: openapi.yaml)',
    file: true,
    fallback: 'openapi.yaml',
    options: {
      output: { takes: 'PATH', about: 'where to write it; - is standard output (default: gateway.yaml)' },
      force: { about: 'overwrite what is there' },
    },
  },
  schema: { about: 'print the JSON Schema of gateway.yaml', file: false, options: {} },
}

/** What was asked for. */
export interface CommandLine {
  readonly command: string
  readonly file: string
  /** By the name of the option: from the command line, else from the environment. */
  readonly values: Readonly<Record<string, string | undefined>>
  readonly switches: ReadonlySet<string>
  /** What to print instead of doing anything. */
  readonly help?: string
  readonly version?: boolean
}

/** The command line cannot be understood; the message says why. */
export class WrongCommandLine extends Error {
  override readonly name = 'WrongCommandLine'
}

const DEFAULT_FILE = 'config/gateway.yaml'

/** Throws a `WrongCommandLine`. */
export function readCommandLine(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  version: string,
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
  const file = named ?? known?.fallback ?? DEFAULT_FILE
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
  const most = known.file ? 1 : 0
  if (positionals.length - 1 > most) {
    throw new WrongCommandLine(
      `${command} takes ${known.file ? 'one file' : 'no file'}, not ${[file, ...rest].join(' ')}`,
    )
  }
  const values: Record<string, string | undefined> = {}
  const switches = new Set<string>()
  for (const { name, rawName, value } of given) {
    const option = Object.hasOwn(known.options, name) ? known.options[name] : undefined
    if (option === undefined || !rawName.startsWith('--')) {
      const names = Object.keys(known.options).map(name => `--${name}`)
      throw new WrongCommandLine(
        [`${command} has no option ${rawName}`, suggest(rawName, [...names, '--help', '--version'])]
          .filter(Boolean)
          .join('; '),
      )
    }
    if (option.takes === undefined) {
      if (value !== undefined) throw new WrongCommandLine(`${rawName} takes no value`)
      switches.add(name)
    } else if (value === undefined || value === '') throw new WrongCommandLine(`${rawName} needs ${option.takes}`)
    else values[name] = checked(rawName, value, option)
  }
  for (const [name, option] of Object.entries(known.options)) {
    const value = option.variable === undefined ? undefined : environment[option.variable]
    if (value) values[name] ??= checked(option.variable as string, value, option)
  }
  return { command, file, values, switches }
}

function checked(name: string, value: string, { fault }: Option): string {
  const why = fault?.(value)
  if (why !== undefined) throw new WrongCommandLine(`${name} ${why}`)
  return value
}

/** The help of one command, or of all. */
export function describeCommands(version: string, only?: string): string {
  const title = `Understudy ${version}: the staging stand-in that also rehearses your API's future.`
  const one = only === undefined ? undefined : (COMMANDS[only] as Command)
  const head =
    one === undefined
      ? ['Usage: understudy <command> [FILE] [options]']
      : [
          `Usage: understudy ${only}${one.file ? ' [FILE]' : ''}${Object.keys(one.options).length > 0 ? ' [options]' : ''}`,
          '',
          `  ${one.about}`,
        ]
  const commands = columns(
    Object.entries(COMMANDS).map(([name, { about, file }]) => [`${name}${file ? ' [FILE]' : ''}`, about]),
  )
  const blocks = Object.entries(COMMANDS)
    .filter(([name, { options }]) => (only === undefined || name === only) && Object.keys(options).length > 0)
    .map(([name, { options }]) => [
      `Options of ${name}${hasVariables(options) ? ', each over its environment variable, over the file' : ''}:`,
      columns(
        Object.entries(options).map(([option, { takes, variable = '', about }]) => [
          `--${option}${takes === undefined ? '' : ` ${takes}`}`,
          ...(hasVariables(options) ? [variable] : []),
          about,
        ]),
      ),
      '',
    ])
  return [
    title,
    '',
    ...head,
    '',
    ...(one === undefined ? ['Commands:', commands, ''] : []),
    ...(one === undefined || one.file
      ? [`FILE is a gateway.yaml or a bare OpenAPI document (default: ${DEFAULT_FILE}).`, '']
      : []),
    ...blocks.flat(),
    '  --help, --version',
    '',
    ...(only === undefined || only === 'serve'
      ? ['The control plane asks for the bearer token in UNDERSTUDY_CONTROL_TOKEN, where that is set.', '']
      : []),
    'Exit codes: 0 success, 1 wrong configuration or failure, 2 wrong command line.',
    '',
  ].join('\n')
}

const hasVariables = (options: Command['options']): boolean =>
  Object.values(options).some(({ variable }) => variable !== undefined)

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map(row => row[i]?.length ?? 0)))
  return rows.map(row => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd()).join('\n')
}
