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
  const conditions = conditionsFor(request, path)
  const when = conditions.length === 0 ? [] : [`when: ${quoteYaml(conditions.join(' && '))}`]
  const { status } = request
  const lines = [
    ...when,
    `respond: { status: ${status >= 400 ? status : 500} }`,
    'times: 1 # leave this out to let it hold for good',
  ]
  return [
    'operations:',
    `  ${request.operation ?? 'theOperation'}:`,
    '    rules:',
    ...lines.map((line, i) => `      ${i === 0 ? '- ' : '  '}${line}`),
    '',
  ].join('\n')
}

/** The conditions that the request fulfils, in CEL. */
export function conditionsFor({ path, query, requestBody }: RecordedRequest, template: string): string[] {
  const conditions: string[] = []
  const values = path.split('/').slice(-template.split('/').length + 1)
  const names = template.split('/').slice(1)
  names.forEach((name, i) => {
    const parameter = /^\{(.+)\}$/.exec(name)?.[1]
    if (parameter !== undefined)
      conditions.push(`request.params${member(parameter)} == ${celOfParameter(decodeURIComponent(values[i] ?? ''))}`)
  })
  for (const [name, value] of new URLSearchParams(query)) {
    conditions.push(`request.query${member(name)} == ${celOfParameter(value)}`)
  }
  for (const [name, value] of Object.entries(fieldsOfBody(requestBody?.text)).slice(0, MOST_FIELDS)) {
    if (!Array.isArray(value) && !isObject(value))
      conditions.push(`request.body${member(name)} == ${stringifyJson(value)}`)
  }
  return conditions
}

const member = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)

/** A parameter has the type that the contract gives it; a number in the URL is taken for a number. */
const celOfParameter = (text: string): string => (/^-?(?:0|[1-9]\d{0,14})$/.test(text) ? text : JSON.stringify(text))

function fieldsOfBody(text = ''): Readonly<Record<string, unknown>> {
  const parsed = parseJson(text, true)
  return 'value' in parsed && isObject(parsed.value) ? parsed.value : {}
}

/** A YAML scalar: in single quotes where a plain one would be read otherwise. */
const quoteYaml = (text: string): string => `'${text.replaceAll("'", "''")}'`
