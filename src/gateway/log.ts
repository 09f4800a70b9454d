// The log: JSON lines for machines, one readable line for a terminal. The only file that imports pino. It never receives a
// key or a query string.

import { write } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'

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

/** Writes bytes, and calls back with the error, or with how many were written. */
type Write = (bytes: Buffer, done: (error: NodeJS.ErrnoException | null, written: number) => void) => void

/** Calls back after this many milliseconds. */
type Later = (milliseconds: number, task: () => void) => void

/** The maximum number of waiting characters; more are dropped. */
const ROOM = 4_000_000
/** The delay before a failed and before a busy descriptor is tried again, in milliseconds. */
const PAUSE = { refused: 1000, busy: 20 } as const

/**
 * Writes the lines of the log to a file descriptor that may refuse them. A line that cannot be written is dropped and counted;
 * no request waits for it.
 */
export class LineSink {
  readonly #write: Write
  readonly #later: Later
  readonly #recovered: (lines: number) => void
  #queue: string[] = []
  #length = 0
  #state: 'idle' | 'writing' | 'pausing' = 'idle'
  /** Whether the last written line is incomplete. */
  #torn = false
  /** How many lines were dropped. */
  lost = 0
  #untold = 0
  #waiting: (() => void)[] = []

  /** @param recovered called with the number of lines lost once a line can be written again */
  constructor(write: Write, later: Later, recovered: (lines: number) => void) {
    this.#write = write
    this.#later = later
    this.#recovered = recovered
  }

  /** Accepts a line, including its end. */
  write(line: string): void {
    if (this.#length + line.length > ROOM) {
      this.#lose(1)
      return
    }
    this.#queue.push(line)
    this.#length += line.length
    if (this.#state === 'idle') this.#next()
  }

  /** Resolves once every line is written, or none can be. */
  settled(): Promise<void> {
    if (this.#state !== 'writing') return Promise.resolve()
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #next(): void {
    const text = (this.#torn ? '\n' : '') + this.#queue.join('')
    this.#queue = []
    this.#length = 0
    this.#state = 'writing'
    this.#put(Buffer.from(text))
  }

  #put(bytes: Buffer): void {
    this.#write(bytes, (error, written) => {
      if (error?.code === 'EAGAIN') this.#later(PAUSE.busy, () => this.#put(bytes))
      else if (error !== null) this.#pause(bytes)
      else if (written < bytes.length) {
        this.#torn = bytes[written - 1] !== NEWLINE
        this.#put(bytes.subarray(written))
      } else this.#proceed()
    })
  }

  #proceed(): void {
    this.#torn = false
    this.#state = 'idle'
    const lines = this.#untold
    this.#untold = 0
    if (lines > 0) this.#recovered(lines)
    if (this.#queue.length > 0 && this.#state === 'idle') this.#next()
    else if (this.#queue.length === 0) this.#settle()
  }

  #pause(bytes: Buffer): void {
    // The line end that completes a torn line is not a line.
    let lines = this.#torn && bytes[0] === NEWLINE ? -1 : 0
    for (const byte of bytes) if (byte === NEWLINE) lines += 1
    this.#lose(lines)
    this.#state = 'pausing'
    this.#settle()
    this.#later(PAUSE.refused, () => {
      this.#state = 'idle'
      if (this.#queue.length > 0) this.#next()
    })
  }

  #lose(lines: number): void {
    this.lost += lines
    this.#untold += lines
  }

  #settle(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

const NEWLINE = 10
