// Finds repetitions within repetitions in a regular expression, such as `(a+)+`: a backtracking engine may take exponential
// time over them. Reads the text of the pattern; is independent of the engine.

/** The repetitions of a pattern. */
export interface Nesting {
  /** A repeated group contains another repetition, an option or alternatives. */
  readonly nested: boolean
  /** An unbounded repetition contains another one, and no element that each round must match: `(a+)+`. */
  readonly ambiguous: boolean
  /** The number of unbounded repetitions. */
  readonly endless: number
  /** How many combinations of alternatives and of rounds of bounded repetitions there are. */
  readonly ways: number
  /** Whether it matches at the beginning of a text only. */
  readonly anchored: boolean
}

interface PatternGroup {
  /** Whether it contains a repetition, an option or alternatives; whether one of them is unbounded. */
  varies: boolean
  endless: boolean
  /** Whether every alternative has an element that is matched a fixed number of times. */
  fixed: boolean
  /** Whether an element was read whose quantifier is still to come. */
  pending: boolean
  /** Whether an earlier alternative had no fixed element. */
  looseBefore: boolean
  alternatives: number
  readonly asserts: boolean
}

const open = (asserts: boolean): PatternGroup => ({
  varies: false,
  endless: false,
  fixed: false,
  pending: false,
  looseBefore: false,
  alternatives: 1,
  asserts,
})

/** Matches each part of a pattern: an escape, a class, a bracket of a group, a quantifier, or another character. */
export const TOKEN =
  /\\(?:[pPu]\{[^}]{0,80}\}|k<[^>]{0,80}>|x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]{0,80}>))?|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|./gs

/** Analyses the nesting of quantifiers in a valid pattern, in linear time. */
export function findNesting(pattern: string): Nesting {
  const groups: PatternGroup[] = [open(false)]
  let nested = false
  let ambiguous = false
  let endless = 0
  let ways = 1
  let anchored = pattern.startsWith('^')
  /** The group that was closed just before the current character. */
  let closed: PatternGroup | undefined
  const settle = (group: PatternGroup) => {
    if (group.pending) group.fixed = true
    group.pending = false
  }
  for (const [token] of pattern.matchAll(TOKEN)) {
    const group = groups.at(-1) as PatternGroup
    const repetition = repetitionOf(token)
    if (repetition !== undefined) {
      const { least, most } = repetition
      if (closed !== undefined && most > 1 && closed.varies) {
        nested = true
        if (most === Number.POSITIVE_INFINITY && closed.endless && isLoose(closed)) ambiguous = true
      }
      if (least === most) settle(group)
      else group.varies = true
      if (most === Number.POSITIVE_INFINITY) {
        group.endless = true
        endless += 1
      } else ways *= most - least + 1
      group.pending = false
      closed = undefined
      continue
    }
    if (token.startsWith('(')) {
      settle(group)
      groups.push(open(/^\(\?<?[=!]/.test(token)))
      closed = undefined
    } else if (token === ')' && groups.length > 1) {
      settle(group)
      ways *= group.alternatives
      groups.pop()
      const outer = groups.at(-1) as PatternGroup
      settle(outer)
      outer.varies ||= group.varies
      outer.endless ||= group.endless
      // A group counts as an element that must match, unless it can match the empty text or any text.
      outer.pending = !group.asserts && !isLoose(group)
      closed = group
    } else if (token === '|') {
      if (groups.length === 1) anchored = false
      group.alternatives += 1
      settle(group)
      group.varies = true
      group.looseBefore ||= !group.fixed
      group.fixed = false
      closed = undefined
    } else {
      settle(group)
      group.pending = !/^(?:[\^$]|\\[bB])$/.test(token)
      closed = undefined
    }
  }
  ways *= groups[0]?.alternatives ?? 1
  return { nested, ambiguous, endless, ways, anchored }
}

const isLoose = ({ fixed, looseBefore }: PatternGroup): boolean => looseBefore || !fixed

function repetitionOf(token: string): { least: number; most: number } | undefined {
  if (/^\*/.test(token)) return { least: 0, most: Number.POSITIVE_INFINITY }
  if (/^\+/.test(token)) return { least: 1, most: Number.POSITIVE_INFINITY }
  if (/^\?/.test(token)) return { least: 0, most: 1 }
  const counted = /^\{(\d+)(,(\d*))?\}/.exec(token)
  if (counted === null) return undefined
  const least = Number(counted[1])
  if (counted[2] === undefined) return { least, most: least }
  return { least, most: counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3]) }
}
