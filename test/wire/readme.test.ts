// What README.md shows in `console` blocks is what happens: each `$ curl` is sent, each `$ understudy plan` made, and the
// output compared, section by section, each from the seeds of the configuration that the section serves. The time of day is
// shown as an ellipsis.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { after, before, test } from 'node:test'
import { readCommandLine } from '../../src/cli/command-line.ts'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { loadPlan } from '../../src/load/load.ts'
import { describeCalendar, describeDayWhole } from '../../src/plan/calendar.ts'
import { parseMoment } from '../../src/world/world-clock.ts'

interface Call {
  readonly command: string
  readonly output: string
}

const readme = readFileSync('README.md', 'utf8')
const sections = readme
  .split(/^(?=#{1,2} )/m)
  .map(text => ({
    title: text.split('\n', 1)[0] as string,
    config: /^\$ understudy serve (\S+)$/m.exec(text)?.[1] ?? 'config/gateway.yaml',
    calls: callsOf(text),
  }))
  .filter(({ calls }) => calls.length > 0)

function callsOf(section: string): Call[] {
  const blocks = [...section.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text]) => text as string)
  return blocks
    .flatMap(text => text.split(/^\$ /m).slice(1))
    .filter(text => /^(?:curl|understudy plan) /.test(text))
    .map(text => {
      // A backslash at the end of a line goes on with the command.
      const [, command, output] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(text) as unknown as [string, string, string]
      return { command: command.replace(/\\\n\s*/g, ''), output: output.trimEnd() }
    })
}

const gateways = new Map<string, RunningGateway>()
before(async () => {
  for (const { config } of sections) {
    if (!gateways.has(config)) gateways.set(config, await startGateway({ config }))
  }
})
after(async () => {
  for (const gateway of gateways.values()) await gateway.close()
})

for (const { title, config, calls } of sections) {
  test(`${title.replace(/^#+ /, '')}: ${calls.length} calls answer as shown`, async () => {
    const gateway = gateways.get(config) as RunningGateway
    gateway.reset()
    for (const { command, output } of calls) {
      const shown = command.startsWith('curl') ? await run(command, gateway) : describe(command)
      assert.equal(shown, output, command)
    }
  })
}

/** What `understudy plan` would print. */
function describe(command: string): string {
  const { file, values, switches } = readCommandLine(words(command).slice(1), {}, '0', existsSync)
  const { plan } = loadPlan(file, '.', {})
  const time = parseMoment(values.at as string, 0)
  assert.ok(plan)
  assert.ok(time)
  return (switches.has('calendar') ? describeCalendar(plan, time) : describeDayWhole(plan, time)).trimEnd()
}

test('the mistakes that it shows are told in those words', () => {
  const [, shown = ''] = /^\$ understudy check\n(.*?)^```$/ms.exec(readme) ?? []
  const golden = readFileSync('test/golden/diagnostics/readme.txt', 'utf8')
  assert.ok(shown.length > 100 && golden.includes(shown))
})

/** The words of a shell command: bare, or in single or double quotes. */
const words = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|"((?:\\.|[^"])*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')

/** What `curl` would print, for the options that the README uses. */
async function run(command: string, gateway: RunningGateway): Promise<string> {
  const headers: Record<string, string> = { 'user-agent': 'curl', accept: '*/*' }
  let method: string | undefined
  let body: string | undefined
  let url = ''
  let withHead = false
  let silent = false
  const [, ...rest] = words(command)
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-i') withHead = true
    else if (word === '-o') silent = rest.shift() !== undefined
    else if (word === '-X') method = rest.shift()
    else if (word === '-d' || word === '--json') {
      body = rest.shift()
      headers['content-type'] = word === '-d' ? 'application/x-www-form-urlencoded' : 'application/json'
    } else if (word === '-H') {
      const [, name = '', value = ''] = /^([^:]*): *(.*)$/.exec(rest.shift() as string) ?? []
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
  if (silent) return ''
  return withHead ? `${headOf(reply)}\n\n${text}`.trimEnd() : text.trimEnd()
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, i) => {
    if (i % 2 === 1) return []
    return [`${name}: ${/^date$/i.test(name) ? '…' : rawHeaders[i + 1]}`]
  })
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines].join('\n')
}
