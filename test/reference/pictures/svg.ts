// The parts of the pictures in docs/pictures/: text, boxes and lines on a card that is legible on light and dark pages.

/** The estimated width of a character at the 13 px of the pictures. */
const CHARACTER = 7

const STYLE = `
  text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1f2430 }
  .mono { font-family: ui-monospace, monospace; font-size: 12px }
  .quiet { fill: #667085 } .strong { font-weight: 600 } .small { font-size: 11px }
  .card { fill: #ffffff; stroke: #d6dae3 } .box { fill: #f3f5fa; stroke: #aab2c5 }
  .accent { fill: #3f6fd8 } .warm { fill: #d8743f } .soft { fill: #c7d2ea } .gone { fill: #8a3b4a }
  .line { stroke: #aab2c5; fill: none } .edge { stroke: #6b7a99; fill: none; opacity: .6 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e3e6ee } .quiet { fill: #98a2b7 }
    .card { fill: #1b1e26; stroke: #353b4a } .box { fill: #262b37; stroke: #525c73 }
    .accent { fill: #7ea2f0 } .warm { fill: #eba06f } .soft { fill: #46557a } .gone { fill: #d98a9a }
    .line { stroke: #525c73 } .edge { stroke: #8d9bb8 }
  }`

/** The width up to which a picture keeps its size on a wide page. */
const NARROW = 400

/** A picture of this size in pixels. Screen readers read `title`. */
export function picture(width: number, height: number, title: string, parts: readonly string[]): string {
  const size = width > NARROW ? '' : `width="${width}" height="${height}" `
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>${STYLE}
</style>
<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${parts.join('\n')}
</svg>
`
}

/** @param more further attributes, such as `text-anchor="end"` */
export function text(x: number, y: number, words: string, classes = '', more = ''): string {
  return `<text x="${round(x)}" y="${round(y)}"${attribute(classes)}${more && ` ${more}`}>${escaped(words)}</text>`
}

export function rect(x: number, y: number, width: number, height: number, classes: string, radius = 4): string {
  const size = `width="${round(width)}" height="${round(height)}"`
  return `<rect x="${round(x)}" y="${round(y)}" ${size} rx="${radius}"${attribute(classes)}/>`
}

export function path(d: string, classes: string): string {
  return `<path d="${d}"${attribute(classes)}/>`
}

export const line = (x1: number, y1: number, x2: number, y2: number, classes = 'line'): string =>
  path(`M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}`, classes)

/** Estimates the width of a text in pixels. */
export const widthOf = (words: string): number => words.length * CHARACTER

export const round = (value: number): string => `${Math.round(value * 10) / 10}`

const attribute = (classes: string): string => (classes === '' ? '' : ` class="${classes}"`)

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
