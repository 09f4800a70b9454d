// JSON as text: its pieces for colours and indentation, and the places of its values. Numbers stay digit for digit, since the
// text is never parsed into a value.

import { pointer } from '../../kernel/json.ts'

export interface JsonPiece {
  readonly text: string
  /** Unset for punctuation and blanks. */
  readonly kind?: 'key' | 'text' | 'number' | 'word'
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]|\s+|[\s\S]/g

/**
 * Returns the pieces of a JSON text, indented. Those of a text that is cut off go as far as it does; a text that is neither an
 * object nor a list is one piece.
 */
export function piecesOfJson(text: string): readonly JsonPiece[] {
  if (!/^\s*[[{]/.test(text)) return [{ text }]
  const tokens = (text.match(TOKEN) ?? []).filter(token => token.trim() !== '')
  const pieces: JsonPiece[] = []
  let depth = 0
  const line = (): void => {
    pieces.push({ text: `\n${'  '.repeat(Math.max(0, depth))}` })
  }
  tokens.forEach((token, i) => {
    const next = tokens[i + 1]
    if (token === '{' || token === '[') {
      pieces.push({ text: token })
      depth += 1
      if (next !== '}' && next !== ']') line()
    } else if (token === '}' || token === ']') {
      depth -= 1
      const before = tokens[i - 1]
      if (before !== '{' && before !== '[') line()
      pieces.push({ text: token })
    } else if (token === ',') {
      pieces.push({ text: token })
      line()
    } else if (token === ':') pieces.push({ text: ': ' })
    else pieces.push(pieceOfToken(token, next))
  })
  return pieces
}

function pieceOfToken(text: string, next: string | undefined): JsonPiece {
  if (text.startsWith('"')) return { text, kind: next === ':' ? 'key' : 'text' }
  if (/^-?\d/.test(text)) return { text, kind: 'number' }
  return /^(?:true|false|null)$/.test(text) ? { text, kind: 'word' } : { text }
}

/** Returns a JSON text indented; another text as it is. */
export const indentJson = (text: string): string =>
  piecesOfJson(text)
    .map(piece => piece.text)
    .join('')

/** The offsets of a part of a text. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

/** Returns the place of a value in a sound JSON text, or that of the deepest part of the JSON Pointer that exists. */
export function spanInJson(text: string, wanted: string): TextRange {
  const spans = new Map<string, TextRange>()
  const path: (string | number)[] = []
  let last = ''
  for (const { 0: token, index: from } of text.matchAll(TOKEN)) {
    if (token.trim() === '') continue
    if (token === '}' || token === ']') path.pop()
    else if (token === ':') path.splice(-1, 1, JSON.parse(last) as string)
    else if (token === ',') {
      const before = path.pop()
      path.push(typeof before === 'number' ? before + 1 : '')
    } else {
      spans.set(pointer(path), { from, to: from + token.length })
      if (token === '{') path.push('')
      if (token === '[') path.push(0)
    }
    last = token
  }
  for (let at = wanted; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = spans.get(at)
    if (found !== undefined) return found
  }
  return { from: 0, to: Math.min(1, text.length) }
}
