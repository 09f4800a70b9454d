// The commands and their options, as one table that parsing, help and messages are made of.

import { LOG_LEVELS } from '../gateway/log.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { parseMoment } from '../world/world-clock.ts'

/** An option of a command. */
export interface Option {
  /** The name of its value; absent for a switch. */
  readonly takes?: string
  /** The environment variable that it wins over. Default: `UNDERSTUDY_` and the option's name. */
  readonly variable?: string
  readonly about: string
  /** Returns the mistake of a value, as the rest of a sentence that begins with the option's name. */
  readonly fault?: (text: string) => string | undefined
}

export interface Command {
  readonly about: string
  /** The files to look for where none is named; unset for a command that needs none. */
  readonly files?: readonly string[]
  readonly options: Readonly<Record<string, Option>>
}

const port = (text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? undefined : `must be a port, 0 to 65535, not "${text}"`
const level = (text: string) =>
  (LOG_LEVELS as readonly string[]).includes(text) ? undefined : `is not "${text}"; ${suggest(text, LOG_LEVELS)}`

const processes = (text: string) =>
  /^\d{1,3}$/.test(text) && Number(text) > 0 ? undefined : `must be a number of processes, not "${text}"`
const momentFault = (text: string) =>
  parseMoment(text, 0) === undefined ? `must be a date, a timestamp or an offset, not "${text}"` : undefined

const DOCUMENTS = ['openapi.yaml', 'openapi.yml', 'openapi.json']

/** The files that are tried as the configuration, in this order. */
export const CONFIGURATIONS: readonly string[] = ['gateway.yaml', 'config/gateway.yaml', ...DOCUMENTS]

const FORMATS = ['text', 'json', 'github']

const READING: Readonly<Record<string, Option>> = {
  'base-path': { takes: 'PATH', about: 'serve the API below this path instead of the paths of its servers' },
  'invalid-status': {
    takes: 'STATUS',
    about: 'the status of invalid requests if the contract documents neither: 400 or 422',
    fault: text => (text === '400' || text === '422' ? undefined : `must be 400 or 422, not "${text}"`),
  },
  strict: { about: 'treat warnings as errors' },
  format: {
    takes: 'FORMAT',
    about: 'the format of mistakes: text, json, or github (annotations of a workflow)',
    fault: text => (FORMATS.includes(text) ? undefined : `is not "${text}"; ${suggest(text, FORMATS)}`),
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
        fault: level,
      },
      open: { about: 'open the console in a browser' },
      'no-watch': { about: 'do not reload when a file changes' },
      workers: { takes: 'N', about: 'serve with N processes, which share state through Redis', fault: processes },
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
        fault: momentFault,
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
