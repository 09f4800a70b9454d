// The filters of the live view: the parameters of the URL that are filters of the journal, and parsing of typed filters.

/** Filters with a separate input, by their name in the URL and in the control plane. */
export const FILTER_NAMES = [
  ...['path', 'status', 'method', 'operation', 'consumer', 'refusal', 'fault', 'note', 'slowerThan', 'since', 'until'],
  ...['header', 'body'],
] as const

export type FilterName = (typeof FILTER_NAMES)[number]

/** Those behind "More filters". */
export const MORE_FILTERS: readonly { readonly name: FilterName; readonly label: string; readonly hint: string }[] = [
  { name: 'refusal', label: 'Refusal', hint: 'Code: invalid_request' },
  { name: 'fault', label: 'Fault', hint: 'Injected: reset, status' },
  { name: 'note', label: 'Note', hint: 'Part of a note: latency' },
  { name: 'slowerThan', label: 'Slower than', hint: 'Duration: 250ms' },
  { name: 'since', label: 'Since', hint: 'Timestamp or -5m' },
  { name: 'until', label: 'Until', hint: 'Timestamp or -1m' },
  { name: 'header', label: 'Request header', hint: 'x-request-id=42' },
  { name: 'body', label: 'Field of the body', hint: 'JSON Pointer: /name=Rex' },
]

/**
 * The query that the control plane takes, from the parameters of the URL.
 *
 * A path without `/` or `*` is looked for anywhere: `order` becomes `*order*`. `header` and `body` are split at the first
 * `=`.
 */
export function journalQuery(parameters: (name: string) => string, world: string): Readonly<Record<string, string>> {
  const query: Record<string, string> = world === '' ? {} : { world }
  for (const name of FILTER_NAMES) {
    const value = parameters(name).trim()
    if (value === '') continue
    if (name === 'path') query.path = /[/*]/.test(value) ? value : `*${value}*`
    else if (name === 'header' || name === 'body') {
      const at = value.indexOf('=')
      const field = at < 0 ? value : value.slice(0, at)
      query[`${name}.${field.trim()}`] = at < 0 ? '*' : value.slice(at + 1).trim()
    } else query[name] = value
  }
  return query
}
