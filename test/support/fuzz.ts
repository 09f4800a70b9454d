// Fuzzing for a bounded time with reproducible inputs. FUZZ_SECONDS is the time of each test (default: 0.2, or 1 in
// `npm run test:all`), FUZZ_SEED the seed (default: random), FUZZ_PATH the path that a failure names.

import { test } from 'node:test'
import fc from 'fast-check'
import { EVERYTHING } from './cases.ts'

const { FUZZ_SECONDS = EVERYTHING ? '1' : '0.2', FUZZ_SEED, FUZZ_PATH } = process.env
const seconds = Number(FUZZ_SECONDS)
const seed = FUZZ_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED)

/** A test that tries values until its time is over, and fails with the smallest value that `holds` throws for. */
export function fuzz<Value>(
  name: string,
  values: fc.Arbitrary<Value>,
  holds: (value: Value) => void | Promise<void>,
): void {
  test(name, async t => {
    let tried = 0
    t.diagnostic(`FUZZ_SEED=${seed} FUZZ_PATH=${FUZZ_PATH ?? ''} FUZZ_SECONDS=${seconds}`)
    const property = fc.asyncProperty(values, async value => {
      tried += 1
      await holds(value)
    })
    const path = FUZZ_PATH === undefined ? {} : { path: FUZZ_PATH, endOnFailure: true }
    const bounds = { numRuns: 1_000_000, interruptAfterTimeLimit: seconds * 1000, markInterruptAsFailure: false }
    const found = await fc.check(property, { seed, ...bounds, ...path })
    // On a busy machine the time may be over before the first value.
    const isOver = found.interrupted && found.counterexample === null
    if (found.failed && !isOver) throw new Error(await fc.asyncDefaultReportMessage(found))
    t.diagnostic(`${tried} values`)
  })
}
