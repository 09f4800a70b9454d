import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { approximate, type Json, parseJson, parseSent, stringifyJson } from '../../src/kernel/json.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('#', '=', '"', '\\', '\\"', '#9007199254740993', '__proto__'),
)
const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
const { value } = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    integer.map(n => (n >= -(2n ** 53n) + 1n && n < 2n ** 53n ? Number(n) : n)),
    fc.array(tie('value')),
    fc.array(fc.tuple(text, tie('value'))).map(members => Object.fromEntries(members)),
  ),
}))

test('every written value is read back exactly', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2), (original, indent) => {
      const written = stringifyJson(original)
      const parsed = parseJson(indent === 0 ? written : written.replace(/^/, ' \n'))
      assert.ok('value' in parsed)
      assert.equal(stringifyJson(parsed.value), written)
    }),
  )
})

test('decimals of any length are written as sent', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 })
  const decimal = fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 10n ** 20n }), digits)
    .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`)
    // An integer beyond the safe range is an integer in every notation.
    .filter(text => !/\.0+$/.test(text) || Number.isSafeInteger(Number(text)))
  fc.assert(
    fc.property(fc.array(fc.tuple(text, decimal)), members => {
      const written = `[${members.map(([name, number]) => `{${JSON.stringify(name)}:${number}}`).join()}]`
      const parsed = parseSent(written)
      assert.ok('value' in parsed)
      assert.equal(stringifyJson(parsed.value), written)
    }),
  )
})

test('a text without large integers is read as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.json(), json => {
      const parsed = parseJson(json)
      assert.ok('value' in parsed)
      if (!parsed.exact) assert.deepEqual(parsed.value, JSON.parse(json))
    }),
  )
})

test('a text that JSON.parse refuses is refused', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ minLength: 1, maxLength: 2 }), (json, at, noise) => {
      const broken = json.slice(0, at % (json.length + 1)) + noise + json.slice(at % (json.length + 1))
      let legal = true
      try {
        JSON.parse(broken)
      } catch {
        legal = false
      }
      const parsed = parseJson(broken)
      const infinite = 'fault' in parsed && parsed.fault.startsWith('holds a number out of range')
      assert.equal('value' in parsed || infinite, legal)
    }),
  )
})

test('an approximation compares with the bounds of int64 as the integer does', () => {
  fc.assert(
    fc.property(integer, n => {
      const near = approximate(n) as number
      assert.equal(near >= -(2 ** 63) && near < 2 ** 63, n >= -(2n ** 63n) && n < 2n ** 63n)
    }),
  )
})

test('long texts are read like short ones', () => {
  const number = fc
    .tuple(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.constantFrom('', '.', '.5', '.10', '.1234567890123456'),
    )
    .map(([whole, rest]) => `${whole}${rest === '.' ? '' : rest}`)
  const token = fc.oneof(number, fc.constantFrom('1e5', '1E+30', '2e-7', '1.50e3', '"1e5"', '"1.10"', '0.0', '-0.5'))
  fc.assert(
    fc.property(fc.array(token, { minLength: 1, maxLength: 4 }), fc.boolean(), (tokens, decimals) => {
      const short = parseJson(`[${tokens.join()}]`, decimals)
      const long = parseJson(`[${tokens.join()}${' '.repeat(20_000)}]`, decimals)
      assert.deepEqual(long, short)
    }),
  )
})
