import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCommandLine } from '../src/command-line.ts'

const read = (line: string, environment: Record<string, string> = {}) =>
  readCommandLine(line.split(' ').filter(Boolean), environment, '1.2.3')

test('a command, its file and its options are read', () => {
  const line = read('serve api.yaml --port 0 --control-port=81 --host ::1 --no-watch')
  assert.equal(line.command, 'serve')
  assert.equal(line.file, 'api.yaml')
  assert.deepEqual(line.values, { port: '0', 'control-port': '81', host: '::1' })
  assert.deepEqual([...line.switches], ['no-watch'])
  assert.equal(read('check').file, 'config/gateway.yaml')
  assert.equal(read('init').file, 'openapi.yaml')
  assert.deepEqual(read('init api.yaml --output - --force').values, { output: '-' })
})

test('the command line wins over the environment, and an empty variable is none', () => {
  const environment = { PORT: '1', CONTROL_PORT: '2', HOST: '', LOG_LEVEL: 'warn' }
  assert.deepEqual(read('serve --port 3', environment).values, { port: '3', 'control-port': '2', 'log-level': 'warn' })
})

test('a plan is asked for on a day, in days from now, or as a calendar', () => {
  assert.deepEqual(read('plan --at 2030-12-06').values, { at: '2030-12-06' })
  assert.deepEqual(read('plan --at=-12h').values, { at: '-12h' })
  assert.deepEqual([...read('plan --at +30d --calendar').switches], ['calendar'])
})

test('the environment says nothing to commands that do not serve', () => {
  assert.deepEqual(read('check', { PORT: 'none' }).values, {})
})

const WRONG: readonly [string, string, Record<string, string>?][] = [
  ['', 'a command is missing; one of: serve, check, plan, init, schema'],
  ['serv', 'there is no command "serv"; did you mean "serve"?'],
  ['constructor', 'there is no command "constructor"; one of: serve, check, plan, init, schema'],
  ['check a.yaml b.yaml', 'check takes one file, not a.yaml b.yaml'],
  ['schema a.yaml', 'schema takes no file, not a.yaml'],
  ['serve --prot 1', 'serve has no option --prot; did you mean "--port"?'],
  [
    'serve -p 1',
    'serve has no option -p; one of: --port, --host, --control-port, --control-host, --log-level, --no-watch, --workers, --stateful, --base-path, --invalid-status, --strict, --help, --version',
  ],
  [
    'check --port 1',
    'check has no option --port; one of: --deep, --stateful, --base-path, --invalid-status, --strict, --help, --version',
  ],
  ['serve --port', '--port needs N'],
  ['serve --port=', '--port needs N'],
  ['serve --port 70000', '--port must be a port, 0 to 65535, not "70000"'],
  ['serve --port 8o', '--port must be a port, 0 to 65535, not "8o"'],
  ['serve --no-watch=yes', '--no-watch takes no value'],
  ['serve --log-level inof', '--log-level is not "inof"; did you mean "info"?'],
  ['plan --at someday', '--at must be a date, a timestamp or an offset, not "someday"'],
  ['plan --at 2030-02-30', '--at must be a date, a timestamp or an offset, not "2030-02-30"'],
  ['serve', 'PORT must be a port, 0 to 65535, not "http"', { PORT: 'http' }],
]

for (const [line, message, environment] of WRONG) {
  test(`wrong: understudy ${line}`, () => {
    assert.throws(() => read(line, environment), { name: 'WrongCommandLine', message })
  })
}

test('help is for all commands, or for the one that is named; whatever else is wrong', () => {
  const all = read('--help').help ?? ''
  assert.match(all, /^Understudy 1\.2\.3: /)
  for (const word of ['serve [FILE]', 'check [FILE]', 'plan [FILE]', 'schema', '--control-port N', 'CONTROL_PORT']) {
    assert.ok(all.includes(word), word)
  }
  assert.ok(read('schema --help').help?.includes('Usage: understudy schema\n'))
  assert.equal(read('check --help').help?.includes('--port'), false)
  assert.ok(read('serve -h --prot').help?.includes('--port N'))
  assert.equal(read('nonsense --help').help, all)
  assert.equal(read('plan --version').version, true)
})
