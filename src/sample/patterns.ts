// Generates texts that match a regular expression. The only file that imports the parser of regular expressions; character
// classes are evaluated by the engine itself.

import { type AST, RegExpParser } from '@eslint-community/regexpp'
import type { Chance } from './chance.ts'

const PLAIN = [...'abcdefghijklmnopqrstuvwxyz']
const ASCII = [...PLAIN, ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -_.:/,@#+!?()[]{}<>=&%$*;\'"`~^|\\\t\n\r']
/** Every 16th character beyond ASCII: some of each script. */
const BEYOND = Array.from({ length: (0xd800 - 0x80) / 16 }, (_, i) => String.fromCharCode(0x80 + i * 16))

/** Generates texts for one expression: as short as possible, or longer on request. */
export class PatternWriter {
  readonly #alternatives: readonly AST.Alternative[]
  readonly #unicode: boolean
  readonly #classes = new Map<string, readonly string[]>()
  readonly #groups = new Map<AST.CapturingGroup, string>()

  private constructor(pattern: AST.Pattern, unicode: boolean) {
    this.#alternatives = pattern.alternatives
    this.#unicode = unicode
  }

  /** Returns `undefined` for an expression that the parser does not support. */
  static of({ source, unicode }: RegExp): PatternWriter | undefined {
    try {
      return new PatternWriter(new RegExpParser().parsePattern(source, undefined, undefined, { unicode }), unicode)
    } catch {
      return undefined
    }
  }

  /** @param stretch the number of additional repetitions */
  write(chance: Chance, stretch: number): string {
    this.#groups.clear()
    return this.#one(this.#alternatives, chance, stretch)
  }

  #one(alternatives: readonly AST.Alternative[], chance: Chance, stretch: number): string {
    let text = ''
    for (const element of chance.pick(alternatives).elements) text += this.#element(element, chance, stretch)
    return text
  }

  #element(element: AST.Element, chance: Chance, stretch: number): string {
    switch (element.type) {
      case 'Character':
        return String.fromCodePoint(element.value)
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass': {
        const characters = this.#charactersOf(element.raw)
        return characters.length === 0 ? '' : chance.pick(characters)
      }
      case 'Group':
        return this.#one(element.alternatives, chance, stretch)
      case 'CapturingGroup': {
        const text = this.#one(element.alternatives, chance, stretch)
        this.#groups.set(element, text)
        return text
      }
      case 'Quantifier': {
        const { min, max } = element
        const most = Math.min(max, min + stretch, min + MOST)
        // An optional part is present half the time; a repetition has its minimum plus the stretch.
        const times = min === 0 && max === 1 ? chance.between(0, 1) : Math.max(most, min)
        let text = ''
        for (let i = 0; i < times; i++) text += this.#element(element.element, chance, stretch)
        return text
      }
      case 'Backreference': {
        const group = Array.isArray(element.resolved) ? element.resolved[0] : element.resolved
        return group === undefined ? '' : (this.#groups.get(group as AST.CapturingGroup) ?? '')
      }
      case 'Assertion':
        return ''
      default:
        return element satisfies never
    }
  }

  #charactersOf(raw: string): readonly string[] {
    let known = this.#classes.get(raw)
    if (known === undefined) {
      const one = new RegExp(`^${raw}$`, this.#unicode ? 'u' : '')
      const matching = (from: readonly string[]) => from.filter(character => one.test(character))
      if (raw === '.') known = PLAIN
      else {
        // Prefer printable characters; use blanks only if there are no others.
        known = matching(ASCII).filter(character => character > ' ')
        if (known.length > 70) known = matching(PLAIN)
        if (known.length === 0) known = matching(ASCII)
        if (known.length === 0) known = matching(BEYOND)
      }
      this.#classes.set(raw, known)
    }
    return known
  }
}

const MOST = 10_000
