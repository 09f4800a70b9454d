// A place in the console as the text behind `#` in the URL, and back.

export interface ViewPlace {
  /** The id of a view; empty where the text names none. */
  readonly view: string
  readonly parameters: Readonly<Record<string, string | undefined>>
}

/** Parses `#/live?status=5xx`. Never fails: the shell handles unknown views. */
export function parsePlace(hash: string): ViewPlace {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2)
  return { view: path.split('/')[0] ?? '', parameters: Object.fromEntries(new URLSearchParams(query)) }
}

/** The inverse of `parsePlace`. Parameters are sorted so that the same place has one URL; empty ones are left out. */
export function writePlace({ view, parameters }: ViewPlace): string {
  const query = new URLSearchParams()
  for (const name of Object.keys(parameters).sort()) {
    const value = parameters[name]
    if (value !== undefined && value !== '') query.set(name, value)
  }
  const text = query.toString()
  return `#/${view}${text === '' ? '' : `?${text}`}`
}
