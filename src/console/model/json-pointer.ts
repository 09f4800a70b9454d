// JSON Pointers (RFC 6901).

/** Returns the pointer to a member or an item of the value at `parent`. */
export const pointerTo = (parent: string, name: string | number): string =>
  `${parent}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Returns the names and indices of a pointer. */
export const namesIn = (pointer: string): string[] =>
  pointer === '' ? [] : pointer.slice(1).split('/').map(unescapeName)

/** Returns the name that a part of a pointer stands for: `a/b` for `a~1b`. */
export const unescapeName = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')
