// Measures how much longer a caller waits for a stand-in with a shadow, in a closed loop and under even load.

import { connect, type Socket } from 'node:net'
import type { Figure } from './figures.ts'
import { configure, startRealApi } from './forwarding.ts'
import type { Effort } from './ratios.ts'
import { middleOf, percentile, spreadOf } from './spread.ts'
import { inTurn, type Subject, startUnderstudy } from './subject.ts'

const REQUEST = 'GET /pet HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
/** The share of the requests that the program can answer which the even load sends. */
const EVEN_SHARE = 0.3
/** The connections of the even load. */
const CONNECTIONS = 20
const WARMING = 3000
/** Short pairs in alternating order, so that both meet what else the machine does. */
const PAIRS_A_ROUND = 4

/** The milliseconds that callers waited, and the processor microseconds of a request. */
interface Met {
  readonly median: number
  readonly mean: number
  readonly cpu: number
  readonly perSecond: number
}

export async function measureShadow({ rounds, seconds }: Effort): Promise<Figure[]> {
  const real = await startRealApi()
  const alone = await startUnderstudy(configure('alone', real.port, {}))
  const shadowed = await startUnderstudy(configure('shadow', real.port, { defaults: { shadow: { share: 0.1 } } }))
  for (const subject of [alone, shadowed]) await meet(subject, port => closedLoop(port, WARMING))
  const figures: Figure[] = []
  const compare = async (what: string, call: (port: number) => Promise<number[]>) => {
    const all = new Map<Subject, Met[]>([alone, shadowed].map(subject => [subject, []]))
    for (let round = 0; round < PAIRS_A_ROUND * rounds; round++)
      for (const subject of inTurn([alone, shadowed], round)) all.get(subject)?.push(await meet(subject, call))
    const [without = [], beside = []] = [...all.values()]
    const rise = (value: (met: Met) => number) =>
      middleOf(beside.map((met, i) => (value(met) / value(without[i] as Met) - 1) * 100))
    const figure = (name: string, values: ReturnType<typeof middleOf>, target: number) => ({
      ...{ name, ...values, unit: '%' as const, target },
    })
    figures.push(
      figure(
        `shadow of 10 %, ${what}, median wait`,
        rise(({ median }) => median),
        3,
      ),
      figure(
        'and the mean',
        rise(({ mean }) => mean),
        3,
      ),
      figure(
        'and the processor time of a request',
        rise(({ cpu }) => cpu),
        100,
      ),
    )
    return spreadOf(without.map(({ perSecond }) => perSecond)).median
  }
  const most = await compare('one caller after the other', port => closedLoop(port, 1500 * seconds))
  await compare('even load', port => evenLoad(port, EVEN_SHARE * most, 1500 * seconds))
  for (const subject of [alone, shadowed, real]) await subject.stop()
  return figures
}

async function meet(subject: Subject, call: (port: number) => Promise<number[]>): Promise<Met> {
  const before = await subject.usage()
  const began = performance.now()
  const waits = await call(subject.port)
  const elapsed = (performance.now() - began) / 1000
  const cpu = ((await subject.usage()).cpu - before.cpu) / waits.length
  const mean = waits.reduce((sum, one) => sum + one, 0) / waits.length
  waits.sort((a, b) => a - b)
  return { median: percentile(waits, 0.5), mean, cpu, perSecond: waits.length / elapsed }
}

/** Sends a request as soon as the one before is answered. */
async function closedLoop(port: number, milliseconds: number): Promise<number[]> {
  const socket = await connected(port)
  const waits: number[] = []
  for (const end = performance.now() + milliseconds; performance.now() < end; ) waits.push(await ask(socket))
  socket.destroy()
  return waits
}

/** Sends requests at even distances, whether the ones before are answered or not; autocannon sends those of a second at once. */
async function evenLoad(port: number, rate: number, milliseconds: number): Promise<number[]> {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => connected(port)))
  const free = [...sockets]
  const waits: number[] = []
  const pending: Promise<void>[] = []
  const began = performance.now()
  for (let sent = 0, now = 0; now < milliseconds; now = performance.now() - began) {
    const socket = sent < (now * rate) / 1000 ? free.pop() : undefined
    // A timer is too coarse for the distance.
    if (socket === undefined) await new Promise(resolve => setImmediate(resolve))
    else {
      sent += 1
      pending.push(
        ask(socket).then(wait => {
          waits.push(wait)
          free.push(socket)
        }),
      )
    }
  }
  await Promise.all(pending)
  for (const socket of sockets) socket.destroy()
  return waits
}

const connected = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.setNoDelay(true)))
    socket.once('error', reject)
  })

/** Resolves with the milliseconds until the reply, which is one packet. */
const ask = (socket: Socket): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    socket.once('data', reply => {
      if (reply.toString('latin1', 9, 12) === '200') resolve(performance.now() - began)
      else reject(new Error(`answered ${reply}`))
    })
    socket.write(REQUEST)
  })
