// The log: JSON lines for machines, one readable line for a terminal. The only file that knows pino. No key and no query
// string is ever handed to it.

import { write } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { LineSink } from './line-sink.ts'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface Log {
  /** Whether requests that went well are worth a line. */
  readonly requests: boolean
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** How many lines could not be written. */
  readonly lost: number
  /** Resolves once what was logged is written, or cannot be; at most after half a second. */
  close(): Promise<void>
}

/** Milliseconds that the last lines may take. */
const LAST_LINES = 500

/** Logs to standard error, so that standard output stays what a command prints. */
export async function createLog(level: LogLevel): Promise<Log> {
  // Node's own streams wait for a descriptor that is busy, and throw where it is full.
  const sink = new LineSink(
    (bytes, done) => write(2, bytes, done),
    (milliseconds, task) => void setTimeout(task, milliseconds).unref(),
    lines => log.warn({ lines }, 'lines of this log could not be written'),
  )
  // Loaded for a terminal alone: nobody else waits for it.
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

/** A line for a terminal: what a request was answered stands first, and why it was refused stands behind it. */
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
