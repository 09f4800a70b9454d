// The files of src/ for the house rules: their imports, and their code without comments and texts.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
const SRC = join(ROOT, 'src')

export interface SourceFile {
  /** Relative to src/, with slashes: `kernel/json.ts`. */
  readonly path: string
  readonly text: string
  /** Comments, strings and regular expressions blanked, lines kept. */
  readonly code: string
  /** The files and packages that it imports or re-exports, types too; a file as a path relative to src/. */
  readonly imports: readonly string[]
}

export const sourceFiles: readonly SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(path => /\.tsx?$/.test(path))
  .map(path => path.replaceAll('\\', '/'))
  .sort()
  .map(path => {
    const text = readFileSync(join(SRC, path), 'utf8')
    return { path, text, code: blank(text, true), imports: importsOf(path, text) }
  })

/** The texts of the files of test/, with paths relative to the root. */
export const testFiles: readonly Pick<SourceFile, 'path' | 'text'>[] = readdirSync(join(ROOT, 'test'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter(path => path.endsWith('.ts'))
  .map(path => ({
    path: `test/${path.replaceAll('\\', '/')}`,
    text: readFileSync(join(ROOT, 'test', path), 'utf8'),
  }))

/** The imports of the files of test/ from src/: a path relative to the root, and one relative to src/. */
export const testImports = testFiles.flatMap(({ path, text }) =>
  importsOf(`../${path}`, text).map(target => ({ path, target })),
)

/** Returns the lines of a file's code that match, as `file:line: text`. */
export function linesWith(file: SourceFile, pattern: RegExp): string[] {
  const lines = file.text.split('\n')
  return file.code.split('\n').flatMap((line, i) => {
    return pattern.test(line) ? [`src/${file.path}:${i + 1}: ${lines[i]?.trim()}`] : []
  })
}

/** Returns circles of imports, each from a file back to itself. The list is empty if and only if there is no circle. */
export function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const way: string[] = []
  const visit = (file: string): void => {
    const at = way.indexOf(file)
    if (at !== -1) circles.push([...way.slice(at), file])
    if (at !== -1 || done.has(file)) return
    way.push(file)
    for (const target of imports.get(file) ?? []) visit(target)
    way.pop()
    done.add(file)
  }
  for (const file of imports.keys()) visit(file)
  return circles
}

function importsOf(path: string, text: string): string[] {
  const pattern = /\bfrom\s*(['"])([^'"\s]+)\1|\bimport\s*\(?\s*(['"])([^'"\s]+)\3/g
  const found = [...blank(text, false).matchAll(pattern)].map(match => (match[2] ?? match[4]) as string)
  const resolve = (name: string) => relative(SRC, join(SRC, dirname(path), name)).replaceAll('\\', '/')
  const imports = found.map(name => (name.startsWith('.') ? resolve(name) : name))
  // Files beside src/ are data.
  return imports.filter(name => !name.startsWith('../'))
}

function spaces(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

/** Blanks comments, and texts and regular expressions too if asked. The content of `${}` in a template is code. */
function blank(text: string, texts: boolean): string {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`|[{}]|(?<=(?:^|[=(,:[!&|?;{}]|=>|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/gm
  let out = ''
  let at = 0
  /** For each open brace, whether closing it returns to a template. */
  const braces: boolean[] = []
  const template = (): void => {
    const rest = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(`|\$\{)/y
    rest.lastIndex = at
    const match = rest.exec(text)
    if (match === null) return
    out += texts ? spaces(match[0]) : match[0]
    at = rest.lastIndex
    if (match[1] === '${') braces.push(true)
  }
  for (;;) {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null) return out + text.slice(at)
    out += text.slice(at, match.index)
    at = token.lastIndex
    const found = match[0]
    if (found === '{') braces.push(false)
    if (found === '`' || (found === '}' && braces.pop() === true)) {
      out += found
      template()
    } else if (found === '{' || found === '}') out += found
    else if (found.startsWith('//') || found.startsWith('/*')) out += spaces(found)
    else out += texts ? spaces(found) : found
  }
}
