import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-files.ts'

/** A sentence that begins so hides its subject: "What arrived" instead of "The request". */
const HIDDEN = /^\s*(?:\/\*\*|\*|\/\/)\s*(?:What|Who|Whom|Whose|Whoever|Where|Which|Of|That|Whatever)\b/

/** How many such comments each room still holds. The numbers only shrink, and a room at zero is taken out. */
const LEFT: Readonly<Record<string, number>> = {
  plan: 1,
  'cli.ts': 2,
  'index.ts': 1,
  'world-handle.ts': 2,
  behaviours: 60,
  cli: 6,
  gateway: 38,
  http: 32,
  load: 31,
  world: 10,
}

test('a comment begins with its subject or its verb', () => {
  const found = new Map<string, string[]>()
  for (const { path, text } of sourceFiles) {
    const room = path.split('/')[0] as string
    const lines = text
      .split('\n')
      .flatMap((line, i) => (HIDDEN.test(line) ? [`src/${path}:${i + 1}: ${line.trim()}`] : []))
    found.set(room, [...(found.get(room) ?? []), ...lines])
  }
  const grown = [...found].filter(([room, lines]) => lines.length > (LEFT[room] ?? 0))
  assert.deepEqual(
    grown.flatMap(([, lines]) => lines),
    [],
    'name the subject first: see docs/contributing/style.md',
  )
})
