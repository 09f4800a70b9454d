// The log: JSON lines for machines, one readable line for a terminal. The only file that imports pino. It never receives a
// key or a query string.

import { write } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { LineSink } from './line-sink.ts'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface Log {
  /** Whether successful requests are logged. */
  readonly requests: boolean
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** The number of lines that could not be written. */
  readonly lost: number
  /** Resolves once every line is written or lost, at most after half a second. */
  close(): Promise<void>
}

/** The maximum time for the last lines, in milliseconds. */
const LAST_LINES = 500

/** Logs to standard error, so that standard output has only the output of a command. */
export async function createLog(level: LogLevel): Promise<Log> {
  // Node's own streams wait for a busy descriptor, and throw on a full disk.
  const sink = new LineSink(
    (bytes, done) => write(2, bytes, done),
    (milliseconds, task) => void setTimeout(task, milliseconds).unref(),
    lines => log.warn({ lines }, 'log lines were dropped because they could not be written'),
  )
  // Loaded only for a terminal.
  const pretty = process.stderr.isTTY ? (await import('pino-pretty')).default : undefined
  const stream = pretty ? pretty({ ...LINE, colorize: true, destination: streamInto(sink) }) : sink
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  return {
    requests: log.isLevelEnabled('info'),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    get lost() {
      return sink.lost
    },
    close: () =>
      new Promise(resolve => {
        const timer = setTimeout(resolve, LAST_LINES)
        void sink.settled().then(() => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}

const streamInto = (sink: LineSink): Writable =>
  new Writable({
    decodeStrings: false,
    write(line: string | Buffer, _, done) {
      sink.write(String(line))
      done()
    },
  })

/** Formats a line for a terminal: the status first, the reason of a refusal last. */
export const LINE = {
  ignore: 'pid,hostname,status,reason',
  messageFormat: '{if status}{status} {end}{msg}{if reason}: {reason}{end}',
  translateTime: 'HH:MM:ss.l',
  singleLine: true,
} as const

export const silentLog: Log = {
  requests: false,
  info: () => {},
  warn: () => {},
  error: () => {},
  lost: 0,
  close: async () => {},
}
