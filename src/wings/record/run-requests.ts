// Prints the requests and the records of a running gateway, for other tools.

import { CONTROL, type CommandLine, type Program } from '../../cli/command.ts'
import type { HarMessage } from '../../gateway/journal/har.ts'
import { readRunning } from '../../http/control-client.ts'
import { isObject, parseJson, stringifyJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { RecordedExchange } from '../project/har.ts'
import { exchangesOf } from '../project/recording.ts'

export async function runRequests(line: CommandLine, program: Program): Promise<number> {
  const { format = 'har', world, trace } = line.values
  const read = format === 'json' ? 'json' : 'har'
  const filter = Object.entries({ world, trace }).map(([name, value]) =>
    value ? `&${name}=${encodeURIComponent(value)}` : '',
  )
  const text = await readRunning(
    line.file || CONTROL,
    `/requests?format=${read}&limit=100000${filter.join('')}`,
    program,
  )
  if (text === undefined) return 1
  program.print(format === 'postman' ? await collectionOfExchanges(exchangesOf([Buffer.from(text)])) : text)
  return 0
}

export async function runRecords(line: CommandLine, program: Program): Promise<number> {
  const { world = 'default' } = line.values
  const text = await readRunning(line.file || CONTROL, `/worlds/${encodeURIComponent(world)}/snapshot`, program)
  if (text === undefined) return 1
  const parsed = parseJson(text, true)
  const { collections } = ('value' in parsed && isObject(parsed.value) ? parsed.value : {}) as Record<string, unknown>
  const all = Object.entries(isObject(collections) ? collections : {})
  program.print(
    `${stringifyJson(Object.fromEntries(all.map(([name, one]) => [name, isObject(one) ? one.records : []])))}\n`,
  )
  return 0
}

const fieldsFor = ({ headers }: Pick<HarMessage, 'headers'>) =>
  Object.entries(headers).map(([key, value]) => ({ key, value }))

/** The replies to one request that are kept. */
const MOST_SAVED = 20

/** Returns a collection of Postman 2.1: a request for each path that was called, with its replies as saved ones. */
async function collectionOfExchanges(exchanges: AsyncIterable<RecordedExchange>): Promise<string> {
  const items = new Map<string, { name: string; request: object; response: object[] }>()
  let baseUrl = ''
  for await (const { method, origin, path, query, latency, request, reply } of exchanges) {
    baseUrl ||= origin
    const pairs = [...new URLSearchParams(query)].map(([key, value]) => ({ key, value }))
    const raw = `{{baseUrl}}${path}${query === '' ? '' : `?${query}`}`
    const sent = {
      method,
      header: fieldsFor(request),
      url: { raw, host: ['{{baseUrl}}'], path: path.split('/').slice(1), query: pairs },
      ...(typeof request.body === 'string' ? { body: { mode: 'raw', raw: request.body } } : {}),
    }
    const name = `${method} ${path}`
    const { response } = getOrMake(items, name, () => ({ name, request: sent, response: [] }))
    if (response.length >= MOST_SAVED) continue
    const type = reply.headers['content-type'] ?? ''
    response.push({
      name: `${reply.status} ${response.length + 1}`,
      originalRequest: sent,
      status: '',
      code: reply.status,
      header: fieldsFor(reply),
      responseTime: latency,
      _postman_previewlanguage: /json|xml|html/.exec(type)?.[0] ?? 'text',
      body: typeof reply.body === 'string' ? reply.body : '',
    })
  }
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
  const variable = [{ key: 'baseUrl', value: baseUrl }]
  return `${JSON.stringify({ info: { name: 'Understudy', schema }, variable, item: [...items.values()] }, null, 2)}\n`
}
