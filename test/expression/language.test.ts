import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Language } from '../../src/expression/language.ts'
import { type Expression, ExpressionFailure, type Scope } from '../../src/expression/scope.ts'
import { Decimal, type Json } from '../../src/kernel/json.ts'
import { SCOPE, TYPES } from './small-scope.ts'

const language = new Language(TYPES)

const compile = (text: string, of = language): Expression => {
  const compiled = of.compile(text, 'any')
  assert.ok(!('code' in compiled), `${text}: ${JSON.stringify(compiled)}`)
  return compiled
}
const evaluate = async (text: string, over: Partial<Scope> = {}): Promise<Json> =>
  compile(text).evaluate({ ...SCOPE, ...over })

describe('an expression sees the request and its world', () => {
  const values: readonly (readonly [string, Json])[] = [
    ['request.method', 'POST'],
    ['request.path', '/pets'],
    ['request.params.petId + 1', 8],
    ['request.query.status == "sold"', true],
    ['request.headers["x-plan"]', 'free'],
    ['request.body.name == "Crash"', true],
    ['request.body.address.city', 'Rome'],
    ['request.text.contains(":\\"Crash\\"")', true],
    ['request.body.tags.exists(tag, tag == "b")', true],
    ['has(request.body.age) && request.body.age >= 3', true],
    ['request.body.?name.orValue("nobody")', 'Crash'],
    ['consumer == "frontend"', true],
    ['operation', 'createPet'],
    ['world.name', 'default'],
    ['now', '2030-12-05T00:00:00.000Z'],
    ['now > timestamp("2030-12-04T23:59:59Z")', true],
    ['now >= timestamp("2030-12-05") && now < timestamp("2030-12-06T00:00:00+02:00")', true],
    ['timestamp(1000)', '1970-01-01T00:16:40.000Z'],
    ['timestamp(request.body.name == "" ? "" : "2030-01-01")', '2030-01-01T00:00:00.000Z'],
    ['string(now + duration("15m"))', '2030-12-05T00:15:00.000Z'],
    ['ordinal == 2', true],
    ['nth <= 2', true],
    ['calls("payOrder")', 4],
    ['scenario("order") == "paid" && scenario("other") == ""', true],
    ['records("pets").size() >= 60', true],
    ['record("pets", 1).owner.name', 'Ada'],
    ['draw("x") < 0.6', true],
    ['uuid()', '00000000-0000-4000-8000-000000000000'],
    ['sample("Pet").name', 'Rex'],
    ['"Hello " + request.body.name', 'Hello Crash'],
    ['{"a": request.body.age, "b": [1, "x", null]}', { a: 3, b: [1, 'x', null] }],
    ['request.body.age + 0.5', 3.5],
    ['request.body.age / 2', 1],
    ['dyn({"a": 1, "b": "x"}) == dyn({"a": "y"})', false],
    ['dyn([[[1]]]) == dyn([[["a"]]]) || {"a": "x"} in dyn([{"a": 1}, {"a": "x"}])', true],
  ]
  for (const [text, value] of values) test(text, async () => assert.deepEqual(await evaluate(text), value))

  test('a decimal that keeps its digits is a number', () => {
    const body = { price: new Decimal('0.10') }
    assert.equal(compile('request.body.price == 0.1', new Language()).evaluate({ ...SCOPE, body }), true)
  })

  test('an object may have a field with any name', async () => {
    const body = { fields: { 'owner (name)': { fields: { city: 'string' } } } } as const
    const typed = new Language({ ...TYPES, body })
    const given = { ...SCOPE, body: { 'owner (name)': { city: 'Rome' } } }
    assert.equal(await compile('request.body["owner (name)"].city', typed).evaluate(given), 'Rome')
  })

  test('a large integer keeps its digits', async () => {
    const dynamic = compile('request.body.big', new Language())
    assert.equal(dynamic.evaluate({ ...SCOPE }), 9223372036854775807n)
  })
})

describe('a mistake in an expression is reported at load with its place and a suggestion', () => {
  const mistakes: readonly (readonly [string, string, string, string?])[] = [
    ['', 'empty-expression', ''],
    ['rquest.body', 'unknown-root', 'rquest', 'did you mean "request"?'],
    ['request.bdy', 'unknown-field', 'bdy', 'did you mean "body"?'],
    ['request.body.nmae == "x"', 'unknown-field', 'nmae', 'did you mean "name"?'],
    ['request.body["nmae"] == "x"', 'unknown-field', 'nmae', 'did you mean "name"?'],
    ['request.body.address.cty', 'unknown-field', 'cty', 'did you mean "city"?'],
    ['request.query.stauts', 'unknown-field', 'stauts', 'did you mean "status"?'],
    [
      'request.body.name.contians("x")',
      'unknown-function',
      'request.body.name.contians("x")',
      'did you mean "contains"?',
    ],
    ['request.body.age == "3"', 'invalid-expression', 'request.body.age == "3"', 'compare values of one type'],
    ['now > "2030-01-01"', 'invalid-expression', 'now > "2030-01-01"', 'write timestamp("2030-01-01")'],
    ['"2030-01-01" < now', 'invalid-expression', '"2030-01-01" < now', 'write timestamp("2030-01-01")'],
    ['now < request.body.name', 'invalid-expression', 'now < request.body.name', 'write timestamp("2030-12-06")'],
    ['now - now > "1h"', 'invalid-expression', 'now - now > "1h"', 'write duration("1h")'],
    ['now > timestamp("soon")', 'invalid-expression', 'timestamp("soon")', 'write timestamp("2030-12-06")'],
    ['now > timestamp("2030-02-30")', 'invalid-expression', 'timestamp("2030-02-30")'],
    ['request.body.tags.exists(tag, int("x") == 1)', 'invalid-expression', 'int("x")'],
    ['now - now > duration("1 hour")', 'invalid-expression', 'duration("1 hour")', 'write duration("15m")'],
    ['request.body.tags == "b"', 'invalid-expression', 'request.body.tags == "b"', 'write value in list'],
    [
      'request.body.tags.contains("b")',
      'invalid-expression',
      'request.body.tags.contains("b")',
      'write "b" in request.body.tags',
    ],
    [
      'request.body.name == {"a": 1}',
      'invalid-expression',
      'request.body.name == {"a": 1}',
      'compare values of one type',
    ],
    ['request.body.nut', 'unknown-field', 'nut'],
    ['request.body.not', 'unknown-field', 'not'],
    ['request.body.name.joyn("x")', 'unknown-function', 'request.body.name.joyn("x")', 'did you mean "join"?'],
    ['calls(consumer) > 1', 'invalid-expression', 'consumer'],
    ['request.body.name ==', 'invalid-expression', ''],
    ['"a', 'invalid-expression', '"a'],
    ['_scope', 'unknown-root', '_scope'],
  ]
  for (const [text, code, culprit, hint] of mistakes) {
    test(text === '' ? 'an empty text' : text, () => {
      const compiled = language.compile(text, 'any')
      assert.ok('code' in compiled, text)
      assert.equal(compiled.code, code)
      if (culprit !== '') assert.equal(text.slice(compiled.start, compiled.end), culprit)
      if (hint !== undefined) assert.equal(compiled.hint, hint)
    })
  }

  test('a condition that is not a boolean', () => {
    const compiled = language.compile('request.body.age + 1', 'bool')
    assert.ok('code' in compiled)
    assert.equal(compiled.message, 'a condition must be true or false, not an integer')
  })
})

describe('the references of an expression are known at load', () => {
  test('roots and references', () => {
    const { roots, references, constant } = compile('nth > 1 && request.body.age > 2 && calls("payOrder") > 1')
    assert.deepEqual([...roots].sort(), ['nth', 'request.body'])
    assert.deepEqual(
      references.map(({ kind, name }) => [kind, name]),
      [['operation', 'payOrder']],
    )
    assert.equal(constant, false)
  })

  test('an expression that reads nothing is constant', () => {
    assert.equal(compile('true').constant, true)
    assert.equal(compile('1 < 2').constant, true)
    assert.equal(compile('draw("x") < 1.0').constant, false)
  })
})

describe('an expression that fails', () => {
  test('is false as a condition, and throws its reason as a value', async () => {
    const missing = compile('request.headers["x-other"] == "1"')
    assert.equal(missing.holds({ ...SCOPE }), false)
    assert.throws(() => missing.evaluate({ ...SCOPE }), new ExpressionFailure('no such key: x-other'))
    const gone = compile('record("pets", 2).owner.name == "Ada"')
    assert.equal(gone.holds({ ...SCOPE }), false)
    assert.throws(() => gone.evaluate({ ...SCOPE }), new ExpressionFailure('there is no record 2 in pets'))
  })

  test('is the outcome of unknown members of timestamps and durations', async () => {
    for (const text of [
      'now.__proto__',
      'now.constructor',
      'duration("1h").__proto__',
      'dyn(now)["__proto__"].getFullYear()',
    ])
      await assert.rejects(async () => evaluate(text), ExpressionFailure)
  })
})

describe('the evaluation of an expression is bounded', () => {
  const tags = Array.from({ length: 5000 }, (_, i) => `tag-${i}`)
  const many = { ...SCOPE, body: { ...(SCOPE.body as object), tags } as Json }

  test('loops have a maximum number of steps', async () => {
    const nested = compile('request.body.tags.map(a, request.body.tags.map(b, a + b)).size()')
    assert.throws(
      () => nested.evaluate({ ...many }),
      new ExpressionFailure('the expressions of this request take more than 20000 steps'),
    )
    assert.equal(compile('request.body.tags.all(a, request.body.tags.all(b, b != "x"))').holds({ ...many }), false)
    assert.equal(compile('request.body.tags.all(tag, tag.startsWith("tag"))').holds({ ...many }), true)
  })

  test('a result has a maximum length', () => {
    const long = { ...SCOPE, body: { ...(SCOPE.body as object), name: 'x'.repeat(600_000) } as Json }
    assert.throws(() => compile('request.body.name + request.body.name').evaluate({ ...long }), ExpressionFailure)
  })

  test('a pattern is matched in linear time', async () => {
    const text = { ...SCOPE, body: { ...(SCOPE.body as object), name: `${'a'.repeat(5000)}!` } as Json }
    assert.equal(compile('request.body.name.matches("^(a+)+$")').holds({ ...text }), false)
    assert.equal(compile('request.body.name.matches("a!$")').holds({ ...text }), true)
    assert.throws(() => compile('request.body.name.matches("(")').evaluate({ ...text }), ExpressionFailure)
  })

  test('deep nesting is reported', () => {
    const compiled = language.compile(`${'('.repeat(5000)}1${')'.repeat(5000)}`, 'any')
    assert.ok('code' in compiled)
  })
})

describe('the work of functions on long texts counts as steps', () => {
  const exhausted = new ExpressionFailure('the expressions of this request take more than 20000 steps')
  const long = 'a'.repeat(900_000)
  const needle = `${'a'.repeat(7000)}c${'a'.repeat(7000)}`
  const body = { name: long, other: `${long.slice(1)}b`, needle, digits: '1'.repeat(5000), ten: [...'0123456789'] }
  const scope = { ...SCOPE, body }
  const dynamic = new Language()

  const inThreeLoops = (inner: string) =>
    `request.body.ten.all(a, request.body.ten.all(b, request.body.ten.all(c, ${inner})))`
  const excessive: readonly string[] = [
    'request.body.name.contains(request.body.needle)',
    'request.body.name.indexOf(request.body.needle) == 1',
    'request.body.name.split(request.body.needle).size() == 1',
    'duration(request.body.digits) == duration("1s")',
    inThreeLoops('!request.body.name.contains("ab")'),
    inThreeLoops('!request.body.name.matches("ab")'),
    inThreeLoops('request.body.name.split("b").size() == 1'),
    inThreeLoops('request.body.name.size() > 1'),
    inThreeLoops('request.body.name.lowerAscii() != ""'),
    inThreeLoops('request.body.name != request.body.other'),
    inThreeLoops('request.body != {"name": "a"} && !(request.body.name in [request.body.other])'),
  ]
  for (const text of excessive) {
    test(`${text} fails`, () => assert.throws(() => compile(text, dynamic).evaluate({ ...scope }), exhausted))
  }

  const ordinary: readonly (readonly [string, Json])[] = [
    ['request.body.name.contains("ab")', false],
    ['request.body.name.size()', 900_000],
    ['request.body.name.split("b").size()', 1],
    ['request.body.name.upperAscii().startsWith("AAA")', true],
    ['request.body.name.matches("b")', false],
    ['request.body.name.matches("^a[ab]c*")', true],
    ['request.body.needle.contains(request.body.ten[0])', false],
    ['request.body.needle.indexOf("c")', 7000],
    ['request.body.ten.join(request.body.needle).size()', 10 + 9 * 14_001],
    ['"7" in request.body.ten', true],
    ['request.body.ten.map(one, one + request.body.needle).size()', 10],
    ['request.body.ten == request.body.ten', true],
    ['"x" + request.body.needle == request.body.needle', false],
    ['{"a": [1, "x"]} == {"a": [1, "x"]}', true],
    ['size({"a": 1})', 1],
    ['duration("90s") == duration("1m30s")', true],
  ]
  for (const [text, value] of ordinary) {
    test(`${text} is ${JSON.stringify(value)}`, async () =>
      assert.deepEqual(compile(text, dynamic).evaluate({ ...scope }), value))
  }

  test('a search that takes too long is interrupted, and the pattern can be used again', async () => {
    const pattern = 'request.body.name.matches("a[ab]{300}[^ab]$")'
    // A search in irregular text meets a new state at each character.
    let state = 12_345
    const letters = Array.from({ length: 400_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return 'ab'[(state >> 16) & 1]
    })
    const hostile = { ...SCOPE, body: { name: letters.join('') } }
    assert.throws(() => compile(pattern, dynamic).evaluate({ ...hostile }), exhausted)
    assert.equal(compile(pattern, dynamic).evaluate({ ...SCOPE, body: { name: `${'a'.repeat(301)}c` } }), true)
  })

  test('an operand that is looked up counts too', async () => {
    const looking = { ...scope, record: () => ({ value: { text: long }, length: long.length }) }
    const text = inThreeLoops('!record("pets", 1).text.contains("ab")')
    assert.throws(() => compile(text, dynamic).evaluate({ ...looking }), exhausted)
    assert.equal(compile('record("pets", 1).text.contains("ab")', dynamic).evaluate({ ...looking }), false)
  })
})
