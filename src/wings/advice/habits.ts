// Habits of JavaScript, SQL and other templates that do not work in expressions, and what to write instead.

import type { Mistake } from '../../expression/scope.ts'

/** A dotted name such as `request.body.name`. */
const NAME = '((?:\\w+\\.)+\\w+)'
const NOTHING = '(?:null|undefined|none|nil)\\b'

/** The habits with what replaces them; `$1` and `$2` are parts of the text that was found. */
const HABITS: readonly (readonly [found: RegExp, instead: string])[] = [
  [/(?:\$|\{)\{ *(.*?) *\}\}?/, '$1, without braces'],
  [new RegExp(`${NAME} *(?:={2,3}|\\bis\\b) *${NOTHING}`, 'i'), '!has($1)'],
  [new RegExp(`${NAME} *(?:!={1,2}|<>|\\bis +not\\b) *${NOTHING}`, 'i'), 'has($1)'],
  [new RegExp(`\\bconsumer *={2,3} *${NOTHING}`, 'i'), 'consumer == ""'],
  [new RegExp(`((?:\\w+\\.)+\\w+)\\[(.*?)\\] *={2,3} *${NOTHING}`, 'i'), '!($2 in $1)'],
  [new RegExp(`(?<!\\.)\\b${NOTHING}`, 'i'), '!has(request.body.name)'],
  [new RegExp(`${NAME} +between +(\\S+) +and +(\\S+)`, 'i'), '$1 >= $2 && $1 <= $3'],
  [/\brequest\.headers\.(\w+(?:-\w+)+)/, 'request.headers["$1"]'],
  [/\brecords\.(\w+)/, 'records("$1")'],
  [/\bconsumer\.\w+/, 'consumer'],
  [/\bhas\((\w+)\)/, 'has(request.body.$1)'],
  [/=~|(?<!\.)\blike\b|\.(?:test|match|search)\b/i, '.matches("…")'],
  [/=>/, '.exists(x, …)'],
  [/\?\?/, '.?name.orValue("…")'],
  [/(?<![\w.])(?:req\.)?(body|query|params|headers|cookies|method|path)\b/, 'request.$1'],
  [/\$\.(\w+)/, 'request.body.$1'],
  [/\brequest\.(?:url|uri)\b/, 'request.path'],
  [/ (matches|contains|startsWith|endsWith) +(?=")/i, '.$1(…)'],
  [/(?<![\w.])len\((.*?)\)/, '$1.size()'],
  [/\b(now|ordinal|nth|accepted|consumer|operation)\(\)/, '$1'],
  [/!==|<>/, '!='],
  [/===|(?<![=!<>])=(?!=)|(?<!\.)\b(?:equals|is|eq)\b/i, '=='],
  [/(?<!\.)\band\b|(?<!&)&(?!&)/i, '&&'],
  [/(?<!\.)\bor\b|(?<!\|)\|(?!\|)/i, '||'],
  [/(?<!\.)\bnot\b/i, '!(…)'],
  [/\bin *\((.*?)\)/i, 'in [$1]'],
  [new RegExp(`${NAME}\\.includes\\((.*?)\\)`), '$1.contains($2) for a text, $2 in $1 for a list'],
  [/\.(?:to)?(?:low|upp)er(?:Case)?\b/i, '.lowerAscii() or .upperAscii()'],
  [/\.length\b/, '.size()'],
  [/\?\./, '. alone: a missing field makes a condition false'],
  [/`/, '"…"'],
  [/\b(?:Math\.)?random\b/, 'draw("a name")'],
  [/(?<!\.)\bDate\b/, 'now'],
  [/\.(?:some|any)\(.*\)/, '.exists(x, …)'],
  [/\.every\(.*\)/, '.all(x, …)'],
  [/\b(?:parseInt|parseFloat|Number)\b/, 'int(…) or double(…)'],
]

/** Returns a mistake that follows from a habit in the words of that habit; any other mistake as it is. */
export function explainHabit(text: string, mistake: Mistake): Mistake {
  // Words in quotes are values and no habits.
  const code = text.replace(/"[^"]*"|'[^']*'/g, quoted => `"${'_'.repeat(quoted.length - 2)}"`)
  for (const [pattern, instead] of HABITS) {
    for (const found of code.matchAll(new RegExp(pattern, `${pattern.flags}gd`))) {
      const [start, end] = [found.index, found.index + found[0].length]
      // The parser may give the place of the next word.
      if (start > mistake.end || end + 1 < mistake.start) continue
      const part = (_: string, n: number) =>
        text.slice(...((found.indices as RegExpIndicesArray)[n] as [number, number]))
      const message = `expressions do not know "${text.slice(start, end)}"`
      return { ...mistake, message, hint: `write ${instead.replace(/\$(\d)/g, part as never)}`, start, end }
    }
  }
  return mistake
}
