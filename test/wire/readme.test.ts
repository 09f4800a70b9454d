// What README.md shows in `console` blocks is what happens: each `$ curl` is sent, and its output compared, section by
// section, each from the seeds. The time of day is shown as an ellipsis.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'

interface Call {
  readonly command: string
  readonly output: string
}

const readme = readFileSync('README.md', 'utf8')
const sections = readme
  .split(/^(?=#{1,2} )/m)
  .map(text => ({ title: text.split('\n', 1)[0] as string, calls: callsOf(text) }))
  .filter(({ calls }) => calls.length > 0)

function callsOf(section: string): Call[] {
  const blocks = [...section.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text]) => text as string)
  return blocks
    .flatMap(text => text.split(/^\$ /m).slice(1))
    .filter(text => text.startsWith('curl '))
    .map(text => {
      // A backslash at the end of a line goes on with the command.
      const [, command, output] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(text) as unknown as [string, string, string]
      return { command: command.replace(/\\\n\s*/g, ''), output: output.trimEnd() }
    })
}

let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({ config: 'config/gateway.yaml' })
})
after(() => gateway.close())

for (const { title, calls } of sections) {
  test(`${title.replace(/^#+ /, '')}: ${calls.length} calls answer as shown`, async () => {
    gateway.reset()
    for (const { command, output } of calls) assert.equal(await run(command), output, command)
  })
}

/** The words of a shell command: bare, or in single or double quotes. */
const words = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|"((?:\\.|[^"])*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')

/** What `curl` would print, for the options that the README uses. */
async function run(command: string): Promise<string> {
  const headers: Record<string, string> = { 'user-agent': 'curl', accept: '*/*' }
  let method: string | undefined
  let body: string | undefined
  let url = ''
  let withHead = false
  const [, ...rest] = words(command)
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-i') withHead = true
    else if (word === '-X') method = rest.shift()
    else if (word === '-d' || word === '--json') {
      body = rest.shift()
      headers['content-type'] = word === '-d' ? 'application/x-www-form-urlencoded' : 'application/json'
    } else if (word === '-H') {
      const [name = '', value = ''] = (rest.shift() as string).split(/: */, 2)
      headers[name.toLowerCase()] = value
    } else if (word.startsWith('-')) assert.fail(`this test knows no ${word}`)
    else url = word
  }
  const target = new URL(url)
  target.host = new URL(target.port === '4011' ? gateway.control : gateway.url).host
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(target, { method: method ?? (body === undefined ? 'GET' : 'POST'), headers }, resolve)
    sent.on('error', reject).end(body)
  })
  let text = ''
  for await (const chunk of reply.setEncoding('utf8')) text += chunk
  return withHead ? `${headOf(reply)}\n\n${text}`.trimEnd() : text.trimEnd()
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, i) => {
    if (i % 2 === 1) return []
    return [`${name}: ${/^date$/i.test(name) ? '…' : rawHeaders[i + 1]}`]
  })
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines].join('\n')
}
