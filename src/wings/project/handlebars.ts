// Templates and paths that several tools share: Handlebars, JSONPath, and regular expressions of paths.

import { type Json, parseJson } from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'
import { freeName, singular } from '../../kernel/names.ts'
import { LinearPattern } from '../../kernel/pattern.ts'
import { celText, pascal, plainTemplate } from './imported.ts'

/** Returns the expression in CEL of what stands between braces, or nothing where there is no equal. */
export type TranslateHelper = (text: string) => string | undefined

/**
 * Translates the placeholders of a text, which may be JSON once they are filled in. Outside a text of JSON, a placeholder stands
 * for a value of any type.
 *
 * @param translate default: the text has no placeholders
 * @param lost is called with each placeholder that has no equal, which becomes an empty text
 */
export function translateText(
  text: string,
  translate: TranslateHelper | undefined,
  lost: (placeholder: string) => void,
  isJson = false,
): string {
  let quoted = false
  let made = ''
  const inText = (plain: string) => (isJson ? JSON.stringify(plain).slice(1, -1) : plain)
  for (const { index, 0: part, 1: three, 2: two } of text.matchAll(PART)) {
    const inside = three ?? two
    if (inside === undefined || translate === undefined) {
      if (part === '"') quoted = !quoted
      made += (quoted || !isJson) && /^(?:\$\{|\{\{)/.test(part) ? inText(plainTemplate(part)) : part
      continue
    }
    const expression = translate(inside.trim())
    if (expression === undefined) lost(part)
    const filled = expression === undefined ? '' : asTemplate(expression)
    // A value of another type becomes a text if the quotes of JSON are around it alone.
    const isWhole = quoted && text[index - 1] === '"' && text[index + part.length] === '"'
    if (isWhole && isJson && /^\$\{(?:\[|draw|int\(|request\.body)/.test(filled))
      made += inText(`\${string(${expression})}`)
    else if (quoted || !isJson) made += inText(filled)
    else made += expression === undefined ? 'null' : JSON.stringify(filled)
  }
  return made
}

/** A placeholder, or a piece of a text that is read alone. */
const PART = /\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\}|\$\{|\\["\\]|[^{$"\\]+|[\s\S]/g

/** Returns an expression as a template; a text as it is. */
const asTemplate = (expression: string): string =>
  /^"[^"\\\\]*"$/.test(expression) ? plainTemplate(expression.slice(1, -1)) : `\${${expression}}`

/** Returns the CEL expression of a simple JSONPath below a root: `$.a.b[0]['c']`. */
export function celOfJsonPath(path: string, root: string): string | undefined {
  const rest = path.trim().replace(/^\$/, '')
  const steps = [...rest.matchAll(STEP)]
  if (steps.map(([whole]) => whole).join('') !== rest) return undefined
  return steps.reduce((made, [, name, index, quoted, odd]) => {
    if (name !== undefined) return `${made}.${name}`
    return `${made}[${index ?? celText(quoted?.slice(1, -1) ?? (odd as string))}]`
  }, root)
}

/** The parts of a time in a pattern of Java and of date-fns, as characters of the time in ISO 8601. */
const TIME_PARTS: Readonly<Record<string, readonly [from: number, to: number]>> = {
  yyyy: [0, 4],
  yy: [2, 4],
  MM: [5, 7],
  dd: [8, 10],
  HH: [11, 13],
  mm: [14, 16],
  ss: [17, 19],
}

/** Returns the CEL expression of the current time in a pattern: `yyyy-MM-dd'T'HH:mm`; `undefined` for other letters. */
export function celOfTime(pattern: string): string | undefined {
  const parts: string[] = []
  for (const [part, quoted, letters] of pattern.matchAll(/'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+/g)) {
    const range = TIME_PARTS[part]
    if (letters !== undefined && range === undefined) return undefined
    parts.push(range === undefined ? celText(quoted ?? part) : `string(now).substring(${range.join(', ')})`)
  }
  return parts.join(' + ') || undefined
}

const STEP = /\.([A-Za-z_]\w*)(?![^.[])|\.?\[(?:(\d+)|('[^']*'|"[^"]*"))\]|\.([^.[\]*?]+)/g

/** Whether no engine of linear time can run a pattern: it looks around or refers back, or is a mistake. */
export const isBeyondLinear = (pattern: string): boolean => attempted(() => new LinearPattern(pattern)) === undefined

/** A path of a template, and the conditions that its parameters must fulfil. */
export interface PathPattern {
  readonly path: string
  readonly when: readonly string[]
}

/** Names the parameter after a segment: `orderId` after `orders`. */
export function parameterAfter(segment: string | undefined, taken: ReadonlySet<string>): string {
  const word = pascal(singular(segment ?? ''))
  const base = /^[A-Za-z]/.test(word) ? `${word.charAt(0).toLowerCase()}${word.slice(1)}Id` : 'id'
  return freeName(base, taken).replace('-', '')
}

/**
 * Makes a path template of a regular expression that matches a whole path. Each segment that is not a plain text becomes a
 * parameter. `undefined` for a pattern that may match several numbers of segments.
 */
export function pathOfPattern(pattern: string): PathPattern | undefined {
  const whole = pattern.replace(/^\^/, '').replace(/\$$/, '').replace(/\\\//g, '/')
  // A slash in a group or a class is a part of its segment.
  const segments =
    whole.match(/\/(?:\\.|\[[^\]]*\]|\((?:[^()]|\([^()]*\))*\)|[^/\\[(])*/g)?.map(one => one.slice(1)) ?? []
  if (whole === '' || segments.map(one => `/${one}`).join('') !== whole) return undefined
  const names = new Set<string>()
  const when: string[] = []
  const parts = segments.map((part, i) => {
    const plain = part.replace(/\\([^A-Za-z0-9])/g, '$1')
    if (!/[\\^$.|?*+()[\]{}]/.test(part.replace(/\\[^A-Za-z0-9]/g, '').replace(/(?<=\w)\.(?=\w)/g, ''))) return plain
    const name = parameterAfter(segments[i - 1], names)
    names.add(name)
    if (!/^\(?(?:\.[*+]\??|\[\^\/\][*+]\??)\)?$/.test(part)) {
      when.push(`request.params.${name}.matches(${celText(`^(?:${part})$`)})`)
    }
    return `{${name}}`
  })
  return { path: `/${parts.join('/')}`, when }
}

/** A JSON text as a value; `undefined` if it is none. Its texts are templates only with `translate`. */
export function jsonOf(
  text: string,
  translate?: TranslateHelper,
  lost: (placeholder: string) => void = () => {},
): Json | undefined {
  const parsed = parseJson(translateText(text, translate, lost, true))
  return 'fault' in parsed ? undefined : parsed.value
}

/** The largest number of repeats: a body of more is written down, not generated. */
const MOST_REPEATS = 100

/** The innermost block of a template: its name, its arguments and its content. */
const BLOCK = /\{\{\s*#\s*(\w+)([^}]*)\}\}((?:(?!\{\{\s*#)[\s\S])*?)\{\{\s*\/\s*\1\s*\}\}/

/**
 * Writes each `{{#repeat N}}` as its content, N times, with `{{@index}}` filled in, and of other blocks their first part.
 *
 * @param lost is called with the blocks of other kinds, and with what changes state
 */
export function expandBlocks(text: string, lost: (block: string) => void): string {
  let made = text.replace(/\{\{\{?\s*set\w+[^}]*\}\}\}?\s*/g, found => {
    lost(found.trim())
    return ''
  })
  for (let found = BLOCK.exec(made); found !== null; found = BLOCK.exec(made)) {
    const [whole, name, given = '', content = ''] = found
    const isRepeat = name === 'repeat'
    const count = isRepeat ? Number(/\d+/.exec(given)?.[0] ?? 1) : 1
    if (!isRepeat || count > MOST_REPEATS) lost(`{{#${name}${given}}}`)
    // Behind a case of a switch is a mark, as others are not given.
    const [one = ''] = isRepeat ? [content.trim().replace(/,$/, '')] : content.trim().split(/\{\{\s*else[^}]*\}\}|\0/)
    const items = Array.from({ length: Math.min(count, MOST_REPEATS) }, (_, i) =>
      one.replace(/\{\{\s*@index\s*\}\}/g, String(i)),
    )
    const end = name === 'case' ? '\0' : ''
    made = made.slice(0, found.index) + items.join(',\n') + end + made.slice(found.index + whole.length)
  }
  return made
}

/** A text, and the conditions under which a template is it. */
type BlockText = readonly [when: readonly string[], text: string | undefined]

/** The innermost block that chooses between texts, and a case in it. */
const CHOICE = /\{\{\s*#\s*(if|switch)\s+([^}]*)\}\}((?:(?!\{\{\s*#\s*(?:if|switch)\b)[\s\S])*?)\{\{\s*\/\s*\1\s*\}\}/
const CASE = /\{\{\s*#\s*case\s+([^}]*)\}\}([\s\S]*?)\{\{\s*\/\s*case\s*\}\}/g

/** Returns the texts that a body may be by its blocks `switch` and `if`, and when; the last is the one for all others. */
export function splitByBlocks(text: string | undefined, translate: TranslateHelper): BlockText[] {
  const [whole, name, given = '', content = ''] = CHOICE.exec(text ?? '') ?? []
  const [, left = given, right] = /^\(?eq\s+(\([^)]*\))\s+([^)]*)\)?$/.exec(given.trim()) ?? []
  const value = whole === undefined ? undefined : translate(left)
  if (whole === undefined || value === undefined) return [[[], text]]
  const is = (literal: string) => `string(${value}) == ${celText(literal.trim().replace(/^['"]|['"]$/g, ''))}`
  const [one = '', other = ''] = content.split(/\{\{\s*else\s*\}\}/)
  const cases = [...content.matchAll(CASE)].map(([, literal = '', part = '']) => [[is(literal)], part] as const)
  const truth = right === undefined ? `!(string(${value}) in ["", "false", "0"])` : is(right)
  const usual = name === 'if' ? other : (/\{\{\s*#\s*default\s*\}\}([\s\S]*?)\{\{\s*\//.exec(content)?.[1] ?? '')
  const all = [...(name === 'if' ? [[[truth], one] as const] : cases), [[], usual] as const]
  const filled = (part: string) =>
    splitByBlocks(
      (text ?? '').replace(whole, () => part),
      translate,
    )
  return all.flatMap(([when, part]) => filled(part).map(([more, made]) => [[...when, ...more], made] as const))
}
