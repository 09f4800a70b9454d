// Habits of JavaScript, SQL and other templates that do not work in expressions, and what to write instead.

import type { Mistake } from './scope.ts'

/** A dotted name such as `request.body.name`. */
const NAME = '((?:\\w+\\.)+\\w+)'
const NOTHING = '(?:null|undefined|none|nil)\\b'

/** `$1` and `$2` in a remedy are parts of the text that was found. */
const HABITS: readonly (readonly [found: RegExp, remedy: string])[] = [
  [/\$?\{\{? *(.*?) *\}?\}/, 'write $1, without braces'],
  [new RegExp(`${NAME} *(?:={2,3}|\\bis\\b) *${NOTHING}`, 'i'), 'write !has($1)'],
  [new RegExp(`${NAME} *(?:!={1,2}|<>|\\bis +not\\b) *${NOTHING}`, 'i'), 'write has($1)'],
  [new RegExp(`\\b${NOTHING}`, 'i'), 'write !has(request.body.name)'],
  [/===/, 'write =='],
  [/!==|<>/, 'write !='],
  [/=~|\blike\b/i, 'write .matches("…")'],
  [/(?<![=!<>])=(?!=)/, 'write =='],
  [/\band\b|(?<!&)&(?!&)/i, 'write &&'],
  [/\bor\b|(?<!\|)\|(?!\|)/i, 'write ||'],
  [/\bnot +in\b/i, 'write !(x in list)'],
  [/\bnot\b/i, 'write !'],
  [/\bin *\((.*?)\)/i, 'write in [$1]'],
  [new RegExp(`${NAME}\\.(?:includes|contains)\\((.*?)\\)`), 'write $1.contains($2) for a text, $2 in $1 for a list'],
  [/\.toLowerCase\b/, 'write .lowerAscii()'],
  [/\.toUpperCase\b/, 'write .upperAscii()'],
  [new RegExp(`${NAME}\\.length\\b`), 'write $1.size()'],
  [/\?\./, 'write . alone: a missing field makes a condition false'],
  [/`/, 'write "…"'],
  [/\bMath\.random\b/, 'write draw("a name")'],
  [/\bDate\b/, 'write now'],
  [/\.(?:test|match|search)\b/, 'write .matches("…")'],
  [/\.some\(.*\)/, 'write .exists(x, …)'],
  [/\.every\(.*\)/, 'write .all(x, …)'],
  [/\b(?:parseInt|parseFloat|Number)\b/, 'write int(…) or double(…)'],
  [/\btypeof +\S*/, 'write has(…)'],
]

/** Returns a mistake that follows from a habit in the words of that habit; any other mistake as it is. */
export function explainHabit(text: string, mistake: Mistake): Mistake {
  // Words in quotes are values and no habits.
  const code = text.replace(/"[^"]*"|'[^']*'/g, quoted => `"${'_'.repeat(quoted.length - 2)}"`)
  for (const [pattern, remedy] of HABITS) {
    for (const found of code.matchAll(new RegExp(pattern, `${pattern.flags}gd`))) {
      const [start, end] = [found.index, found.index + found[0].length]
      if (start > mistake.end || end < mistake.start) continue
      const part = (_: string, n: number) =>
        text.slice(...((found.indices as RegExpIndicesArray)[n] as [number, number]))
      const message = `expressions are written without "${text.slice(start, end)}"`
      return { ...mistake, message, hint: remedy.replace(/\$(\d)/g, part as never), start, end }
    }
  }
  return mistake
}
