// Masks credentials in excerpts of a configuration file.

/** Returns the line that begins at an offset, with its credentials masked. */
export type Show = (start: number, line: string) => string

/**
 * Returns a function that shows lines of a text with the credentials under `consumers`, and the passwords in URLs, masked,
 * character by character. It
 * reads the text and not its value, because excerpts of a file that cannot be parsed are shown too. The text is searched
 * once, when the first line is shown. The last line is kept, because a file of one line of megabytes may have a thousand
 * mistakes in it.
 */
export function withoutSecrets(text: string): Show {
  let secrets: readonly [from: number, to: number] | undefined
  let last: { readonly start: number; readonly shown: string } | undefined
  return (start, line) => {
    secrets ??= secretsOf(text)
    if (last?.start !== start) last = { start, shown: blotted(line, start, secrets).replace(PASSWORD, blotPassword) }
    return last.shown
  }
}

function blotted(line: string, start: number, [from, to]: readonly [from: number, to: number]): string {
  const [left, right] = [Math.max(from - start, 0), Math.min(to - start, line.length)]
  if (left >= right) return line
  const part = line.slice(left, right)
  const shown = /:(?:\s|$)|["']\s*:/.test(part)
    ? part.replace(WORD, (all, date, _, key, at) =>
        // The text behind a colon is a value, even if another colon follows it.
        date !== undefined || (key !== undefined && !followsColon(part, at)) ? all : blot(all),
      )
    : blot(part)
  return line.slice(0, left) + shown + line.slice(right)
}

/** Looks back from an offset over blanks. A search in the text before it would take quadratic time for a long line. */
function followsColon(text: string, offset: number): boolean {
  let at = offset - 1
  while (at >= 0 && /\s/.test(text.charAt(at))) at -= 1
  return text[at] === ':'
}

/** Matches a date, or a word with the colon that makes it a key. */
const WORD =
  /(\bexpires["']?\s*:[^,{}]*)|("[^"]*"|'[^']*'|[^\s,{}:"'](?:[^:,{}]|:(?!\s|$))*|["'].*)((?<=["'])\s*:|\s*:(?=\s|$))?/g

/** Masks a text, except `${NAME}` and punctuation. */
const blot = (value: string): string =>
  value.replace(/\$\{[A-Za-z_]\w*\}|[^\s{}"']/g, part => (part.length > 1 ? part : '•'))

/** Matches the user and the password of a URL up to its host: `//user:password`. */
const PASSWORD = /(\/\/[^\s"':]{0,200}:)([^\s"']{1,500})(?=@)/g

const blotPassword = (_: string, before: string, password: string): string => before + blot(password)

/** Matches the block `consumers` of a file. */
function secretsOf(text: string): [from: number, to: number] {
  const flow = /^\s*\{/.test(text)
  const found = (flow ? /(["']?)\bconsumers\1\s*:/ : /^(["']?)consumers\1\s*:/m).exec(text)
  if (found === null) return [0, 0]
  const from = found.index + found[0].length
  if (!flow) {
    const next = /^[^\s#]/m.exec(text.slice(from))
    return [from, next === null ? text.length : from + next.index]
  }
  let depth = 0
  for (let to = from; to < text.length; to++) {
    if (text[to] === '{') depth += 1
    else if (text[to] === '}' && --depth <= 0) return [from, to]
  }
  return [from, text.length]
}
