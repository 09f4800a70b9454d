// Parses a command line, describes its syntax, and says why the program cannot start. Arguments and environment are
// parameters.

import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { UnguardedControlPlane } from '../http/control/access.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { table } from '../kernel/terminal.ts'
import { StateRefused } from '../state/errors.ts'
import {
  CONFIGURATIONS,
  type Command,
  type CommandLine,
  FileExists,
  type Option,
  optionsOf,
  type Wing,
} from './command.ts'
import { commandsWith } from './commands.ts'

/** Returns the environment variable of an option. */
export const variableOf = (name: string, { variable }: Option): string =>
  variable ?? `UNDERSTUDY_${name.toUpperCase().replaceAll('-', '_')}`

/** The command line cannot be understood; the message says why. */
export class WrongCommandLine extends Error {
  override readonly name = 'WrongCommandLine'
}

interface LineSurroundings {
  readonly wings: readonly Wing[]
  /** Returns whether a file exists, for commands that search for one. */
  readonly exists?: (file: string) => boolean
}

/** Reads a command line. Throws a `WrongCommandLine`. */
export function readCommandLine(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  version: string,
  { wings, exists = () => false }: LineSurroundings,
): CommandLine {
  const commands = commandsWith(wings)
  const takers = Object.values(commands).flatMap(command => Object.entries(optionsOf(command, wings)))
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
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined
  const options = known && optionsOf(known, wings)
  const found = named ?? known?.files?.find(exists)
  const file = found ?? known?.files?.[0] ?? ''
  const given = tokens.flatMap(token => (token.kind === 'option' ? [token] : []))
  const asks = (...names: string[]) => given.some(({ rawName }) => names.includes(rawName))
  const nothing = { command, file, values: {}, lists: {}, switches: new Set<string>() }
  if (asks('--help', '-h') || command === 'help')
    return { ...nothing, help: describeCommands(version, wings, known && command) }
  if (asks('--version')) return { ...nothing, version: true }
  if (known === undefined || options === undefined) {
    const names = Object.keys(commands)
    const why = command === '' ? 'a command is missing' : `there is no command "${command}"`
    throw new WrongCommandLine(`${why}; ${command === '' ? `one of: ${names.join(', ')}` : suggest(command, names)}`)
  }
  const values: Record<string, string | undefined> = {}
  const lists: Record<string, string[]> = {}
  const switches = new Set<string>()
  for (const { name, rawName, value } of given) {
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined || !rawName.startsWith('--')) {
      const hint = suggest(rawName, [...Object.keys(options).map(name => `--${name}`), '--help', '--version'])
      throw new WrongCommandLine([`${command} has no option ${rawName}`, hint].filter(Boolean).join('; '))
    }
    if (option.takes === undefined) {
      if (value !== undefined) throw new WrongCommandLine(`${rawName} takes no value`)
      switches.add(name)
    } else if (value === undefined || value === '') throw new WrongCommandLine(`${rawName} needs ${option.takes}`)
    else {
      values[name] = checked(rawName, value, option)
      if (option.many) lists[name] = [...(lists[name] ?? []), value]
    }
  }
  if (known.takesMany) lists.files = [file, ...rest]
  else if (rest.length > 0) throw new WrongCommandLine(`${command} takes one file, not ${[file, ...rest].join(' ')}`)
  for (const [name, option] of Object.entries(options)) {
    const variable = variableOf(name, option)
    const value = environment[variable]
    if (!value) continue
    if (option.takes !== undefined) {
      if (option.many) lists[name] ??= [value]
      values[name] ??= checked(variable, value, option)
    } else if (isOn(variable, value)) switches.add(name)
  }
  return { command, file, values, lists, switches, missing: found === undefined && file !== '' }
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
export function describeCommands(version: string, wings: readonly Wing[], only?: string): string {
  const commands = commandsWith(wings)
  const described = Object.entries(commands).map(([name, command]): [string, Command] => [
    name,
    { ...command, options: only === undefined ? command.options : optionsOf(command, wings) },
  ])
  const shown = described.filter(([name]) => only === undefined || name === only)
  const withOptions = shown.filter(([, { options }]) => Object.keys(options).length > 0)
  // They are those of each command that loads a configuration: the help of all commands has them once.
  const readers = only === undefined ? shown.filter(([, { reads }]) => reads).map(([name]) => name) : []
  const files = only !== undefined && commands[only]?.takesMany ? '[FILE…]' : '[FILE]'
  const usage = `Usage: understudy ${only ?? '<command>'} ${files}${withOptions.length > 0 ? ' [options]' : ''}`
  const paragraphs = [
    `Understudy ${version}: a mock of your API that also rehearses its future.`,
    usage,
    only === undefined
      ? `Commands:\n${indented(shown.map(([name, { about }]) => [`${name} [FILE]`, about]))}`
      : `  ${commands[only]?.about}`,
    ...(shown.some(([, { files }]) => takesConfiguration(files)) ? [FILE] : []),
    ...(only === undefined || takesConfiguration(commands[only]?.files) ? [] : defaultOf(commands[only]?.files)),
    ...withOptions.map(([name, { options }]) => describeOptions(name, options)),
    ...(readers.length > 0 ? [describeOptions(readers.join(', '), optionsOf(READER, wings))] : []),
    '  --help, --version',
    ...(withOptions.length > 0 ? [PRECEDENCE] : []),
    ...(only === undefined || only === 'serve' ? [TOKEN] : []),
    'Exit codes: 0 success, 1 wrong configuration or failure, 2 wrong command line, 3 memory ran out.',
  ]
  return `${paragraphs.join('\n\n')}\n`
}

/** A command with the options of reading only. */
const READER: Pick<Command, 'options' | 'reads'> = { options: {}, reads: true }

function describeOptions(names: string, options: Command['options']): string {
  const rows = Object.entries(options).map(([option, { takes, variable, about }]) => [
    `--${option}${takes === undefined ? '' : ` ${takes}`}`,
    variableOf(option, { variable, about } as Option),
    about,
  ])
  return `Options of ${names}:\n${indented(rows)}`
}

const FILE = `FILE is a gateway.yaml or a bare OpenAPI document. Default: the first of these that exists:
${CONFIGURATIONS.join(', ')}; of these, init takes an OpenAPI document.`
/** Whether the file that a command takes is a configuration or a contract. */
const takesConfiguration = (files: Command['files']): boolean =>
  files?.some(file => CONFIGURATIONS.includes(file)) ?? false

const defaultOf = (files: Command['files']): string[] =>
  files === undefined ? [] : [`Default of FILE: the first of these that exists: ${files.join(', ')}.`]

const PRECEDENCE = 'An option wins over its environment variable, which wins over the file.'
const TOKEN = 'The control plane requires the bearer token in UNDERSTUDY_CONTROL_TOKEN, if that is set.'

const indented = (rows: readonly (readonly string[])[]): string => table(rows).replace(/^/gm, '  ')

/** Describes a missing file: the names that were searched for, and the argument to give instead. */
export function describeMissing({ command }: CommandLine, wings: readonly Wing[]): string {
  const files = commandsWith(wings)[command]?.files
  const hint =
    command === 'init'
      ? 'name an OpenAPI document: understudy init FILE'
      : takesConfiguration(files)
        ? 'name a gateway.yaml or an OpenAPI document, or write a gateway.yaml: understudy init FILE'
        : `name one: understudy ${command} FILE`
  return `none of these files exists: ${files?.join(', ')}\n${hint}`
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
