// The Markdown pages of the repository and their code blocks, each with its heading.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** Every page that a reader may open, relative to the root. */
export const PAGES: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'src/README.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map(path => `docs/${path}`)
    .filter(path => path.endsWith('.md') && !path.includes('node_modules'))
    .sort(),
]

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

export interface Block {
  /** `yaml`, `console`, `ts` … */
  readonly language: string
  /** The name of the file in the block: `yaml [gateway.yaml]`. */
  readonly file: string | undefined
  readonly text: string
}

export interface Section {
  /** The text of a heading of the first or second level. */
  readonly title: string
  readonly blocks: readonly Block[]
}

/** The sections of a page with their blocks. A line in a block that begins with `#` is not a heading. */
export function sectionsOf(page: string): Section[] {
  const sections: { title: string; blocks: Block[] }[] = []
  let block: { language: string; file: string | undefined; lines: string[] } | undefined
  for (const line of readPage(page).split('\n')) {
    if (block !== undefined) {
      if (line === '```') {
        sections.at(-1)?.blocks.push({ ...block, text: block.lines.map(one => `${one}\n`).join('') })
        block = undefined
      } else block.lines.push(line)
      continue
    }
    const [, language, file] = /^```(\w*)(?: \[(.+)\])?$/.exec(line) ?? []
    const [, title] = /^#{1,2} (.+)$/.exec(line) ?? []
    if (language !== undefined) block = { language, file, lines: [] }
    else if (title !== undefined) sections.push({ title, blocks: [] })
  }
  return sections
}

export const blocksOf = (page: string): Block[] => sectionsOf(page).flatMap(({ blocks }) => blocks)

/** The pages of each wing, as the table of wings in the page about the architecture names them. */
export function pagesOfWings(): ReadonlyMap<string, readonly string[]> {
  const rows = readPage('docs/contributing/architecture.md').matchAll(/^\| \[`([\w-]+)`\].*$/gm)
  return new Map(
    [...rows].map(([row, name]) => [
      name as string,
      [...row.matchAll(/\]\(\.\.\/([\w-]+\.md)/g)].map(([, page]) => `docs/${page}`),
    ]),
  )
}
