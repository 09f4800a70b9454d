// The log: JSON lines for machines, one readable line for a terminal. It never receives a key or a query string.

import { pino } from 'pino'
import sonic from 'sonic-boom'

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

/** The characters that wait for a busy descriptor or a full disk; further lines are dropped. */
const ROOM = 1_000_000
/** The maximum time for the last lines, in milliseconds. */
const LAST_LINES = 500

/** Logs to standard error, so that standard output has only the output of a command. No request waits for a line. */
export async function createLog(level: LogLevel): Promise<Log> {
  let lost = 0
  let untold = 0
  // Node's own streams wait for a busy descriptor, and throw on a full disk.
  const sink = new sonic.SonicBoom({ fd: 2, maxLength: ROOM })
  // Lines that could not be written are tried again with the next one.
  sink.on('error', () => {})
  sink.on('drop', () => {
    lost += 1
    untold += 1
  })
  sink.on('drain', () => {
    if (untold === 0) return
    const lines = untold
    untold = 0
    log.warn({ lines }, 'log lines were dropped because they could not be written')
  })
  // Loaded only for a terminal.
  const pretty = process.stderr.isTTY ? (await import('pino-pretty')).default : undefined
  const stream = pretty ? pretty({ ...LINE, colorize: true, destination: sink }) : sink
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  return {
    requests: log.isLevelEnabled('info'),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    get lost() {
      return lost
    },
    close: () =>
      new Promise(resolve => {
        setTimeout(resolve, LAST_LINES)
        for (const event of ['close', 'error']) sink.once(event, () => resolve())
        sink.end()
      }),
  }
}

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
