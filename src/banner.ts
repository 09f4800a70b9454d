// What a gateway says when it is up: where it listens, for whom, with what, and a line to try. Shows no key but one that
// the configuration itself publishes.

import type { Plan } from './plan/compile.ts'
import { describeOperations } from './plan/describe.ts'

/** More operations than this are counted, not shown. */
const SHOWN = 40

export function describeStart(plan: Plan, version: string, origin: string, controlOrigin: string): string {
  const { contract, simulation } = plan
  const names = simulation.consumerNames
  const [head = '', ...lines] = describeOperations(plan).split('\n')
  const shown =
    lines.length > SHOWN ? [...lines.slice(0, SHOWN), `… and ${lines.length - SHOWN} more: understudy plan`] : lines
  return `
Understudy ${version} stands in for ${contract.title} ${contract.version}

  API            ${contract.basePaths.map(path => origin + path).join('  ')}
  Control plane  ${controlOrigin}  (/metrics /healthz /readyz /plan, POST /reset /reload)
  Consumers      ${names.length > 0 ? names.join(', ') : 'none configured: any well-formed credential is accepted'}

${[head, ...shown].map(line => `  ${line}`).join('\n')}

  ${describeTry(plan, origin)}

`
}

/** A line to paste: the first list that can be asked for, with a credential if it takes one. */
function describeTry(plan: Plan, origin: string): string {
  const { contract, simulation } = plan
  const operation = contract.operations.find(
    one => one.method === 'GET' && !one.path.includes('{') && !one.parameters.some(({ required }) => required),
  )
  if (operation === undefined) return `curl ${origin}/healthz`
  const url = `${origin}${operation.basePaths[0] ?? ''}${operation.path}`
  const name = operation.security[0]?.[0]?.scheme
  const scheme = name === undefined ? undefined : contract.securitySchemes.get(name)
  if (name === undefined || scheme === undefined) return `curl ${url}`
  const [consumer] = simulation.consumerNames
  const key =
    consumer === undefined ? 'any' : (simulation.published.get(`${consumer} ${name}`) ?? `<${name} of ${consumer}>`)
  if (scheme.type === 'other') return `curl ${url}`
  if (scheme.type === 'http' && scheme.scheme === 'basic') {
    return `curl -u '${consumer === undefined ? 'any:any' : key}' ${url}`
  }
  if (scheme.type !== 'apiKey') {
    const word = scheme.type === 'http' && scheme.scheme !== 'bearer' ? scheme.scheme : 'Bearer'
    return `curl -H 'Authorization: ${word} ${key}' ${url}`
  }
  if (scheme.in === 'query') return `curl '${url}?${scheme.name}=${key}'`
  return scheme.in === 'header' ? `curl -H '${scheme.name}: ${key}' ${url}` : `curl -b '${scheme.name}=${key}' ${url}`
}
