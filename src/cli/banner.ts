// The text that a started gateway prints: its addresses, consumers, contents, and a line to try. Shows no key but one that
// the configuration itself publishes.

import { firstCallOf, type ServedWing } from '../http/control/route.ts'
import type { Serving } from '../http/serve.ts'
import { describeOperations, describePlan } from '../plan/describe.ts'
import type { Plan } from '../plan/plan.ts'

/** More operations than this are counted, not shown. */
const SHOWN = 40

export async function describeStart(
  plan: Plan,
  version: string,
  wings: readonly ServedWing[],
  { origin, controlOrigin, fingerprint }: Serving,
): Promise<string> {
  const { contract, simulation } = plan
  const names = simulation.consumerNames
  const call = (await firstCallOf(plan, origin, wings))?.command ?? `curl ${origin}/healthz`
  const [head = '', ...lines] = describeOperations(describePlan(plan).operations).split('\n')
  const shown =
    lines.length > SHOWN ? [...lines.slice(0, SHOWN), `… and ${lines.length - SHOWN} more: understudy plan`] : lines
  return `
Understudy ${version} stands in for ${contract.title} ${contract.version}

  API            ${contract.basePaths.map(path => origin + path).join('  ')}
${wings.some(({ page }) => page !== undefined) ? `  Console        ${controlOrigin}/  (in a browser)\n` : ''}  Control plane  ${controlOrigin}  (/metrics /healthz /readyz /plan, POST /reset /reload)
${fingerprint === undefined ? '' : `  Certificate    self-signed, SHA-256 ${fingerprint}\n`}  Consumers      ${names.length > 0 ? names.join(', ') : 'none configured: any well-formed credential is accepted'}

${[head, ...shown].map(line => `  ${line}`).join('\n')}

  ${fingerprint === undefined ? call : call.replace('curl ', 'curl -k ')}

`
}
