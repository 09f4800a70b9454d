// Replaces the credentials in texts: the values after names of credentials, and words that are credentials by their form. Every
// search is linear: a head is found first, and its value is read only where its name is that of a credential.

import { plainName } from '../../kernel/names.ts'
import { ANY_VALUE, anyOf, isOpaque, type NamedPlace, secrecyOf, type ValueTest } from '../../kernel/secrets.ts'

/** Whether a value of this name is not shown in a message. It costs little to hide too many. */
export const isHiddenName = (name: string): boolean =>
  secrecyOf(name, 'header') !== undefined || secrecyOf(name, 'query') !== undefined

/** The ends of names whose values identify something: an id, a cursor, a digest. */
const IDENTIFIER = anyOf(
  '',
  `ids? uuid guid cursor next previous prev after before etag if(?:none)?match hash digest checksum integrity sha\\d* md5
  fingerprint thumbprint revision version nonce`,
  '$',
)

/** Whether a value of this name identifies something, so that a long random one is no credential. */
export const isIdentifierName = (name: string): boolean => IDENTIFIER.test(plainName(name))

/** The forms of credentials by their issuers. Each begins a word, so that no word is read twice. */
const ISSUED = new RegExp(
  `(?<![\\w-])(?:${[
    // JWT, also without a signature, and JWE
    'eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]+){0,3}',
    // Stripe and the like
    '(?:sk|rk)_(?:live|test)_\\w{8,}',
    'whsec_[\\w+/=]{16,}',
    // GitHub, GitLab
    'gh[pousr]_[A-Za-z0-9]{16,}',
    'github_pat_\\w{20,}',
    'glpat-[\\w-]{16,}',
    // Slack
    'xox[a-z]-[\\w-]{8,}',
    'xapp-[\\w-]{8,}',
    // AWS, Google
    '(?:AKIA|ASIA)[A-Z0-9]{12,}',
    'AIza[\\w-]{30,}',
    'ya29\\.[\\w-]{16,}',
    'GOCSPX-[\\w-]{16,}',
    // OpenAI, Anthropic, SendGrid, Twilio, npm, PyPI, Hugging Face, DigitalOcean, Shopify
    'sk-(?=[\\w-]*\\d)[\\w-]{20,}',
    'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
    'SK[\\da-f]{32}',
    'npm_[A-Za-z0-9]{30,}',
    'pypi-[\\w-]{30,}',
    'hf_[A-Za-z0-9]{30,}',
    'dop_v1_[\\da-f]{40,}',
    'shp(?:at|ca|pa|ss)_[\\da-f]{30,}',
    // bcrypt, Argon2, scrypt, crypt
    '\\$(?:2[abxy]|argon2i?d?|scrypt|[156])\\$[\\w./+=,$-]{16,}',
  ].join('|')})`,
  'g',
)

/** The bounds of the length of a random word that is taken for a credential: a shorter one is an id, a longer one data. */
const [SHORTEST, LONGEST] = [32, 512]
const LONG_WORD = /[\w.~+/-]{32,}={0,2}/g

/** Whether a word is random letters of both cases and digits. A UUID, a digest and a ULID have one case only. */
function isRandom(word: string): boolean {
  const bare = word.replace(/=+$/, '')
  if (bare.length < SHORTEST || bare.length > LONGEST || !/^[\w+-]+$/.test(bare)) return false
  const count = (pattern: RegExp) => bare.match(pattern)?.length ?? 0
  if (count(/[a-z]/g) < 4 || count(/[A-Z]/g) < 4 || count(/\d/g) < 3) return false
  // Words in one word, `Order2024ExportForCustomer12`, change less often between letters and digits.
  const runs = count(/[a-z]+|[A-Z]+|\d+|[_+-]+/g)
  if (runs < bare.length * 0.4 || entropyOf(bare) < 4.2) return false
  // An id or a cursor may be a text in Base64: `{"after":12}`.
  return /[^\t\n\r\x20-\x7e]/.test(Buffer.from(bare, 'base64').toString('latin1'))
}

/** Returns the bits of each character of a word (Shannon). */
function entropyOf(word: string): number {
  const counts = new Map<string, number>()
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / word.length) * Math.log2(count / word.length), 0)
}

// --- texts -----------------------------------------------------------------------------------------------------------

export interface BlankOptions {
  /** Returns the text in place of a credential. */
  blank(value: string): string
  /** Returns the test of the values of a name. Default: `secrecyOf`. */
  secrecyOf?(name: string, place: NamedPlace): ValueTest | undefined
  /** Whether a random word without a name is a credential. Default: yes. */
  isSecretWord?(word: string): boolean
  /** `lines`: a whole text, whose line `password: x` is a pair; `yaml`: so is one of several words. Default: a part of a text. */
  readonly form?: 'part' | 'lines' | 'yaml' | undefined
}

/** A value in a text. */
interface ValueSpan {
  readonly from: number
  readonly to: number
  /** Tells whether it looks like a credential, where the name is not enough. */
  readonly accepts?: ValueTest
}

/** The characters of a part of a multipart body that may be a credential. */
const LONGEST_PART = 2 ** 13

/** A way in which a text has a name before its value. */
interface PairForm {
  /** Matches up to the value, with the name in the first group. */
  readonly head: RegExp
  /** Whether every name that matches means a credential. */
  readonly isAnyName?: boolean
  /** Reads the value at the end of a head. */
  read(text: string, head: RegExpExecArray, form: BlankOptions['form']): ValueSpan
}

/** Returns the end of a match at an offset; the offset if there is none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** Returns the offset of the quote that ends a text, which may be an escaped one: `\"`. */
function quoteEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith(quote, at)) return at
    if (text[at] === '\\') at += 1
  }
  return text.length
}

const readQuoted = (text: string, { index, 0: head, 2: quote = '"' }: RegExpExecArray) => {
  const from = index + head.length
  return { from, to: quoteEnd(text, from, quote) }
}

/** Returns a reader of the value that a pattern matches. @param skipped the characters between head and value */
const reading =
  (pattern: RegExp, accepts?: ValueTest, skipped = 0): PairForm['read'] =>
  (text, { index, 0: head }) => {
    const from = index + head.length + skipped
    return { from, to: endOf(pattern, text, from), ...(accepts && { accepts }) }
  }

/** Whether a word after `password: ` is a credential: in a sentence it is a word of the language. */
const isNoWord: ValueTest = value => value.length >= 4 && /\d/.test(value)

const LINE_START = /(?:^|[\r\n])[ \t-]*(?:data: ?)?$/

const PAIR_FORMS: readonly PairForm[] = [
  {
    // `"name": "value"`, `name="value"`, also with escaped quotes
    head: /(?<![\w-])([\w-]{1,64})\\{0,9}["']?\s{0,9}[:=]\s{0,9}(\\{0,9}["'])/g,
    read: readQuoted,
  },
  {
    // `"name": "password", "value": "x"`
    head: /["'](?:name|key|field)\\{0,9}["']\s{0,9}:\s{0,9}\\{0,9}["']([\w.-]{1,64})\\{0,9}["']\s{0,9},\s{0,9}\\{0,9}["']value\\{0,9}["']\s{0,9}:\s{0,9}(\\{0,9}["'])/g,
    read: readQuoted,
  },
  {
    // `name=value`, `"name": 5`
    head: /(?<![\w-])([\w-]{1,64})(?:=|["']\s{0,9}:\s{0,9}(?=\d))(?=[^\s"'\\<>&;,#?])/g,
    read: reading(/[^\s"'\\<>&;,#?}\]]+/y),
  },
  {
    // `name: value`, `name = value`
    head: /(?<![\w-])([\w-]{1,64})[ \t]{0,4}[:=][ \t]{1,4}(?=[^\s"'\\{[|>&*#-])/g,
    read: (text, head, form = 'part') => {
      const word = reading(/[^\s"'<>,;]+/y, isNoWord)(text, head, form)
      if (form === 'part' || !LINE_START.test(text.slice(Math.max(0, head.index - 40), head.index))) return word
      const { from, to } = reading(/[^\r\n]+/y)(text, head, form)
      return form === 'yaml' || !/\s/.test(text.slice(from, to).trim()) ? { from, to } : word
    },
  },
  {
    // `<name>value</name>`
    head: /<(?:[\w-]{1,64}:)?([\w-]{1,64})(?:\s[^<>]{0,500})?>(?:<!\[CDATA\[)?/g,
    read: reading(/[^<\]]+/y),
  },
  {
    // a part of a multipart body
    head: /form-data;[^\r\n]{0,200}?\bname="([^"\r\n]{1,64})"/gi,
    read: (text, { index, 0: head }) => {
      const named = index + head.length
      const from = endOf(/[^\r\n]{0,500}\r?\n(?:[^\r\n]{1,500}\r?\n){0,9}\r?\n/y, text, named)
      if (from === named) return { from, to: from }
      // Without a boundary after it the body is cut off, or the value is a large file.
      const end = text.slice(from, from + LONGEST_PART).search(/\r?\n--/)
      return { from, to: end === -1 ? endOf(/[^\r\n]+/y, text, from) : from + end }
    },
  },
  {
    // `/token/x`; what is below `/tokens` has ids
    head: /\/([\w-]{1,64}(?<!s))(?=\/[\w.~%+=-]{8})/g,
    read: reading(/[\w.~%+=-]+/y, value => isOpaque(value) && !/^\d+$/.test(value), 1),
  },
  {
    // `Authorization: Bearer x`
    head: /(?<![\w-])(Bearer|Basic|DPoP|Token)[ +](?=[\w.~+/=-]{8})/gi,
    isAnyName: true,
    read: reading(/[\w.~+/=-]+/y, isOpaque),
  },
]

/** `//user:password@` */
const PASSWORD = /(\/\/[^\s/:@"]{0,64}:)([^\s/@"]{1,256})(?=@)/g
const TAG = /<[a-z][^<>]{1,4000}/gi
const NAME_IN_TAG = /\s(?:name|property|id|http-equiv|itemprop)\s?=\s?\\{0,9}["']?([^"'\s\\]{1,64})/i
const VALUE_IN_TAG = /(\s(?:value|content)\s?=\s?\\{0,9}["'])([^"'\\]+)/gi
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g

/** Returns a text of any form without its credentials. */
export function blankSecrets(text: string, options: BlankOptions): string {
  const { blank, isSecretWord = () => true } = options
  let made = blankPrivateKeys(text, blank)
  if (/[=:<"/ ]/.test(made)) {
    made = PAIR_FORMS.reduce((whole, form) => blankPairs(whole, form, options), made)
    made = made.replace(TAG, tag => blankInTag(tag, options))
    made = made.replace(PASSWORD, (_, before: string, password: string) => before + blank(password))
  }
  return made
    .replace(ISSUED, blank)
    .replace(LONG_WORD, word => (isRandom(word) && isSecretWord(word) ? blank(word) : word))
}

/** Replaces the values of one form of pairs. */
function blankPairs(text: string, { head, isAnyName, read }: PairForm, options: BlankOptions): string {
  const { blank, secrecyOf: testOf = secrecyOf, form } = options
  let made = ''
  let from = 0
  head.lastIndex = 0
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const [, name = ''] = found
    const place = /[?&#]/.test(text[found.index - 1] ?? '') ? 'query' : 'field'
    const isSecret = isAnyName ? ANY_VALUE : testOf(name, place)
    // Without a credential the search goes on behind the head: the value may hold a pair.
    if (isSecret === undefined) continue
    const { from: start, to, accepts = ANY_VALUE } = read(text, found, form)
    const value = text.slice(start, to)
    if (value === '' || !accepts(value) || !isSecret(value)) continue
    made += text.slice(from, start) + blank(value)
    from = head.lastIndex = to
  }
  return from === 0 ? text : made + text.slice(from)
}

/** Replaces the value of `<input name="token" value="x">` or `<meta name="token" content="x">`. */
function blankInTag(tag: string, { blank, secrecyOf: testOf = secrecyOf }: BlankOptions): string {
  const isSecret = testOf(NAME_IN_TAG.exec(tag)?.[1] ?? '', 'field')
  if (isSecret === undefined) return tag
  return tag.replace(VALUE_IN_TAG, (whole, before: string, value: string) =>
    isSecret(value) ? before + blank(value) : whole,
  )
}

/** Replaces the content of private keys in PEM. One without an end ends with the text. */
function blankPrivateKeys(text: string, blank: BlankOptions['blank']): string {
  let made = ''
  let from = 0
  PRIVATE_KEY.lastIndex = 0
  for (let found = PRIVATE_KEY.exec(text); found !== null; found = PRIVATE_KEY.exec(text)) {
    const start = found.index + found[0].length
    const end = text.indexOf('-----END', start)
    const to = end === -1 ? text.length : end
    made += text.slice(from, start) + blank(text.slice(start, to))
    from = PRIVATE_KEY.lastIndex = to
  }
  return from === 0 ? text : made + text.slice(from)
}

/** Returns a CSV without the values of columns whose names mean credentials. The delimiter is that of the first line. */
export function blankColumns(text: string, { blank, secrecyOf: testOf = secrecyOf }: BlankOptions): string {
  const [first = ''] = /^[^\r\n]*/.exec(text) ?? []
  const delimiter = [',', ';', '\t'].find(one => first.includes(one)) ?? ','
  const cell = new RegExp(
    `("[^"]*(?:""[^"]*)*"?|[^${delimiter}\\r\\n"][^${delimiter}\\r\\n]*)?(${delimiter}|\\r?\\n|\\r|$)`,
    'y',
  )
  const tests: (ValueTest | undefined)[] = []
  let made = ''
  let row = 0
  for (let column = 0, at = 0; at < text.length; at = cell.lastIndex) {
    cell.lastIndex = at
    const [whole, written = '', end = ''] = cell.exec(text) ?? []
    // After a quote in the wrong place the columns are not known.
    if (whole === undefined) return made + text.slice(at)
    const value = written.replace(/^"|"$/g, '').replaceAll('""', '"')
    if (row === 0) tests.push(testOf(value.trim(), 'field'))
    const isSecret = row > 0 && value !== '' && tests[column]?.(value)
    made += isSecret ? blank(value) + end : whole
    column = end === delimiter ? column + 1 : 0
    if (end !== delimiter) row += 1
  }
  return made
}

/** Returns an event stream without the credentials in data of several lines. */
export function blankEvents(text: string, options: BlankOptions): string {
  const made: string[] = []
  let data: string[] = []
  const flush = () => {
    const [first = ''] = data
    const [prefix = ''] = /^data: ?/.exec(first) ?? []
    const [end = '\n'] = /\r?\n$/.exec(first) ?? []
    const last = /\r?\n$/.test(data.at(-1) ?? '') ? end : ''
    const whole = data.map(line => line.replace(/^data: ?/, '').replace(/\r?\n$/, '')).join('\n')
    const blanked = data.length > 1 ? blankSecrets(whole, options) : whole
    if (blanked === whole) made.push(...data)
    else
      made.push(
        blanked
          .split('\n')
          .map(line => prefix + line)
          .join(end) + last,
      )
    data = []
  }
  for (const line of text.split(/(?<=\n)/)) {
    if (line.startsWith('data:')) data.push(line)
    else {
      flush()
      made.push(line)
    }
  }
  flush()
  return made.join('')
}
