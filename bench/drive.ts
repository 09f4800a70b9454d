// Sends load to a subject over loopback with autocannon: counts requests, their latency and the processor time of the server.

import autocannon from 'autocannon'
import { percentile } from './spread.ts'
import type { Subject } from './subject.ts'

export interface Shot {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Sample {
  readonly requests: number
  /** Requests per second. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Processor microseconds (user and system) of the server per request. */
  readonly cpu: number
  /** The maximum of resident bytes since the subject started. */
  readonly peak: number
  /** Replies by status, and connections that failed. */
  readonly statuses: Readonly<Record<string, number>>
  readonly errors: number
}

export interface Load {
  readonly shots: readonly Shot[]
  readonly seconds?: number
  /** A number of requests, instead of `seconds`. */
  readonly amount?: number
  readonly connections?: number
  readonly pipelining?: number
  /** Requests per second, evenly spread. Default: as many as are answered. */
  readonly rate?: number
  /** Whether the client may sleep between two replies. */
  readonly sleeps?: boolean
}

export async function drive(subject: Subject, load: Load): Promise<Sample> {
  const { shots, seconds = 1, amount, connections = 50, pipelining = 1, rate, sleeps = false } = load
  const took: number[] = []
  const awake = sleeps ? undefined : stayAwake()
  const before = await subject.usage()
  const began = performance.now()
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url: `http://127.0.0.1:${subject.port}`,
        connections,
        pipelining,
        sampleInt: 50,
        requests: shots as autocannon.Request[],
        ...(amount === undefined ? { duration: seconds } : { amount }),
        ...(rate === undefined ? {} : { overallRate: rate }),
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    )
    instance.on('response', (_client, _status, _bytes, milliseconds) => {
      // A soak does not keep its latencies: they would fill the memory of this process.
      if (took.length < 200_000) took.push(milliseconds)
    })
  })
  const elapsed = (performance.now() - began) / 1000
  const after = await subject.usage()
  awake?.stop()
  const requests = result['1xx'] + result['2xx'] + result['3xx'] + result['4xx'] + result['5xx']
  took.sort((a, b) => a - b)
  const statuses = Object.entries((result as unknown as { statusCodeStats: object }).statusCodeStats)
  return {
    requests,
    rate: requests / elapsed,
    p50: percentile(took, 0.5),
    p99: percentile(took, 0.99),
    cpu: (after.cpu - before.cpu) / requests,
    peak: after.peak,
    statuses: Object.fromEntries(statuses.map(([status, { count }]) => [status, count])),
    errors: result.errors,
  }
}

/** Seconds of load before the first sample, in which the engine compiles the code that runs often. */
const WARMING = 2.5

export const warm = (subjects: readonly Subject[], shots: readonly Shot[]): Promise<unknown> =>
  Promise.all(subjects.map(subject => drive(subject, { shots, seconds: WARMING })))

/**
 * Keeps this process from sleeping between two replies. Waking a sleeping client is work of the kernel that is charged to the
 * server: up to 20 µs a reply on a virtual machine. The slower a server, the more often its client sleeps, which would
 * exaggerate the difference between servers.
 */
function stayAwake(): { stop(): void } {
  let awake = true
  const turn = () => {
    if (awake) setImmediate(turn)
  }
  turn()
  return {
    stop: () => {
      awake = false
    },
  }
}
