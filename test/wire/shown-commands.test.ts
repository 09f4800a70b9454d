// Runs the commands in `console` blocks of README.md and docs/: sends each `$ curl`, runs each `$ understudy`, and compares the
// output. Each section starts from the seeds. The last `$ understudy serve` above serves the page. A block `yaml [gateway.yaml]`
// is written to that file. An ellipsis matches any text. A command without output is run, too.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readCommandLine } from '../../src/cli/command-line.ts'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { WINGS } from '../../src/wings.ts'
import { PROGRAM } from '../support/built-program.ts'
import { type Block, PAGES, ROOT, sectionsOf } from '../support/pages.ts'

type Step =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'serve'; readonly config: string }
  | { readonly kind: 'curl' | 'understudy'; readonly command: string; readonly output: string }

/** The configuration behind a page that does not show `understudy serve`. */
const SHIPPED = 'config/gateway.yaml'

function stepsOf({ language, file, text }: Block): Step[] {
  if (file !== undefined) return [{ kind: 'file', path: file, text }]
  if (language !== 'console') return []
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((call): Step => {
      // A backslash at the end of a line continues the command.
      const [, shown, rest] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(call) as unknown as [string, string, string]
      const command = shown.replace(/\\\n\s*/g, '')
      const [program, verb, config] = command.split(' ')
      if (program === 'understudy' && verb === 'serve') return { kind: 'serve', config: config as string }
      assert.ok(program === 'curl' || program === 'understudy', `this test cannot run ${command}`)
      return { kind: program, command, output: rest.trimEnd() }
    })
}

const gateways = new Map<string, RunningGateway>()
const scratch: string[] = []
after(async () => {
  for (const gateway of gateways.values()) await gateway.close()
  for (const folder of scratch) rmSync(folder, { recursive: true })
})

/** A gateway that serves a file, from its seeds. Sections that serve the same file share it, one after the other. */
async function serve(path: string): Promise<RunningGateway> {
  const running = gateways.get(path) ?? (await startGateway({ config: path }))
  gateways.set(path, running)
  running.reset()
  return running
}

async function stop(path: string): Promise<void> {
  await gateways.get(path)?.close()
  gateways.delete(path)
}

/** A folder with the files that a clone has. */
function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  scratch.push(folder)
  for (const name of ['config', 'fixtures']) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  return folder
}

for (const page of PAGES) {
  let served = SHIPPED
  for (const { title, blocks } of sectionsOf(page)) {
    const steps = blocks.flatMap(stepsOf)
    const calls = steps.filter(({ kind }) => kind === 'curl' || kind === 'understudy').length
    if (calls === 0) continue
    test(`${page}, ${title}: ${calls} commands have the shown outcome`, async () => {
      const writes = steps.some(step => step.kind === 'file' || ('command' in step && / init\b/.test(step.command)))
      const home = writes ? clone() : ROOT
      let gateway = writes ? undefined : await serve(join(home, served))
      for (const step of steps) {
        if (step.kind === 'file') writeFileSync(join(home, step.path), step.text)
        else if (step.kind === 'serve') {
          // In the folder of a section a file may change between two starts.
          if (writes) await stop(join(home, step.config))
          else served = step.config
          gateway = await serve(join(home, step.config))
        } else if (step.kind === 'understudy') compare(await run(step.command, home), step)
        else {
          gateway ??= await serve(join(home, served))
          compare(await send(step.command, gateway), step)
        }
      }
    })
  }
}

for (const page of PAGES) {
  const lines = sectionsOf(page)
    .flatMap(({ blocks }) => blocks)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split(/\n|&&/).map(line => line.replace(/#.*/, '').trim()))
    .filter(line => line !== '')
  for (const line of lines) {
    const ours = /(?:^|.* )understudy ((?:serve|check|plan|init|schema)\b.*)$/.exec(line)
    const script = /^npm (?:run )?(start|test|[a-z]+)\b/.exec(line)
    if (ours !== null) {
      test(`${page}: the command line understands \`${line}\``, () => {
        readCommandLine(words(ours[1] as string), {}, '0', { wings: WINGS, exists: () => true })
      })
    } else if (script !== null && !/^(?:ci|install|pack|publish|version)$/.test(script[1] as string)) {
      test(`${page}: a script exists for \`${line}\``, () => {
        const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
        assert.ok((script[1] as string) in scripts)
      })
    } else if (line.startsWith('.ci/')) {
      test(`${page}: a program exists for \`${line}\``, () => assert.ok(existsSync(words(line)[0] as string)))
    }
  }
}

/** Compares the output with the page, in which `…` matches any text within a line, and alone on a line any lines. */
function compare(printed: string, { command, output }: { readonly command: string; readonly output: string }): void {
  if (output === '') return
  const pattern = output
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/^…$/gm, '(?:.+\n)*.+')
    .replaceAll('…', '.*')
  if (!new RegExp(`^${pattern}$`).test(printed)) assert.equal(printed, output, command)
}

/** Returns the output of `understudy`, errors included. */
function run(command: string, cwd: string): Promise<string> {
  const env = { PATH: process.env.PATH ?? '' }
  return new Promise(resolve => {
    execFile(process.execPath, [PROGRAM, ...words(command).slice(1)], { cwd, env }, (_, out, err) =>
      resolve((out + err).trimEnd()),
    )
  })
}

/** The words of a shell command: bare, or in single or double quotes. */
function words(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|"((?:\\.|[^"])*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
}

/** Returns the output of `curl`, for the options that the pages use. */
async function send(command: string, gateway: RunningGateway): Promise<string> {
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
  text = text
    .replaceAll(new URL(gateway.url).host, '127.0.0.1:4010')
    .replaceAll(new URL(gateway.control).host, '127.0.0.1:4011')
  return withHead ? `${headOf(reply)}\n\n${text}`.trimEnd() : text.trimEnd()
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, i) => {
    if (i % 2 === 1) return []
    return [`${name}: ${rawHeaders[i + 1]}`]
  })
  return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines].join('\n')
}
