import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Wing } from '../src/cli/command.ts'
import { readCommandLine, variableOf } from '../src/cli/command-line.ts'
import { commandsWith } from '../src/cli/commands.ts'
import { WINGS } from '../src/wings.ts'

const COMMANDS = commandsWith(WINGS)

/** A command as a wing brings it: it takes several files, and looks for others than the commands of the house. */
const joining: Wing = {
  name: 'joining',
  commands: {
    join: {
      about: 'join files',
      files: ['all.json', 'all.yaml'],
      takesMany: true,
      options: { output: { takes: 'PATH', about: 'the file to write' }, force: { about: 'overwrite' } },
      run: async () => 0,
    },
  },
}

const read = (line: string, environment: Record<string, string> = {}, wings = WINGS) =>
  readCommandLine(line.split(' ').filter(Boolean), environment, '1.2.3', { wings })

test('the command line is parsed into a command, a file and options', () => {
  const line = read('serve api.yaml --port 0 --control-port=81 --host ::1 --no-watch')
  assert.equal(line.command, 'serve')
  assert.equal(line.file, 'api.yaml')
  assert.deepEqual(line.values, { port: '0', 'control-port': '81', host: '::1' })
  assert.deepEqual([...line.switches], ['no-watch'])
  assert.equal(read('schema').file, '')
  assert.equal(read('schema api.yaml').file, 'api.yaml')
  const joined = read('join a.json b.json --output - --force', {}, [joining])
  assert.deepEqual([joined.values, joined.lists.files], [{ output: '-' }, ['a.json', 'b.json']])
})

for (const [command, there, file] of [
  ['serve', ['gateway.yaml', 'config/gateway.yaml', 'openapi.yaml'], 'gateway.yaml'],
  ['check', ['config/gateway.yaml', 'openapi.json'], 'config/gateway.yaml'],
  ['plan', ['openapi.json', 'openapi.yml'], 'openapi.yml'],
  ['serve', ['openapi.json'], 'openapi.json'],
  ['join', ['gateway.yaml', 'all.yaml'], 'all.yaml'],
] as const) {
  test(`${command} finds ${file} among ${there.join(', ')}`, () => {
    const line = readCommandLine([command], {}, '1.2.3', {
      wings: [joining],
      exists: file => (there as readonly string[]).includes(file),
    })
    assert.deepEqual([line.file, line.missing], [file, false])
  })
}

test('a named file is not searched for, and a missing one is reported', () => {
  assert.equal(read('serve api.yaml').missing, false)
  assert.equal(read('serve').missing, true)
  assert.equal(read('join', {}, [joining]).missing, true)
  assert.equal(read('schema').missing, false)
})

const SWITCH_VALUES: readonly [string, boolean][] = [
  ...(['1', 'true', 'YES', 'on'] as const).map((text): [string, boolean] => [text, true]),
  ...(['0', 'false', 'no', 'off', ''] as const).map((text): [string, boolean] => [text, false]),
]
/** Two values of the options that do not take every text. */
const SAMPLES: Readonly<Record<string, readonly [value: string, other: string]>> = {
  at: ['+30d', '2030-01-01'],
  'invalid-status': ['422', '400'],
  'log-level': ['warn', 'info'],
  format: ['json', 'github'],
  'contract format': ['json', 'yaml'],
  'requests format': ['har', 'json'],
  against: ['http://127.0.0.1:1', 'https://a'],
  rate: ['1/s', '9/m'],
  world: ['next=a.yaml', 'next=b.yaml'],
  as: ['wiremock', 'mockoon'],
  from: ['http://127.0.0.1:4011', 'https://a'],
  control: ['http://127.0.0.1:4011', 'https://a'],
  trace: ['0af7651916cd43dd8448eb211c80319c', '4bf92f3577b34da6a3ce929d0e0e4736'],
  min: ['90', '80'],
  'fail-on': ['breaks', 'may-break'],
  'coverage format': ['json', 'lcov'],
}

for (const [command, { options }] of Object.entries(COMMANDS)) {
  for (const [name, option] of Object.entries(options)) {
    const variable = variableOf(name, option)
    test(`${variable} sets --${name} of ${command}, unless the option is given`, () => {
      if (option.takes === undefined) {
        for (const [text, on] of SWITCH_VALUES) {
          assert.equal(read(command, { [variable]: text }).switches.has(name), on, text)
        }
        assert.throws(() => read(command, { [variable]: 'maybe' }), {
          message: `${variable} must be true or false, not "maybe"`,
        })
        return
      }
      const [value, given] = SAMPLES[`${command} ${name}`] ?? SAMPLES[name] ?? ['1', '7']
      assert.equal(read(command, { [variable]: value }).values[name], value)
      assert.equal(read(`${command} --${name} ${given}`, { [variable]: value }).values[name], given)
    })
    test(`the help and its page name ${variable} beside --${name}`, () => {
      const line = new RegExp(`^  --${name}\\b.*\\b${variable}\\b`, 'm')
      assert.match(read(`${command} --help`).help ?? '', line)
      assert.match(readFileSync('docs/reference/cli.md', 'utf8'), line)
    })
  }
}

test('the command line overrides the environment, and an empty variable is ignored', () => {
  const environment = { PORT: '1', CONTROL_PORT: '2', HOST: '', LOG_LEVEL: 'warn' }
  assert.deepEqual(read('serve --port 3', environment).values, { port: '3', 'control-port': '2', 'log-level': 'warn' })
})

test('`plan` takes a date, an offset or --calendar', () => {
  assert.deepEqual(read('plan --at 2030-12-06').values, { at: '2030-12-06' })
  assert.deepEqual(read('plan --at=-12h').values, { at: '-12h' })
  assert.deepEqual([...read('plan --at +30d --calendar').switches], ['calendar'])
})

test('commands other than serve ignore the variables of serve', () => {
  assert.deepEqual(read('check', { PORT: 'none' }).values, {})
})

/** Wrong lines of the commands of the house, without wings. */
const WRONG: readonly [string, string, Record<string, string>?][] = [
  ['', 'a command is missing; one of: serve, check, plan, schema'],
  ['serv', 'there is no command "serv"; did you mean "serve"?'],
  ['constructor', 'there is no command "constructor"; one of: serve, check, plan, schema'],
  ['check a.yaml b.yaml', 'check takes one file, not a.yaml b.yaml'],
  ['schema a.yaml b.yaml', 'schema takes one file, not a.yaml b.yaml'],
  [
    'check a.yaml --tls-cert x',
    'check has no option --tls-cert; one of: --world, --base-path, --root, --invalid-status, --strict, --format, --help, --version',
  ],
  ['check --format xml', '--format is not "xml"; one of: text, json, junit, sarif, github, markdown'],
  ['serve --prot 1', 'serve has no option --prot; did you mean "--port"?'],
  [
    'serve -p 1',
    'serve has no option -p; one of: --port, --host, --control-port, --control-host, --log-level, --no-watch, --world, --base-path, --root, --invalid-status, --strict, --format, --help, --version',
  ],
  ['check --port 1', 'check has no option --port; did you mean "--root"?'],
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
    assert.throws(() => read(line, environment, []), { name: 'WrongCommandLine', message })
  })
}

test('--help describes all commands or the named one, even on an invalid command line', () => {
  const all = read('--help').help ?? ''
  assert.match(all, /^Understudy 1\.2\.3: /)
  for (const word of ['serve [FILE]', 'check [FILE]', 'plan [FILE]', 'schema', '--control-port N', 'CONTROL_PORT']) {
    assert.ok(all.includes(word), word)
  }
  assert.ok(read('schema --help').help?.includes('Usage: understudy schema [FILE] [options]\n'))
  assert.equal(read('check --help').help?.includes('--port'), false)
  assert.ok(read('serve -h --prot').help?.includes('--port N'))
  assert.equal(read('nonsense --help').help, all)
  assert.match(read('check --help').help ?? '', /FILE is a gateway\.yaml/)
  assert.doesNotMatch(read('import --help').help ?? '', /FILE is a gateway\.yaml/)
  assert.match(read('import --help').help ?? '', /Default of FILE: .* db\.json\./)
  assert.equal(read('plan --version').version, true)
})
