// A request of the journal once more: sent again, or as a line for a terminal.

import type { Gateway } from './gateway.ts'
import type { JournalEntry } from './journal/kept-request.ts'
import { type Sending, type SendResult, send } from './send.ts'

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
    ...(headers === undefined ? {} : { headers }),
    ...(requestBody === undefined ? {} : { body: requestBody.text }),
    // Headers that were kept hold the credential already.
    ...(kept || consumer === undefined ? {} : { consumer }),
  }
  return send(gateway, sending)
}

/** Returns the request as a command of curl. Credentials are masked. */
export function describeAsCurl(
  { method, path, query, world, mask, requestBody, ...entry }: JournalEntry,
  origin: string,
  usual: string,
): string {
  const headers = Object.entries(sentHeaders(entry) ?? {}).map(
    ([name, value]) => `-H ${quote(`${name}: ${mask.header(name, value)}`)}`,
  )
  const url = `${origin}${mask.path(path)}${query === '' ? '' : `?${mask.query(query)}`}`
  const parts = [
    'curl -i',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...headers,
    ...(world === usual ? [] : [`-H ${quote(`Understudy-World: ${world}`)}`]),
    ...(requestBody === undefined || requestBody.text === '' ? [] : [`--data-raw ${quote(requestBody.text)}`]),
    quote(url),
  ]
  return `${parts.join(' ')}\n`
}

const sentHeaders = ({ headers }: Pick<JournalEntry, 'headers'>): Readonly<Record<string, string>> | undefined =>
  headers && Object.fromEntries(Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name)))

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
