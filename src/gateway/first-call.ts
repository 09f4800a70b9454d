// A line to paste into a terminal that is answered with success: method, required parameters, body and a key that the
// configuration itself publishes.

import type { Operation, SecurityRequirement } from '../contract/contract.ts'
import { placeOf } from '../contract/credential-place.ts'
import { requestTo } from '../load/probe/probe.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'

/** The maximum length of a command to paste. */
const LONGEST = 400

export interface FirstCall {
  readonly command: string
  /** Whether it works unchanged: the configuration publishes the key, or names a variable with it. */
  readonly known: boolean
}

/** Returns a `curl` command for the simplest callable operation; for `/healthz` if there is none. */
export const describeFirstCall = (plan: Plan, origin: string): string =>
  findFirstCall(plan, origin)?.command ?? `curl ${origin}/healthz`

/** Returns a `curl` command for the simplest callable operation; prefers one that works unchanged. */
export function findFirstCall(plan: Plan, origin: string): FirstCall | undefined {
  const candidates = plan.operations.filter(answersWell).sort((a, b) => effort(a.operation) - effort(b.operation))
  let placeholder: FirstCall | undefined
  for (const planned of candidates.slice(0, 20)) {
    const found = describeCall(planned, plan, origin)
    if (found === undefined || found.command.length > LONGEST) continue
    if (found.known) return found
    placeholder ??= found
  }
  return placeholder
}

/** Returns a `curl` command for an operation; `undefined` where none can be made. */
export function describeCall(planned: PlannedOperation, plan: Plan, origin: string): FirstCall | undefined {
  const credential = credentialFor(planned.operation, plan)
  const command = credential && commandFor(planned, plan, origin, credential)
  return command === undefined ? undefined : { command, known: credential?.known === true }
}

/** Returns whether an operation succeeds by its configuration: it has no sunset and no fixed error. */
function answersWell({ chain, lifecycle }: PlannedOperation): boolean {
  const responds = chain.find(({ name }) => name === 'respond')?.detail ?? ''
  return lifecycle?.sunset === undefined && !/^[345]\d\d$/.test(responds)
}

/** Returns the effort of a request: low for reads without parameters, high for writes. */
const effort = ({ method, parameters, path }: Operation): number =>
  (method === 'GET' ? 0 : method === 'POST' ? 100 : 200) +
  parameters.filter(({ required }) => required).length +
  (path.includes('{') ? 10 : 0)

interface CurlCredential {
  /** Whether the command works unchanged. */
  readonly known: boolean
  /** Options of `curl`, and pairs for the query. */
  readonly options: readonly string[]
  readonly query: readonly string[]
}

const NOBODY: CurlCredential = { known: true, options: [], query: [] }

/** The simplest accepted credential; `undefined` if none is available. */
function credentialFor({ security }: Operation, plan: Plan): CurlCredential | undefined {
  if (security.length === 0 || security.some(alternative => alternative.length === 0)) return NOBODY
  const found = security.flatMap(alternative => {
    const names = plan.simulation.consumerNames
    const callers = names.length === 0 ? [undefined] : names.filter(name => mayCall(name, alternative, plan))
    return callers.map(name => credentialOf(name, alternative, plan))
  })
  return found.find(({ known }) => known) ?? found[0]
}

function mayCall(name: string, alternative: readonly SecurityRequirement[], { simulation }: Plan): boolean {
  const { expires, scopes = [], ...keys } = simulation.file.consumers?.[name] ?? {}
  return (
    expires === undefined &&
    alternative.every(one => keys[one.scheme] !== undefined && one.scopes.every(scope => scopes.includes(scope)))
  )
}

/** @param consumer undefined where any credential will do */
function credentialOf(
  consumer: string | undefined,
  alternative: readonly SecurityRequirement[],
  { contract, simulation }: Plan,
): CurlCredential {
  const options: string[] = []
  const query: string[] = []
  let known = true
  for (const { scheme: name } of alternative) {
    const place = placeOf(contract.securitySchemes.get(name))
    if (place.in === 'nowhere') continue
    const basic = place.in === 'authorization' && place.word === 'Basic'
    const variable = simulation.keyVariables.get(`${consumer} ${name}`)
    const published = simulation.published.get(`${consumer} ${name}`)
    const key =
      consumer === undefined
        ? basic
          ? 'any:any'
          : 'any'
        : (published ?? (variable === undefined ? `<${name} of ${consumer}>` : `$${variable}`))
    if (consumer !== undefined && published === undefined && variable === undefined) known = false
    // The shell fills a variable in between double quotes only.
    const quoted = (text: string) => (key.startsWith('$') ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`)
    switch (place.in) {
      case 'certificate':
        options.push('--cert cert.pem --key key.pem')
        break
      case 'authorization':
        options.push(basic ? `-u ${quoted(key)}` : `-H ${quoted(`Authorization: ${place.word} ${key}`)}`)
        break
      case 'header':
        options.push(`-H ${quoted(`${place.name}: ${key}`)}`)
        break
      case 'cookie':
        options.push(`-b ${quoted(`${place.name}=${key}`)}`)
        break
      case 'query':
        query.push(`${encodeURIComponent(place.name)}=${/^[$<]/.test(key) ? key : encodeURIComponent(key)}`)
        break
      default:
        place satisfies never
    }
  }
  return { known, options, query }
}

function commandFor(
  planned: PlannedOperation,
  plan: Plan,
  origin: string,
  credential: CurlCredential,
): string | undefined {
  const request = requestTo(planned, plan)
  if (request === undefined) return undefined
  const { method, path, headers, text, hasBody } = request
  const query = [request.query, ...credential.query].filter(part => part !== '').join('&')
  const url = `${origin}${path}${query === '' ? '' : `?${query}`}`
  const words = [
    'curl',
    ...(method === 'GET' || (method === 'POST' && hasBody) ? [] : ['-X', method]),
    ...credential.options,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${String(value).replaceAll("'", "'\\''")}'`),
    ...(hasBody ? [`-d '${text.replaceAll("'", "'\\''")}'`] : []),
    quoteUrl(url),
  ]
  return words.join(' ')
}

/** Without quotes where a shell needs none. */
const quoteUrl = (url: string): string =>
  /^[\w./:~%-]+$/.test(url) ? url : /\$[A-Za-z_]/.test(url) ? `"${url}"` : `'${url.replaceAll("'", '%27')}'`
