// Splits a JSON text into pieces that are coloured alike, indented. Keeps numbers digit for digit, so that it works on the
// text and not on the parsed value.

export interface Piece {
  readonly text: string
  /** Unset for punctuation and blanks. */
  readonly kind?: 'key' | 'text' | 'number' | 'word'
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]|\s+|[\s\S]/g

/** Returns the pieces of a JSON text; a text that is not JSON, or is cut off, is one piece, or indented as far as it goes. */
export function piecesOfJson(text: string): readonly Piece[] {
  if (!/^\s*[[{]/.test(text)) return [{ text }]
  const tokens = (text.match(TOKEN) ?? []).filter(token => token.trim() !== '')
  const pieces: Piece[] = []
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
    else pieces.push(pieceOf(token, next))
  })
  return pieces
}

function pieceOf(text: string, next: string | undefined): Piece {
  if (text.startsWith('"')) return { text, kind: next === ':' ? 'key' : 'text' }
  if (/^-?\d/.test(text)) return { text, kind: 'number' }
  return /^(?:true|false|null)$/.test(text) ? { text, kind: 'word' } : { text }
}
