// The pictures about a real API: who answers, whose records a sandbox shows, and what a recording becomes. Narrow enough for a phone.

import { line, path, picture, rect, text } from './svg.ts'

const WIDTH = 380
const CENTRED = 'text-anchor="middle"'

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A box with lines of text in its middle; the first one is strong. */
function labelled({ x, y, width, height }: Box, first: string, ...others: readonly string[]): string[] {
  const top = y + height / 2 + 5 - others.length * 8
  return [
    rect(x, y, width, height, 'box'),
    text(x + width / 2, top, first, 'strong', CENTRED),
    ...others.map((words, i) => text(x + width / 2, top + 16 * (i + 1), words, 'quiet small', CENTRED)),
  ]
}

/** An arrow to the right, to the left or down. */
function arrow(x1: number, y1: number, x2: number, y2: number): string[] {
  const [dx, dy] = [Math.sign(x2 - x1) * 6, Math.sign(y2 - y1) * 6]
  const head = `M${x2 - dx - dy * 0.6} ${y2 - dy - dx * 0.6}L${x2} ${y2}L${x2 - dx + dy * 0.6} ${y2 - dy + dx * 0.6}`
  return [line(x1, y1, x2, y2, 'edge'), path(head, 'edge')]
}

/** Draws who answers: forwarded, forwarded while the real API is down, and with a shadow. */
export function drawReplies(): string {
  const rows: readonly (readonly [title: string, who: string, draw: (y: number) => string[]])[] = [
    [
      'respond: { forward: {} }',
      'the real API answers',
      y => [
        ...arrow(88, y + 14, 134, y + 14),
        ...arrow(246, y + 14, 292, y + 14),
        ...arrow(292, y + 30, 246, y + 30),
        ...arrow(134, y + 30, 88, y + 30),
      ],
    ],
    [
      'forward: { else: simulate }, and it is down',
      'the stand-in answers',
      y => [
        ...arrow(88, y + 14, 134, y + 14),
        ...arrow(246, y + 14, 284, y + 14),
        text(288, y + 19, '×', 'gone strong', CENTRED),
        ...arrow(134, y + 30, 88, y + 30),
      ],
    ],
    [
      'shadow: { share: 10% }',
      'the stand-in answers; both replies are compared later',
      y => [
        ...arrow(88, y + 14, 134, y + 14),
        ...arrow(134, y + 30, 88, y + 30),
        ...arrow(246, y + 22, 292, y + 22),
        text(269, y + 14, 'later', 'quiet small', CENTRED),
      ],
    ],
  ]
  const parts = rows.flatMap(([title, who, draw], i) => {
    const y = 48 + i * 100
    return [
      text(12, y - 24, title, 'mono'),
      text(12, y - 8, who, 'quiet'),
      ...labelled({ x: 12, y, width: 76, height: 44 }, 'client'),
      ...labelled({ x: 134, y, width: 112, height: 44 }, 'Understudy'),
      ...labelled({ x: 292, y, width: 76, height: 44 }, 'real API'),
      ...draw(y),
    ]
  })
  return picture(
    WIDTH,
    304,
    'Who answers: the real API, the stand-in while it is down, or the stand-in with a shadow',
    parts,
  )
}

/** Draws whose records a list of a sandbox shows, once the world has changed some of them. */
export function drawSandbox(): string {
  const columns = [
    { x: 12, title: 'staging' },
    { x: 134, title: 'this world' },
    { x: 256, title: 'a list shows' },
  ]
  const rows = [
    ['1 · 40 €', '', '1 · 40 €'],
    ['2 · 75 €', '2 · 80 €', '2 · 80 €'],
    ['3 · 12 €', 'deleted', ''],
    ['', 'new · 9 €', 'new · 9 €'],
  ]
  const says = ['read there', 'changed here', 'deleted here', 'created here']
  const parts = [
    ...columns.map(({ x, title }) => text(x + 56, 28, title, 'strong', CENTRED)),
    ...rows.flatMap((cells, i) => {
      const y = 56 + i * 56
      return [
        text(12, y - 6, says[i] ?? '', 'quiet small'),
        ...cells.flatMap((words, column) => {
          const x = columns[column]?.x ?? 0
          if (words === '') return [line(x + 50, y + 14, x + 62, y + 14)]
          const isOwn = cells[1] !== '' && column > 0
          return [
            rect(x, y, 112, 28, 'box'),
            rect(x, y, 4, 28, words === 'deleted' ? 'gone' : isOwn ? 'warm' : 'accent', 2),
            text(x + 58, y + 18, words, '', CENTRED),
          ]
        }),
      ]
    }),
    text(12, 286, 'Staging is only read. Every write stays in the world,', 'quiet'),
    text(12, 304, 'and a reset forgets it.', 'quiet'),
  ]
  return picture(WIDTH, 320, 'Records of staging, the changes of a world, and the list that the world shows', parts)
}

/** Draws the files that are made of a recording, and their proof. */
export function drawRecording(): string {
  const files: readonly (readonly [name: string, what: string])[] = [
    ['openapi.yaml', 'a first contract'],
    ['examples.overlay.yaml', 'recorded replies as examples'],
    ['fixtures/*.yaml', 'records as they were at the end'],
    ['gateway.yaml', 'resources, rules, latencies'],
  ]
  const parts = [
    ...labelled({ x: 12, y: 16, width: 76, height: 44 }, 'client'),
    ...arrow(88, 38, 134, 38),
    ...labelled({ x: 134, y: 16, width: 112, height: 44 }, 'record', 'a proxy'),
    ...arrow(246, 38, 292, 38),
    ...labelled({ x: 292, y: 16, width: 76, height: 44 }, 'real API'),
    ...arrow(190, 60, 190, 84),
    ...labelled({ x: 100, y: 84, width: 180, height: 44 }, 'recording.har', 'credentials are blanked'),
    ...arrow(190, 128, 190, 152),
    rect(12, 152, WIDTH - 24, files.length * 24 + 14, 'box'),
    ...files.flatMap(([name, what], i) => [
      text(24, 175 + i * 24, name, 'mono'),
      text(WIDTH - 24, 175 + i * 24, what, 'quiet small', 'text-anchor="end"'),
    ]),
    ...arrow(190, 262, 190, 286),
    ...labelled(
      { x: 40, y: 286, width: 300, height: 44 },
      '187 of 190 replies are equal',
      'the recording, played against the stand-in',
    ),
  ]
  return picture(
    WIDTH,
    346,
    'A recording becomes a contract, examples, records and settings, and is played against them',
    parts,
  )
}
