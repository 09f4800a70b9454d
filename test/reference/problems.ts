// The table of refusals: every problem of the catalogue.

import { problems } from '../../src/kernel/http.ts'
import { table } from './table.ts'

export function describeProblems(): string {
  const rows = Object.values(problems).map(({ code, status, when }) => [`\`${code}\``, `${status}`, when])
  return table(['code', 'status', 'when'], rows)
}
