// The states of scenarios.

import { Table } from './table.ts'

/** The key under which a world keeps them. */
export const SCENARIOS = 'scenarios'

const MOST_SCENARIOS = 10_000

/** The states of a world's scenarios, by their names. */
export class Scenarios extends Table<string> {
  constructor() {
    super({ max: MOST_SCENARIOS })
  }

  protected write = String
  protected read = String

  /** Returns the state of a scenario: empty at first. */
  stateOf(name: string): string {
    return this.values.get(name) ?? ''
  }

  enter(states: Iterable<readonly [name: string, state: unknown]>): void {
    for (const [name, state] of states) this.set(name, String(state))
  }
}
