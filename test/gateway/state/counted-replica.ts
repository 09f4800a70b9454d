// A replica that counts how often it uses its log.

import type { Engine } from '../../../src/state/engine.ts'
import type { MemoryLog } from '../../support/memory-log.ts'
import { replica } from './replicas.ts'

/** A replica whose calls of the engine are counted from now on. */
export async function counted(log: MemoryLog, files: Record<string, string> = {}) {
  const engine = log.connect()
  const one = await replica(engine, {}, files)
  const calls = { since: 0, append: 0, leave: 0 }
  for (const method of ['since', 'append', 'leave'] as const) {
    const real = (engine[method] as (...args: never[]) => never).bind(engine)
    ;(engine as unknown as Record<string, unknown>)[method] = (...args: never[]) => {
      calls[method] += 1
      return real(...args)
    }
  }
  return { ...one, calls, notes: () => (engine as Engine).notes() }
}
