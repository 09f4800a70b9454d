// Calls as commands of curl, to paste into a terminal: the one that is printed at the start, and that of each operation.

import type { Operation } from '../../contract/contract.ts'
import type { FirstCall } from '../../http/control/route.ts'
import { acceptedCredential, type Credential } from '../../plan/credentials.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { quote } from './curl.ts'
import { requestTo } from './probe.ts'

/** The maximum length of a command to paste. */
const LONGEST = 400

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

/** Returns whether an operation succeeds by its configuration: it has no sunset and no fixed error. */
function answersWell({ chain, lifecycle, operation }: PlannedOperation): boolean {
  if (operation.wing !== undefined) return false
  const responds = chain.find(({ name }) => name === 'respond')?.detail ?? ''
  return lifecycle?.sunset === undefined && !/^[345]\d\d$/.test(responds)
}

/** Returns the effort of a request: low for reads without parameters, high for writes. */
const effort = ({ method, parameters, path }: Operation): number =>
  (method === 'GET' ? 0 : method === 'POST' ? 100 : 200) +
  parameters.filter(({ required }) => required).length +
  (path.includes('{') ? 10 : 0)

/** Returns a `curl` command for an operation; `undefined` where none can be made. */
export function describeCall(planned: PlannedOperation, plan: Plan, origin: string): FirstCall | undefined {
  const credential = acceptedCredential(planned.operation, plan)
  const request = credential && requestTo(planned, plan)
  if (request === undefined) return undefined
  const { method, path, headers, text, hasBody } = request
  const given = credentialOptions(credential as Credential)
  const query = [request.query, ...given.query].filter(part => part !== '').join('&')
  const words = [
    'curl',
    ...(method === 'GET' || (method === 'POST' && hasBody) ? [] : ['-X', method]),
    ...given.options,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${String(value)}`)}`),
    ...(hasBody ? [`-d ${quote(text)}`] : []),
    quoteUrl(`${origin}${path}${query === '' ? '' : `?${query}`}`),
  ]
  return { command: words.join(' '), known: credential?.known === true }
}

/** The options of `curl` for a credential, and its pairs for the query. */
function credentialOptions({ keys }: Credential): { readonly options: string[]; readonly query: string[] } {
  const options: string[] = []
  const query: string[] = []
  for (const { place, shown } of keys) {
    // The shell fills a variable in between double quotes only.
    const quoted = (text: string) => (shown.startsWith('$') ? `"${text}"` : quote(text))
    switch (place.in) {
      case 'certificate':
        options.push('--cert cert.pem --key key.pem')
        break
      case 'authorization':
        options.push(
          place.word === 'Basic' ? `-u ${quoted(shown)}` : `-H ${quoted(`Authorization: ${place.word} ${shown}`)}`,
        )
        break
      case 'header':
        options.push(`-H ${quoted(`${place.name}: ${shown}`)}`)
        break
      case 'cookie':
        options.push(`-b ${quoted(`${place.name}=${shown}`)}`)
        break
      case 'query':
        query.push(`${encodeURIComponent(place.name)}=${/^[$<]/.test(shown) ? shown : encodeURIComponent(shown)}`)
        break
      case 'nowhere':
        break
      default:
        place satisfies never
    }
  }
  return { options, query }
}

/** Without quotes where a shell needs none. */
const quoteUrl = (url: string): string =>
  /^[\w./:~%-]+$/.test(url) ? url : /\$[A-Za-z_]/.test(url) ? `"${url}"` : `'${url.replaceAll("'", '%27')}'`
