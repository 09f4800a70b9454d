// The matchers of WireMock's requests, as conditions in CEL.

import type { Path } from '../../kernel/file/source.ts'
import { isObject, type Json, parseJson, stringifyJson } from '../../kernel/json.ts'
import { celOfJsonPath, isBeyondLinear } from '../project/handlebars.ts'
import { allOf, celText, celValue, memberIn } from '../project/imported.ts'

export type Members = Readonly<Record<string, unknown>>

/** Tells what cannot be carried over. */
export type Lose = (at: Path, what: string, hint: string) => void

/** Why a pattern is left out. */
export const BEYOND = 'no linear engine can run this pattern'

export const RULE_HINT = 'see "Expressions" in docs/rules.md'

/** Tells of a matcher that is left out, so that the stub answers more requests. */
export function loseMatcher(matcher: string, at: Path, lose: Lose): void {
  const hint = /xml|xpath/i.test(matcher)
    ? 'write a condition on the text: request.text.contains("<id>7</id>")'
    : RULE_HINT
  lose(at, `this ${matcher} has no equal, and is ignored`, hint)
}

/** The comparisons of matchers of times. */
const TIMES: Readonly<Record<string, string>> = { before: '<', after: '>', equalToDateTime: '==' }

/** Returns the conditions of a matcher of texts. @param present the condition that there is a text */
export function textConditions(matcher: unknown, value: string, present: string, at: Path, lose: Lose): string[] {
  if (!isObject(matcher)) return [`${value} == ${celText(String(matcher))}`]
  const { caseInsensitive, ...rest } = matcher
  const subject = caseInsensitive === true ? `${value}.lowerAscii()` : value
  const inner = (one: unknown) => allOf(textConditions(one, value, present, at, lose))
  return Object.entries(rest).flatMap(([operator, given]) => {
    const text = celText(caseInsensitive === true ? String(given).toLowerCase() : String(given))
    const list = Array.isArray(given) ? given.map(inner) : []
    if (operator === 'equalTo') return `${subject} == ${text}`
    if (operator === 'contains') return `${subject}.contains(${text})`
    if (operator === 'doesNotContain') return `!(${present}) || !${subject}.contains(${text})`
    if (operator === 'absent') return given === true ? `!(${present})` : present
    if (operator === 'or') return list.join(' || ')
    if (operator === 'and') return list
    if (operator === 'not') return `!(${inner(given)})`
    if (operator === 'matches' || operator === 'doesNotMatch') {
      if (isBeyondLinear(String(given))) {
        lose([...at, operator], `${BEYOND}, and it is ignored`, RULE_HINT)
        return []
      }
      const matches = `${value}.matches(${celText(`^(?:${given})$`)})`
      return operator === 'matches' ? matches : `!(${present}) || !${matches}`
    }
    const moment = given === 'now' ? 'now' : /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(String(given)) && `timestamp(${text})`
    if (moment && Object.hasOwn(TIMES, operator)) return `timestamp(${value}) ${TIMES[operator]} ${moment}`
    loseMatcher(operator, [...at, operator], lose)
    return []
  })
}

/** Returns the conditions of a pattern of the body, and a body that fulfils them, if one is named. */
export function bodyConditions(pattern: Members, at: Path, lose: Lose) {
  const { equalTo, equalToJson = equalTo, matchesJsonPath, ignoreArrayOrder, ignoreExtraElements, ...others } = pattern
  const parsed = typeof equalToJson === 'string' ? parseJson(equalToJson) : { value: equalToJson as Json | undefined }
  const texts = { ...others, ...('fault' in parsed ? { equalTo: equalToJson } : {}) }
  const when = textConditions(texts, 'request.text', 'request.text != ""', at, lose)
  let isExact = Object.keys(others).length === 0
  let body: string | undefined
  if ('fault' in parsed) body = String(equalToJson)
  else if (parsed.value !== undefined) {
    body = stringifyJson(parsed.value)
    if (body.includes(PLACEHOLDER)) {
      loseMatcher('placeholder of JsonUnit', at, lose)
      isExact = false
    }
    when.push(...equalityOf(parsed.value, 'request.body', ignoreArrayOrder === true, ignoreExtraElements === true))
  }
  const isText = 'fault' in parsed
  if (matchesJsonPath === undefined) return { when, body, isText, isExact }
  const path = [...at, 'matchesJsonPath']
  const made = jsonPathConditions(matchesJsonPath, path, lose)
  if (made === undefined) loseMatcher('matchesJsonPath', path, lose)
  return { when: [...when, ...(made ?? [])], body, isText, isExact: false }
}

/** The beginning of a placeholder of JsonUnit, which stands for any value of a kind. */
const PLACEHOLDER = '${json-unit'

/** Returns the conditions that a value is equal to a JSON. */
function equalityOf(value: Json, at: string, anyOrder: boolean, more: boolean): string[] {
  const whole = celValue(value)
  const inner = (one: Json, where: string) => equalityOf(one, where, anyOrder, more)
  if (typeof value === 'string' && value.startsWith(PLACEHOLDER)) return []
  const isWhole = !more && !(anyOrder && whole.includes('[')) && !whole.includes(PLACEHOLDER)
  if (isWhole || typeof value !== 'object' || value === null) return [`${at} == ${whole}`]
  const isList = Array.isArray(value)
  const name = `e${at.split('.exists(').length}`
  const parts = isList
    ? value.flatMap((one: Json, i) => {
        if (!anyOrder) return inner(one, `${at}[${i}]`)
        return isObject(one) ? `${at}.exists(${name}, ${allOf(inner(one as Json, name))})` : `${celValue(one)} in ${at}`
      })
    : Object.entries(value).flatMap(([key, one]) => inner(one as Json, memberIn(at, key)))
  if (!more) parts.push(`${at}.size() == ${Object.keys(value).length}`)
  return parts.length > 0 ? parts : [`type(${at}) == ${isList ? 'list' : 'map'}`]
}

/** Returns the conditions of a JSONPath, which may end in a filter; `undefined` where it has no equal. */
function jsonPathConditions(given: unknown, at: Path, lose: Lose): string[] | undefined {
  const { expression, ...matcher } = isObject(given) ? given : { expression: given }
  const test = (path: string, root: string, depth: number): string | undefined => {
    const [, before, after = ''] = /^(\$.*?)\[\*\](.*)$/s.exec(path) ?? []
    if (before !== undefined) {
      const list = celOfJsonPath(before, root)
      const inner =
        after === '' && Object.keys(matcher).length === 0 ? 'true' : test(`$${after}`, `e${depth}`, depth + 1)
      return list && inner && `${list}.exists(e${depth}, ${inner})`
    }
    const filter =
      /^\$(.*?)\[\?\(\s*@(.*?)\s*(==|!=|>=|<=|>|<|=~)\s*('[^']*'|"[^"]*"|\/.*\/i?|-?[\d.]+|true|false)\s*\)\]$/.exec(
        path,
      )
    if (filter !== null) return filterCondition(filter, root, `e${depth}`)
    const value = celOfJsonPath(path, root)
    if (value === undefined) return undefined
    // CEL can ask for the presence of a field whose name is a word, and of an item.
    const [, list, index] = /^(.*)\[(\d+)\]$/.exec(value) ?? []
    const present = list ? `${list}.size() > ${index}` : /\.\w+$/.test(value) ? `has(${value})` : undefined
    if (Object.keys(matcher).length === 0) return present
    return allOf(textConditions(matcher, value, present ?? 'true', at, lose))
  }
  const made = test(String(expression), 'request.body', 1)
  return made === undefined ? undefined : [made]
}

function filterCondition([, before = '', member = '', operator, literal = '']: string[], root: string, name: string) {
  const list = celOfJsonPath(`$${before}`, root)
  const value = /^['"]/.test(literal) ? celText(literal.slice(1, -1)) : literal
  const own = celOfJsonPath(`$${member}`, before === '' ? root : name)
  if (list === undefined || own === undefined) return undefined
  const pattern = operator === '=~' ? `^(?:${literal.replace(/^\/|\/i?$/g, '')})$` : ''
  if (isBeyondLinear(pattern)) return undefined
  const isAnyCase = literal.endsWith('/i') ? '(?i)' : ''
  const test = pattern === '' ? `${own} ${operator} ${value}` : `${own}.matches(${celText(isAnyCase + pattern)})`
  // A filter of an object looks at the object.
  return before === '' ? test : `(type(${list}) == list ? ${list} : [${list}]).exists(${name}, ${test})`
}
