// The log: JSON lines for machines, one readable line for a terminal. The only file that knows pino. No key and no query
// string is ever handed to it.

import { pino } from 'pino'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface Log {
  /** Whether requests that went well are worth a line. */
  readonly requests: boolean
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Logs to standard error, so that standard output stays what a command prints. */
export async function createLog(level: LogLevel): Promise<Log> {
  // Loaded for a terminal alone: nobody else waits for it.
  const pretty = process.stderr.isTTY ? (await import('pino-pretty')).default : undefined
  const stream = pretty
    ? pretty({ ...LINE, colorize: true, destination: 2, sync: true })
    : pino.destination({ fd: 2, sync: false, minLength: 0 })
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  return {
    requests: log.isLevelEnabled('info'),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}

/** A line for a terminal: what a request was answered stands first, and why it was refused stands behind it. */
export const LINE = {
  ignore: 'pid,hostname,status,reason',
  messageFormat: '{if status}{status} {end}{msg}{if reason}: {reason}{end}',
  translateTime: 'HH:MM:ss.l',
  singleLine: true,
} as const

export const silentLog: Log = { requests: false, info: () => {}, warn: () => {}, error: () => {} }
