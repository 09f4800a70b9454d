// The interface of a command, the interface of the process to it, and that of a wing, which may bring commands.

import type { ServedWing } from '../http/control/route.ts'
import type { Processes } from '../http/processes.ts'
import type { Serving } from '../http/serve.ts'
import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { getOrMake } from '../kernel/memo.ts'
import { formatBriefly, formatFindings, formatReport, REPORT_FORMATS, type ReportFormat } from '../kernel/report.ts'
import type { ShownProgress } from '../kernel/terminal.ts'
import type { LoadWing } from '../load/contract-file.ts'
import { type Loaded, type LoadOptions, loadPlan } from '../load/load.ts'
import type { Plan } from '../plan/plan.ts'

/** An option of a command. */
export interface Option {
  /** The name of its value; absent for a switch. */
  readonly takes?: string
  /** The environment variable that it wins over. Default: `UNDERSTUDY_` and the option's name. */
  readonly variable?: string
  readonly about: string
  /** Whether it may be given several times; see `CommandLine.lists`. */
  readonly many?: boolean
  /** Returns the mistake of a value, as the rest of a sentence that begins with the option's name. */
  readonly fault?: (text: string) => string | undefined
}

export interface Command {
  readonly about: string
  /** The files to look for where none is named; unset for a command that needs none. */
  readonly files?: readonly string[]
  /** Whether it takes several files, which are then the list `files`. */
  readonly takesMany?: boolean
  readonly options: Readonly<Record<string, Option>>
  /** Whether it loads a configuration, and takes the options of that, too. */
  readonly reads?: boolean
  /** @returns the exit code */
  run(line: CommandLine, program: Program): Promise<number>
}

/** The addition of a wing to one command. */
export interface CommandExtension {
  readonly options: Readonly<Record<string, Option>>
  /** Runs in place of the command if the command line asks for it; else returns `undefined`. */
  run?(line: CommandLine, program: Program): Promise<number> | undefined
  /**
   * Examines the plan for `check` if the command line asks for it, and adds what it finds to the report.
   *
   * @returns what it did, as lines to print where there are no errors
   */
  examine?(plan: Plan, report: Diagnostics, line: CommandLine, program: Program): Promise<readonly string[]> | undefined
  /** Is called once `serve` serves, after its addresses are printed. */
  started?(serving: Serving, line: CommandLine, program: Program): Promise<void> | undefined
  /** Returns the processes that `serve`, if the command line asks for several. */
  processes?(line: CommandLine): Promise<Processes> | undefined
}

/** The addition of a wing to the commands that load a configuration. */
export interface ReadingExtension {
  readonly options: Readonly<Record<string, Option>>
  /** Returns the load options that the command line sets. */
  read?(line: CommandLine): LoadOptions
  /** Returns what loads the configuration in place of `loadPlan`, if the command line asks for it. */
  loader?(line: CommandLine): LoadConfiguration | undefined
}

export type LoadConfiguration = (...given: Parameters<typeof loadPlan>) => Loaded | Promise<Loaded>

/** A capability beside the stand-in, whole in one folder: data, whose import does nothing. */
export interface Wing extends ServedWing, LoadWing {
  readonly commands?: Readonly<Record<string, Command>>
  /** Its additions to commands of the house, by their names. */
  readonly extensions?: Readonly<Record<string, CommandExtension>>
  readonly reading?: ReadingExtension
}

/** Makes the check of an option. @param kind what its value must be, with the article */
export const mustBe = (kind: string, fits: (text: string) => boolean) => (text: string) =>
  fits(text) ? undefined : `must be ${kind}, not "${text}"`
export const oneOf = (words: readonly string[]) => (text: string) =>
  words.includes(text) ? undefined : `is not "${text}"; ${suggest(text, words)}`

export const port = mustBe('a port, 0 to 65535', text => /^\d{1,5}$/.test(text) && Number(text) <= 65535)

export const DOCUMENTS = ['openapi.yaml', 'openapi.yml', 'openapi.json']

/** The files that are tried as the configuration, in this order. */
export const CONFIGURATIONS = ['gateway.yaml', 'config/gateway.yaml', ...DOCUMENTS]

const READING: Readonly<Record<string, Option>> = {
  world: {
    takes: 'NAME=FILE',
    about: 'give a world a contract of its own; several times for its overlays, too',
    many: true,
    fault: mustBe('NAME=FILE', text => /^[A-Za-z0-9._-]{1,64}=./.test(text)),
  },
  'base-path': { takes: 'PATH', about: 'serve the API below this path instead of the paths of its servers' },
  root: { takes: 'DIR', about: 'let the files of the contract be in this folder, too' },
  'invalid-status': {
    takes: 'STATUS',
    about: 'the status of invalid requests if the contract documents neither: 400 or 422',
    fault: mustBe('400 or 422', text => text === '400' || text === '422'),
  },
  strict: { about: 'treat warnings as errors' },
  format: {
    takes: 'FORMAT',
    about: 'the format of mistakes: text, json, junit, sarif, github (annotations of a workflow) or markdown',
    fault: oneOf(REPORT_FORMATS),
  },
}

/** Returns the options of a command, with those of reading if it reads. */
export const optionsOf = (
  { options, reads = false }: Pick<Command, 'options' | 'reads'>,
  wings: readonly Wing[],
): Command['options'] =>
  reads ? Object.assign({}, options, ...wings.map(({ reading }) => reading?.options), READING) : options

/** The requested command. */
export interface CommandLine {
  readonly command: string
  /** The named file; else the first default that exists; else the first default. Empty if the command needs none. */
  readonly file: string
  /** Whether `file` was neither named nor found. */
  readonly missing?: boolean
  /** By the name of the option: from the command line, else from the environment. */
  readonly values: Readonly<Record<string, string | undefined>>
  /** Every value of the options that may be given several times. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly switches: ReadonlySet<string>
  /** The text to print instead of running a command. */
  readonly help?: string
  readonly version?: boolean
}

/** The interface of the process to a command. */
export interface Program {
  /** The wings of the program, in the order in which they may use each other. */
  readonly wings: readonly Wing[]
  /** The working folder. */
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly version: string
  /** Shows progress on a terminal only. */
  readonly progress: ShownProgress
  /** Writes to standard output. */
  print(text: string): void
  /** Writes to standard error. */
  complain(text: string): void
  /** Resolves at the first signal to stop, or when `otherwise` calls its argument. The second signal ends the process at once. */
  stopped(otherwise?: (stop: () => void) => unknown): Promise<void>
  /** Calls the function at each SIGHUP, unless a terminal may send it. */
  onHangup(reload: () => void): void
  /** Ends the process at once. */
  end(code: number): never
}

/** Loads the file that the command line names, with its options. */
export async function load(line: CommandLine, program: Program, more: LoadOptions = {}): Promise<Loaded> {
  const { home, environment, progress, wings } = program
  const options: LoadOptions = { ...readingOf(line, wings), progress: progress.report, ...more }
  // A text from elsewhere is a whole configuration.
  const loaders = more.confined === undefined ? wings.flatMap(({ reading }) => reading?.loader?.(line) ?? []) : []
  const [loadWith = loadPlan] = loaders
  return loadWith(line.file, home, environment, options)
}

/** Returns the options of reading that the command line sets. */
export function readingOf(line: CommandLine, wings: readonly Wing[]): LoadOptions {
  const { values, lists, switches } = line
  const status = values['invalid-status']
  return {
    ...Object.assign({}, ...wings.map(({ reading }) => reading?.read?.(line))),
    wings,
    strict: switches.has('strict'),
    worlds: worldsIn(lists.world),
    basePath: values['base-path'],
    root: values.root,
    invalidStatus: status === undefined ? undefined : (Number(status) as 400 | 422),
  }
}

/** Returns the files of each world in a list of `NAME=FILE`. */
function worldsIn(list: readonly string[] = []): LoadOptions['worlds'] {
  const worlds = new Map<string, string[]>()
  for (const one of list) {
    const end = one.indexOf('=')
    getOrMake(worlds, one.slice(0, end), () => []).push(one.slice(end + 1))
  }
  return Object.fromEntries(worlds)
}

/** Whether a format is a document, which nothing else may be printed beside. */
export const isDocument = (format: string | undefined): format is ReportFormat =>
  format !== undefined && format !== 'text' && format !== 'github'

/** Writes the mistakes in the requested format: a report for a command that is run to have one. */
export function tellMistakes(
  report: Diagnostics,
  { values: { format } }: CommandLine,
  { progress, print, complain, version }: Program,
  asked = false,
): void {
  progress.clear()
  const other = asked ? print : complain
  if (isDocument(format) || format === 'github') {
    other(formatFindings(format, report.list, { version, total: severity => report.count(severity) }))
  } else complain(asked ? formatReport(report) : formatBriefly(report))
}

/** The usual address of the control plane. */
export const CONTROL = 'http://127.0.0.1:4011'

export const isUrl = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text)

/** An option for traffic. */
export const RECORDED = { takes: 'SOURCE', about: 'a HAR file, or the URL of the control plane of a running gateway' }

/** The first 50 lines of a list. */
export const firstLines = (lines: readonly string[]): string[] => [
  ...lines.slice(0, 50).map(line => `  ${line}`),
  ...(lines.length > 50 ? [`  … and ${lines.length - 50} more`] : []),
]

/** Reports the mistakes, and uses the plan if there is one. */
export async function withPlan(
  { plan, report }: Loaded,
  line: CommandLine,
  program: Program,
  use: (plan: Plan) => unknown,
): Promise<number> {
  tellMistakes(report, line, program)
  if (plan === undefined) return 1
  await use(plan)
  return 0
}

export const counted = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

/** Files of the same name are never overwritten unless `force` says so. */
export class FileExists extends Error {
  override readonly name = 'FileExists'
}
