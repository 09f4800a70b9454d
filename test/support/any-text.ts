// Text of any characters. `unit: 'binary'` of fast-check gives the same, but makes a table of a million characters first.

import fc from 'fast-check'

/** The number of surrogates, which are not characters. */
const SURROGATES = 0x800

const character = fc.nat(0x10ffff - SURROGATES).map(
  n => String.fromCodePoint(n < 0xd800 ? n : n + SURROGATES),
  one => {
    const point = typeof one === 'string' ? one.codePointAt(0) : undefined
    if (point === undefined || String.fromCodePoint(point) !== one) throw new Error('not a character')
    return point < 0xd800 ? point : point - SURROGATES
  },
)

/** Text of any Unicode characters, at most `maxLength` of them. */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...(maxLength === undefined ? {} : { maxLength }) })
