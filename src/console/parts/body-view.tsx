// Shows a body: JSON indented and coloured, other text unchanged.

import { type Piece, piecesOfJson } from './json-pieces.ts'

/** The most that is laid out and coloured, in characters; a longer text is shown as it is. */
const MOST_LAID_OUT = 200_000

export function BodyView({ text, label }: { text: string; label: string }) {
  const pieces = text.length > MOST_LAID_OUT ? [{ text }] : piecesOfJson(text)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard
    <pre class="body-view" tabIndex={0} role="region" aria-label={label}>
      <code>{pieces.map(Coloured)}</code>
    </pre>
  )
}

const Coloured = ({ text, kind }: Piece, i: number) =>
  kind === undefined ? (
    text
  ) : (
    <span key={i} class={`json-${kind}`}>
      {text}
    </span>
  )
