// Generates texts that match a regular expression. The only file that imports the parser of regular expressions; character
// classes are evaluated by the engine itself.

import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { getOrMake } from '../kernel/memo.ts'
import type { Chance } from './chance.ts'

const PLAIN = [...'abcdefghijklmnopqrstuvwxyz']
const ASCII = [...PLAIN, ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -_.:/,@#+!?()[]{}<>=&%$*;\'"`~^|\\\t\n\r']
/** Every 16th character beyond ASCII: some of each script. */
const BEYOND = Array.from({ length: (0xd800 - 0x80) / 16 }, (_, i) => String.fromCharCode(0x80 + i * 16))

/** Writes a text: as short as possible, or longer by `stretch` additional repetitions. */
export type WritePattern = (chance: Chance, stretch: number) => string

const MOST = 10_000

/** Returns `undefined` for an expression that the parser does not support. */
export function writerFor(expression: RegExp | undefined): WritePattern | undefined {
  if (expression === undefined) return undefined
  const { source, unicode } = expression
  let pattern: AST.Pattern
  try {
    pattern = new RegExpParser().parsePattern(source, undefined, undefined, { unicode })
  } catch {
    return undefined
  }
  const classes = new Map<string, readonly string[]>()
  return (chance, stretch) => {
    const groups = new Map<unknown, string>()
    const writeOne = (alternatives: readonly AST.Alternative[]): string => {
      let text = ''
      for (const element of chance.pick(alternatives).elements) text += write(element)
      return text
    }
    const write = (element: AST.Element): string => {
      switch (element.type) {
        case 'Character':
          return String.fromCodePoint(element.value)
        case 'CharacterSet':
        case 'CharacterClass':
        case 'ExpressionCharacterClass': {
          const characters = getOrMake(classes, element.raw, () => charactersOf(element.raw, unicode))
          return characters.length === 0 ? '' : chance.pick(characters)
        }
        case 'Group':
        case 'CapturingGroup': {
          const text = writeOne(element.alternatives)
          groups.set(element, text)
          return text
        }
        case 'Quantifier': {
          const { min, max } = element
          // An optional part is present half the time; a repetition has its minimum plus the stretch.
          const times =
            min === 0 && max === 1 ? chance.between(0, 1) : Math.max(Math.min(max, min + stretch, min + MOST), min)
          let text = ''
          for (let i = 0; i < times; i++) text += write(element.element)
          return text
        }
        case 'Backreference':
          return groups.get([element.resolved].flat()[0]) ?? ''
        case 'Assertion':
          return ''
        default:
          return element satisfies never
      }
    }
    return writeOne(pattern.alternatives)
  }
}

function charactersOf(raw: string, unicode: boolean): readonly string[] {
  if (raw === '.') return PLAIN
  const one = new RegExp(`^${raw}$`, unicode ? 'u' : '')
  const matching = (from: readonly string[]) => from.filter(character => one.test(character))
  // Prefer printable characters; use blanks only if there are no others.
  const printable = matching(ASCII).filter(character => character > ' ')
  const known = printable.length > 70 ? matching(PLAIN) : printable
  return [known, matching(ASCII), matching(BEYOND)].find(some => some.length > 0) ?? []
}
