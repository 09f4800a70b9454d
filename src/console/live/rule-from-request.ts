// Writes a rule of gateway.yaml for requests like a given one: with its path parameters, query and body.

import type { RecordedRequest } from '../../http/control/types.ts'
import { isObject, parseJson, stringifyJson } from '../../kernel/json.ts'

/** Fields of a body that a rule compares; more make it hold for that one request only. */
const MOST_FIELDS = 6

/**
 * Returns the block of gateway.yaml, to be completed by the person: a rule that answers 500.
 *
 * @param path the operation's path template, for the parameters: `/orders/{orderId}`
 */
export function ruleFromRequest(request: RecordedRequest, path: string): string {
  const when = conditionsFor(request, path).join(' && ')
  const { status, operation } = request
  const lines = [
    // A condition in single quotes is always read as a text.
    ...(when === '' ? [] : [`when: '${when.replaceAll("'", "''")}'`]),
    `respond: { status: ${status >= 400 ? status : 500} }`,
    'times: 1 # leave this out to let it hold for good',
  ]
  return `operations:\n  ${operation ?? 'theOperation'}:\n    rules:\n      - ${lines.join('\n        ')}\n`
}

/** The conditions that the request fulfils, in CEL. */
export function conditionsFor({ path, query, requestBody }: RecordedRequest, template: string): string[] {
  const names = template.split('/')
  const values = path.split('/').slice(-names.length)
  return [
    ...names.flatMap((name, i) => {
      const parameter = /^\{(.+)\}$/.exec(name)?.[1]
      return parameter === undefined ? [] : equals('params', parameter, decodeURIComponent(values[i] ?? ''))
    }),
    ...[...new URLSearchParams(query)].flatMap(([name, value]) => equals('query', name, value)),
    ...Object.entries(fieldsOfBody(requestBody?.text))
      .slice(0, MOST_FIELDS)
      .filter(([, value]) => !Array.isArray(value) && !isObject(value))
      .map(([name, value]) => `request.body${member(name)} == ${stringifyJson(value)}`),
  ]
}

const member = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)

/** A parameter has the type that the contract gives it; a number in the URL is taken for a number. */
const equals = (group: string, name: string, text: string): string =>
  `request.${group}${member(name)} == ${/^-?(?:0|[1-9]\d{0,14})$/.test(text) ? text : JSON.stringify(text)}`

function fieldsOfBody(text = ''): Readonly<Record<string, unknown>> {
  const parsed = parseJson(text, true)
  return 'value' in parsed && isObject(parsed.value) ? parsed.value : {}
}
