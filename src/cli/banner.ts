// The text that a started gateway prints: its addresses, consumers, contents, and a line to try. Shows no key but one that
// the configuration itself publishes.

import { spawn } from 'node:child_process'
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
  Console        ${controlOrigin}/  (in a browser)
  Control plane  ${controlOrigin}  (/metrics /healthz /readyz /plan, POST /reset /reload)
${fingerprint === undefined ? '' : `  Certificate    self-signed, SHA-256 ${fingerprint}\n`}  Consumers      ${names.length > 0 ? names.join(', ') : 'none configured: any well-formed credential is accepted'}

${[head, ...shown].map(line => `  ${line}`).join('\n')}

  ${fingerprint === undefined ? call : call.replace('curl ', 'curl -k ')}

`
}

/**
 * Opens an address in the default browser: starts the program for that on this platform, and does not wait for it.
 *
 * @param failed is called with the address if no such program exists or if it fails
 */
export function openBrowser(url: string, platform: string, failed: (url: string) => void): void {
  const [program, ...before] = OPENERS[platform] ?? ['xdg-open']
  let told = false
  const fail = () => {
    if (!told) failed(url)
    told = true
  }
  const opener = spawn(program as string, [...before, url], { stdio: 'ignore', detached: true })
  opener.on('error', fail)
  opener.on('exit', code => void (code === 0 || fail()))
  opener.unref()
}

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  // The first argument in quotes would be the title of a window.
  win32: ['cmd', '/c', 'start', '""'],
}
