// The name of a world in a path: `/~alice/books`.

export interface WorldAddress {
  readonly name: string
  /** The path without the world's name. */
  readonly path: string
  readonly address: (basePath: string) => string
}

/** `/~NAME` at the beginning of a path, or after one of the base paths. */
export function findMark(path: string, basePaths: readonly string[]): WorldAddress | undefined {
  const base = path.startsWith('/~')
    ? ''
    : basePaths.find(one => path.startsWith('/~', one.length) && path.startsWith(one))
  if (base === undefined) return undefined
  const from = base.length
  const end = path.indexOf('/', from + 1)
  const mark = end === -1 ? path.slice(from) : path.slice(from, end)
  const rest = base + path.slice(from + mark.length)
  // The name keeps its position before or after the base path.
  const address = base === '' && !basePaths.includes('') ? (one: string) => mark + one : (one: string) => one + mark
  return { name: mark.slice(2), path: rest === '' ? '/' : rest, address }
}
