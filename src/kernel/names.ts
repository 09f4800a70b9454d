// Compares names: without regard to spelling, and with `*` for any text, in linear time.

/** A name in the form that all its spellings share: `per_page`, `perPage` and `per-page` are `perpage`. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The names that end in another letter are returned quickly: names are compared very often. */
export const singular = (name: string): string =>
  !name.endsWith('s') && !name.endsWith('S') ? name : withoutPlural(name)

const withoutPlural = (name: string): string =>
  name
    .replace(/ies$/i, 'y')
    .replace(/(ss|x|ch|sh)es$/i, '$1')
    .replace(/([^s])s$/i, '$1')

/** A name in the form that its spellings share, in the singular. */
export const wordFormOf = (name: string): string => plainName(singular(name))

/** Returns what something is after an action or during it: `liked` and `liking` for `like`, among other spellings. */
export const participlesOf = (verb: string): readonly string[] => [
  `${verb}ed`,
  `${verb}${verb.at(-1)}ed`,
  `${verb.replace(/e$/, '')}ed`,
  `${verb.replace(/y$/, '')}ied`,
  `${verb}ing`,
  `${verb.replace(/e$/, '')}ing`,
]

/** Compiles `/books/*` into a test of whole texts. It searches the pieces from left to right, each once. */
export function compileGlob(pattern: string): (text: string) => boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return text => text === first
  const middle = others.filter(piece => piece !== '')
  return text => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
    const end = text.length - last.length
    let at = first.length
    for (const piece of middle) {
      const found = text.indexOf(piece, at)
      if (found === -1 || found + piece.length > end) return false
      at = found + piece.length
    }
    return true
  }
}

/** Returns the name, or the first one with a number that is free. */
export function freeName(name: string, taken: { has(name: string): boolean }): string {
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name}-${n}`
  return free
}
