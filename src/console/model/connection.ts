// Whether the control plane answers. A call that reaches nothing marks it as lost; the console then asks until it answers
// again, and every view loads its data anew.

import { signal } from '@preact/signals'

export type Connection = 'connecting' | 'connected' | 'lost'

export const connection = signal<Connection>('connecting')
/** Counts reconnections: data that depends on it is loaded again. */
export const epoch = signal(0)

/** Milliseconds between two attempts: quick at first, since a restart takes a second. */
const WAITS = [300, 500, 1000, 2000, 3000]
let attempts = 0
let timer: ReturnType<typeof setTimeout> | undefined

export function markConnected(): void {
  clearTimeout(timer)
  timer = undefined
  attempts = 0
  if (connection.value === 'lost') epoch.value += 1
  connection.value = 'connected'
}

export function markLost(): void {
  connection.value = 'lost'
  if (timer === undefined) tryLater()
}

/** Tries to reconnect at once. */
export function tryNow(): void {
  clearTimeout(timer)
  timer = undefined
  attempts = 0
  void attempt()
}

function tryLater(): void {
  const wait = WAITS[Math.min(attempts, WAITS.length - 1)] as number
  attempts += 1
  timer = setTimeout(() => void attempt(), wait)
}

async function attempt(): Promise<void> {
  timer = undefined
  try {
    // Readiness may be refused with 503 while a gateway starts or drains; being answered at all is enough here.
    await fetch('/healthz', { cache: 'no-store' })
    markConnected()
  } catch {
    tryLater()
  }
}
