// Collects the attacks of a file and their outcomes in one table, printed at the end.

import { after, test } from 'node:test'
import { table } from '../../src/kernel/terminal.ts'

interface Row {
  readonly kind: string
  readonly input: string
  readonly outcome: string
}

const rows: Row[] = []

/**
 * A test of one hostile input.
 *
 * @param kind what is attacked
 * @param run resolves with the outcome, for the table; rejects where the attack succeeds
 */
export function attack(kind: string, input: string, run: () => string | Promise<string>): void {
  test(`${kind}: ${input}`, async () => {
    let outcome = 'FAILED'
    try {
      outcome = await run()
    } finally {
      rows.push({ kind, input, outcome })
    }
  })
}

after(() => {
  const lines = rows.map(({ kind, input, outcome }) => [kind, input, outcome])
  console.log(`\n${table([['class', 'input', 'outcome'], ...lines])}\n`)
})
