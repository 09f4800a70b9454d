// Requests that the control plane sends itself, in process: a try of an operation, or a request of the journal once more.

import type { Operation } from '../contract/contract.ts'
import { decodeUtf8, ForwardedRequest, type Reply, type Request } from '../kernel/http.ts'
import {
  acceptedCredential,
  type Credential,
  carried,
  credentialOf,
  inProcess,
  requestTo,
} from '../load/probe/probe.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import type { Gateway } from './gateway.ts'
import { describeEntry, type RecordedRequest } from './journal/entry.ts'
import type { JournalEntry } from './journal/journal.ts'

/** A request to be sent. */
export interface Sending {
  readonly method: string
  /** Base path included. */
  readonly path: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly world?: string
  /** The time that it is to meet. */
  readonly time?: string
  /** Adds the credential of this consumer. */
  readonly consumer?: string
  /** Adds a generated credential, which is accepted if no consumers are configured. */
  readonly credential?: 'any'
}

export interface SendResult {
  /** The request as the journal has it; `null` where the journal is switched off. */
  readonly request: RecordedRequest | null
  readonly reply: {
    /** 0 if a fault left the client without a reply. */
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** As text; in base64 if it is not UTF-8. */
    readonly body: string | null
    readonly base64?: true
    /** The connection fault that a client would have got. */
    readonly wire?: string
  }
}

/** Sends a request through the gateway. The journal keeps all of it. */
export async function send(gateway: Gateway, sending: Sending): Promise<SendResult> {
  const request = requestFrom(withCredential(sending, gateway.plan))
  let recorded: RecordedRequest | null = null
  const stopWatching = gateway.journal.watch()
  const stopListening = gateway.journal.listen((entry, met) => {
    if (senderOrigin(met) === request) recorded = describeEntry(entry)
  })
  try {
    const reply = await gateway.handle(request)
    return { request: recorded, reply: describeReply(reply) }
  } finally {
    stopListening()
    stopWatching()
  }
}

function requestFrom({ method, path, query = '', headers = {}, body, world, time }: Sending): Request {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return inProcess({
    ...{ method, path, query, body },
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries(given),
      ...(world === undefined ? {} : { 'understudy-world': world }),
      ...(time === undefined ? {} : { 'understudy-time': time }),
    },
  })
}

/** Adds the credential of a consumer if the operation requires one. */
function withCredential(sending: Sending, plan: Plan): Sending {
  const { consumer, credential: wanted, method, path, headers = {}, query = '' } = sending
  const operation = plan.find(method, path)?.target.planned.operation
  if ((consumer === undefined && wanted === undefined) || operation === undefined) return sending
  const credential = carried(credentialOf(consumer, operation, plan))
  const pairs = credential.query.map(pair => pair.map(encodeURIComponent).join('='))
  return {
    ...sending,
    headers: { ...headers, ...credential.headers },
    query: [query, ...pairs].filter(part => part !== '').join('&'),
  }
}

/** Returns the request as it was before it was passed on. */
function senderOrigin(request: Request): Request {
  let origin = request
  while (origin instanceof ForwardedRequest) origin = origin.sent
  return origin
}

function describeReply({ status, headers, body, wire }: Reply): SendResult['reply'] {
  const text = typeof body === 'object' ? decodeUtf8(body) : body
  const isBinary = typeof body === 'object' && text === undefined
  return {
    status,
    headers,
    body: isBinary ? Buffer.from(body).toString('base64') : (text ?? null),
    ...(isBinary ? { base64: true as const } : {}),
    wire: wire?.kind,
  }
}

/** Headers that belong to the connection or to the world of the request. */
const LEFT_OUT = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['accept-encoding', 'content-encoding', 'understudy-world'],
])
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Sends a request of the journal again.
 *
 * @param world the world to send it to; default: its world
 * @returns a sentence if the journal lacks data for it
 */
export async function replay(gateway: Gateway, entry: JournalEntry, world = entry.world): Promise<SendResult | string> {
  const { method, path, query, requestBody, consumer } = entry
  const headers = sentHeaders(entry)
  const kept = headers?.host !== undefined || entry.headers?.host !== undefined
  if (requestBody?.cut) return 'only the beginning of its body was kept'
  if (requestBody === undefined && WITH_BODY.has(method) && !kept) {
    return 'the journal did not keep its headers and body; configure journal: { headers: true, bodies: 64kB }, or watch with GET /requests/stream?headers=true'
  }
  const sending: Sending = {
    ...{ method, path, query, world },
    headers,
    body: requestBody?.text,
    // Headers that were kept hold the credential already.
    consumer: kept ? undefined : consumer,
  }
  return send(gateway, sending)
}

/** The headers of a request as it is sent again. */
const sentHeaders = ({ headers }: Pick<JournalEntry, 'headers'>): Readonly<Record<string, string>> | undefined =>
  headers && Object.fromEntries(Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name)))

// Requests as commands of curl, to paste into a terminal: the first call that is printed, that of each operation, and a request
// of the journal.

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

type CurledEntry = Pick<JournalEntry, 'method' | 'path' | 'query' | 'world' | 'mask' | 'headers' | 'requestBody'>

/** Returns a request of the journal as a command of curl. Credentials are masked. */
export function describeAsCurl(
  { method, path, query, world, mask, requestBody, ...entry }: CurledEntry,
  origin: string,
  usual: string,
): string {
  const headers = Object.entries(sentHeaders(entry) ?? {}).map(
    ([name, value]) => `-H ${quote(`${name}: ${mask.header(name, value)}`)}`,
  )
  const words = [
    'curl -i',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...headers,
    ...(world === usual ? [] : [`-H ${quote(`Understudy-World: ${world}`)}`]),
    ...(requestBody === undefined || requestBody.text === '' ? [] : [`--data-raw ${quote(requestBody.text)}`]),
    quote(`${origin}${mask.path(path)}${query === '' ? '' : `?${mask.query(query)}`}`),
  ]
  return `${words.join(' ')}\n`
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Without quotes where a shell needs none. */
const quoteUrl = (url: string): string =>
  /^[\w./:~%-]+$/.test(url) ? url : /\$[A-Za-z_]/.test(url) ? `"${url}"` : `'${url.replaceAll("'", '%27')}'`
