// Collects each attack and its outcome in one table, printed at the end.

import { after, test } from 'node:test'

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
  const width = (key: keyof Row) => Math.max(0, ...rows.map(row => row[key].length))
  const [kind, input] = [width('kind'), width('input')]
  const lines = rows.map(row => `${row.kind.padEnd(kind)}  ${row.input.padEnd(input)}  ${row.outcome}`)
  console.log(`\n${'class'.padEnd(kind)}  ${'input'.padEnd(input)}  outcome\n${lines.join('\n')}\n`)
})
