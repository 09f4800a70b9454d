// Templates and paths that several tools share: Handlebars, JSONPath, and regular expressions of paths.

import { type Json, parseJson } from '../../kernel/json.ts'
import { freeName, singular } from '../../kernel/names.ts'
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
  for (const [part, three, two] of text.matchAll(PART)) {
    const inside = three ?? two
    if (inside === undefined || translate === undefined) {
      if (part === '"') quoted = !quoted
      made += (quoted || !isJson) && /^(?:\$\{|\{\{)/.test(part) ? inText(plainTemplate(part)) : part
      continue
    }
    const expression = translate(inside.trim())
    if (expression === undefined) lost(part)
    const filled = expression === undefined ? '' : asTemplate(expression)
    if (quoted || !isJson) made += inText(filled)
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
  let made = root
  let rest = path.trim().replace(/^\$/, '')
  while (rest !== '') {
    const step = /^(?:\.([A-Za-z_][\w]*)|\.?\[(\d+)\]|\.?\[(?:'([^']*)'|"([^"]*)")\]|\.([^.[\]*?]+))/.exec(rest)
    if (step === null) return undefined
    const [whole, name, index, single, double, odd] = step
    if (name !== undefined) made += `.${name}`
    else if (index !== undefined) made += `[${index}]`
    else made += `[${celText(single ?? double ?? (odd as string))}]`
    rest = rest.slice(whole.length)
  }
  return made
}

/** Whether a pattern uses what no engine of linear time can do: looking around, references back, possessive repeats. */
export const isBeyondLinear = (pattern: string): boolean =>
  /\(\?(?:[=!]|<[=!]|>)|\\[1-9]|\\k<|[*+?}]\+/.test(pattern.replaceAll('\\\\', ''))

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
  const segments: string[] = []
  let depth = 0
  let segment = ''
  const whole = pattern.replace(/^\^/, '').replace(/\$$/, '').replace(/\\\//g, '/')
  for (let i = 0; i < whole.length; i++) {
    const char = whole[i] as string
    if (char === '\\') {
      segment += char + (whole[++i] ?? '')
      continue
    }
    if (char === '(' || char === '[') depth += 1
    if (char === ')' || char === ']') depth -= 1
    if (char === '/' && depth === 0) {
      segments.push(segment)
      segment = ''
    } else segment += char
  }
  segments.push(segment)
  if (segments[0] !== '' || depth !== 0) return undefined
  const names = new Set<string>()
  const when: string[] = []
  const parts = segments.slice(1).map((part, i) => {
    const plain = part.replace(/\\([^A-Za-z0-9])/g, '$1')
    if (!/[\\^$.|?*+()[\]{}]/.test(part.replace(/\\[^A-Za-z0-9]/g, '').replace(/(?<=\w)\.(?=\w)/g, ''))) return plain
    const name = parameterAfter(segments.slice(1)[i - 1], names)
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
