// The shipped files, changed at random: loading never throws, and returns a plan or mistakes with places.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import fc from 'fast-check'
import { formatDiagnostics } from '../../src/kernel/report.ts'
import { anyText } from '../support/any-text.ts'
import { fuzz } from '../support/fuzz.ts'
import { loadPlan } from '../support/load.ts'

const ROOT = `${import.meta.dirname}/../..`
const home = mkdtempSync(join(tmpdir(), 'understudy-'))
for (const folder of ['config', 'fixtures']) cpSync(join(ROOT, folder), join(home, folder), { recursive: true })
after(() => rmSync(home, { recursive: true }))

/** Each file, and the file to load that refers to it. */
const FILES = [
  ['config/gateway.yaml', 'config/gateway.yaml'],
  ['config/rehearsal.yaml', 'config/rehearsal.yaml'],
  ['config/shop.yaml', 'config/shop.yaml'],
  ['config/openapi.yaml', 'config/gateway.yaml'],
  ['config/openapi.yaml', 'config/openapi.yaml'],
  ['fixtures/pets.yaml', 'config/gateway.yaml'],
] as const
const SOUND = new Map(FILES.map(([file]) => [file, readFileSync(join(home, file), 'utf8')]))

const JUNK = [
  ...[
    '',
    ' ',
    '\n',
    '\t',
    '\0',
    '\ufeff',
    '\u2028',
    '\ud800',
    ':',
    '-',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '#',
    '&a',
    '*a',
    '!!x',
  ],
  ...[
    '<<: *a',
    '? ',
    '|',
    '>',
    '%',
    '@',
    '`',
    '---',
    '...',
    '${',
    '${X',
    '${now + }',
    '$ref: "#/"',
    'null',
    'true',
    '-1',
  ],
  ...[
    '1e999',
    '9223372036854775808',
    '__proto__',
    'constructor',
    '&a [*a]',
    '[[[[[[[[',
    '!!binary x',
    '0x',
    '~',
    '.inf',
  ],
]
const put = fc.oneof(fc.constantFrom(...JUNK), anyText(3))
/** Replaces some characters. */
const cut = fc
  .record({ at: fc.nat(), length: fc.oneof(fc.nat(3), fc.nat(60)), put })
  .map(({ at, length, put }) => (text: string): string => {
    const begin = at % (text.length + 1)
    return text.slice(0, begin) + put + text.slice(begin + length)
  })
/** Replaces a word by another word of the file, or by something else. */
const swap = fc
  .record({ at: fc.nat(), put: fc.option(put), from: fc.nat() })
  .map(({ at, put, from }) => (text: string): string => {
    const words = text.split(/(?<=[\s{}[\],])|(?=[\s{}[\],:])/)
    words[at % words.length] = put ?? (words[from % words.length] as string)
    return words.join('')
  })
const change = fc.oneof(cut, { weight: 3, arbitrary: swap })

const given = fc.record({ which: fc.constantFrom(...FILES), changes: fc.array(change, { minLength: 1, maxLength: 3 }) })

fuzz(
  'a file that was changed at random loads, or its mistakes have places',
  given,
  ({ which: [file, loaded], changes }) => {
    const sound = SOUND.get(file) as string
    writeFileSync(
      join(home, file),
      changes.reduce((text, change) => change(text), sound),
    )
    try {
      const { plan, report } = loadPlan(loaded, home, {})
      assert.ok(plan !== undefined || report.failed)
      for (const { place, code, message } of report.list) {
        assert.ok(place.file !== '' && place.line >= 1 && place.column >= 1 && code !== '' && message !== '', message)
      }
      formatDiagnostics(report.list)
    } finally {
      writeFileSync(join(home, file), sound)
    }
  },
)
