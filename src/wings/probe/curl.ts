// A request of the journal as a command of curl, to paste into a terminal.

import type { JournalEntry } from '../../gateway/journal/journal.ts'

/** Headers that belong to the connection or to the world of the request. */
const LEFT_OUT = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['accept-encoding', 'content-encoding', 'understudy-world'],
])

/** The headers of a request as it is sent again. */
export const sentHeaders = ({ headers }: Pick<JournalEntry, 'headers'>): Readonly<Record<string, string>> | undefined =>
  headers && Object.fromEntries(Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name)))

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

export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
