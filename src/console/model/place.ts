// A place in the console as the text behind `#` in the URL, and back.

export interface ViewPlace {
  /** The id of a view; empty where the text names none. */
  readonly view: string
  readonly parameters: Readonly<Record<string, string | undefined>>
}

/** Parses `#/live?status=5xx`. Never fails: the shell handles unknown views. */
export function parsePlace(hash: string): ViewPlace {
  const [, view = '', query = ''] = /^#?\/?([^/?]*)[^?]*\??(.*)$/.exec(hash) ?? []
  return { view, parameters: Object.fromEntries(new URLSearchParams(query)) }
}

/** Returns the query of a URL with its `?`: sorted, so that the same place has one URL, and without what is empty. */
export function queryText(members: Readonly<Record<string, unknown>>): string {
  const present = Object.entries(members).filter(([, value]) => value !== undefined && value !== '')
  return present.length === 0 ? '' : `?${new URLSearchParams(present.sort() as [string, string][])}`
}

/** The inverse of `parsePlace`. */
export const writePlace = ({ view, parameters }: ViewPlace): string => `#/${view}${queryText(parameters)}`
