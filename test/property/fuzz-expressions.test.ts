// Random expressions and templates: compiling never throws, and evaluating throws only an `ExpressionFailure`.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Language } from '../../src/expression/language.ts'
import { type Expression, ExpressionFailure, type Scope } from '../../src/expression/scope.ts'
import { compileFilling, type ReportMistake } from '../../src/expression/template.ts'
import { SCOPE as SMALL_SCOPE, TYPES } from '../expression/small-scope.ts'
import { anyText } from '../support/any-text.ts'
import { fuzz } from '../support/fuzz.ts'
import { SOUND, TOKENS } from './expression-words.ts'

const language = new Language(TYPES)
const untyped = new Language()

/** A body with the key that assignments lose. */
const SCOPE: Scope = { ...SMALL_SCOPE, body: { ...(SMALL_SCOPE.body as object), ['__proto__']: 1 } }

const mutated = fc
  .tuple(
    fc.constantFrom(...SOUND),
    fc.array(fc.tuple(fc.nat(), fc.nat(6), fc.oneof(fc.constantFrom(...TOKENS), anyText(2))), {
      maxLength: 4,
    }),
  )
  .map(([text, changes]) =>
    changes.reduce((now, [at, length, put]) => {
      const from = at % (now.length + 1)
      return now.slice(0, from) + put + now.slice(from + length)
    }, text),
  )
/** Expressions of every operator and function, most of which parse. */
const { grown } = fc.letrec<{ grown: string }>(tie => ({
  grown: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(
      '1',
      '0',
      '-1',
      '9223372036854775807',
      '1.5',
      '0.0',
      '1e308',
      '"a"',
      '""',
      'true',
      'null',
      'now',
      'nth',
    ),
    fc.constantFrom(
      'request.body.name',
      'request.body.big',
      'request.headers["x-plan"]',
      'request.body.tags',
      'world.name',
    ),
    fc.constantFrom(
      'duration("1h")',
      'timestamp("2030-01-01T00:00:00Z")',
      'record("pets", 1)',
      'sample("Pet")',
      'uuid()',
    ),
    fc
      .tuple(tie('grown'), fc.constantFrom('+', '-', '*', '/', '%', '==', '<', '>=', '&&', '||', 'in'), tie('grown'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc.tuple(tie('grown'), tie('grown'), tie('grown')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(
        fc.constantFrom('size', 'int', 'double', 'string', 'bool', 'bytes', 'type', 'dyn', 'timestamp', '!', '-'),
        tie('grown'),
      )
      .map(([name, a]) => `${name}(${a})`),
    fc
      .tuple(tie('grown'), fc.constantFrom('all', 'exists', 'exists_one', 'map', 'filter'), tie('grown'))
      .map(([a, macro, b]) => `(${a}).${macro}(x, ${b})`),
    fc
      .tuple(
        tie('grown'),
        fc.constantFrom('contains', 'matches', 'startsWith', 'split', 'join', 'substring'),
        tie('grown'),
      )
      .map(([a, name, b]) => `dyn(${a}).${name}(${b})`),
    fc.array(tie('grown'), { maxLength: 3 }).map(items => `[${items.join()}]`),
    fc
      .array(fc.tuple(tie('grown'), tie('grown')), { maxLength: 2 })
      .map(pairs => `{${pairs.map(pair => pair.join(':')).join()}}`),
    fc.tuple(tie('grown'), tie('grown')).map(([a, b]) => `dyn(${a})[${b}]`),
    fc
      .tuple(tie('grown'), fc.constantFrom('.name', '.?name', '.__proto__', '.constructor', '.size()'))
      .map(parts => parts.join('')),
  ),
}))
const expression = fc.oneof(
  { weight: 5, arbitrary: grown },
  mutated,
  fc.array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 14 }).map(tokens => tokens.join(' ')),
  fc.array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 8 }).map(tokens => tokens.join('')),
  anyText(30),
  fc
    .tuple(fc.constantFrom('(', '[', '!', '-', '1+', '{"a":', 'true?'), fc.constantFrom(30, 300, 5000))
    .map(([one, times]) => one.repeat(times)),
)

/** Runs it. Fails if it throws or rejects with anything but an `ExpressionFailure`. */
async function fails(run: () => unknown): Promise<void> {
  try {
    await run()
  } catch (error) {
    assert.ok(error instanceof ExpressionFailure, error as Error)
    assert.equal(typeof error.message, 'string')
  }
}

fuzz(
  'an expression compiles or is a mistake with a place; it evaluates or fails as an expression',
  expression,
  async text => {
    for (const one of [language, untyped]) {
      const made = one.compile(text, 'any')
      if ('code' in made) {
        assert.ok(made.start >= 0 && made.end >= made.start, JSON.stringify(made))
        continue
      }
      await fails(() => made.evaluate({ ...SCOPE }))
      await fails(() => made.evaluate({ ...SCOPE, body: undefined, params: {}, query: {} }))
      assert.equal(typeof (await made.holds({ ...SCOPE })), 'boolean')
    }
  },
)

const text = fc
  .array(
    fc.oneof(
      expression.map(one => `\${${one}}`),
      fc.constantFrom('${', '}', '$', '$${', '${}', 'a'),
      fc.string({ maxLength: 3 }),
    ),
    {
      maxLength: 4,
    },
  )
  .map(parts => parts.join(''))
const template = fc.oneof(
  text,
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), text, { maxKeys: 3 }),
)

fuzz('a template compiles or is reported; and is always filled in', template, async value => {
  const report: ReportMistake = (_code, _message, _path, _hint, part) =>
    assert.ok(typeof part === 'string' || (part.start >= 0 && part.end >= part.start))
  const compile = (text: string): Expression | undefined => {
    const made = language.compile(text, 'any')
    return 'code' in made ? undefined : made
  }
  for (const failing of ['warn', 'omit'] as const) {
    const made = compileFilling(value, [], report, { failing, compile })
    made.fill({ scope: { ...SCOPE } })
    JSON.parse(made.write({ scope: { ...SCOPE } }))
  }
})
