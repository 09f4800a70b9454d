import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles, testFiles } from './source-files.ts'

/** A sentence with this beginning hides its subject: "What arrived" instead of "The request". */
const HIDDEN = /^\s*(?:\/\*\*|\*|\/\/)\s*(?:What|Who|Whom|Whose|Whoever|Where|Which|Of|That|Whatever)\b/

test('a comment begins with its subject or its verb', () => {
  const found = [...sourceFiles, ...testFiles].flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, i) => (HIDDEN.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
  )
  assert.deepEqual(found, [], 'name the subject first: see docs/contributing/style.md')
})

/** Words of riddles in a comment: "whoever" or "what it does" instead of a noun, "is told" instead of "is called with". */
const GUESSED_COMMENT =
  /^\s*(?:\/\*\*|\*|\/\/).*\b(?:[Ww]hoever|[Ww]hatever|[Ww]hat (?:it|they)|it shows|[Nn]obody|(?:is|are|was) told|of (?:its|their) own)\b/

test('a comment uses no riddles', () => {
  const found = [...sourceFiles, ...testFiles]
    .filter(({ path }) => path !== 'test/house/words.test.ts')
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => (GUESSED_COMMENT.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
    )
  assert.deepEqual(found, [], 'use the noun and the plain verb: see docs/contributing/style.md')
})

test('a doc comment ends its first sentence', () => {
  const found = [...sourceFiles, ...testFiles].flatMap(({ path, text }) =>
    [...text.matchAll(/^[ \t]*\/\*\*(?!\*)((?:(?!\*\/)[\s\S])*)\*\/$/gm)].flatMap(([, comment = '']) => {
      const sentence =
        comment
          .replace(/^\s*\* ?/gm, '')
          .split(/(?<!\S)@/)[0]
          ?.trim() ?? ''
      return sentence === '' || /[.?:`…)"]$/.test(sentence) ? [] : [`${path}: ${sentence}`]
    }),
  )
  assert.deepEqual(found, [], 'end it with a full stop')
})

/** Words of riddles in a message: "is no status" instead of "is not a status", "nobody known" instead of "unknown". */
const RIDDLE =
  /\b(?:(?<![Tt]here )(?<!this )is no (?!longer\b)[a-z]|whoever\b|nobody (?:known|asks)\b|stands (?:here|there)\b|leads nowhere\b)/

test('a message says what is wrong in plain words', () => {
  const texts = /'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g
  const found = sourceFiles
    .filter(({ path }) => !path.startsWith('console/'))
    .flatMap(({ path, text }) => {
      const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
      return [...code.matchAll(texts)].flatMap(([literal]) => (RIDDLE.test(literal) ? [`src/${path}: ${literal}`] : []))
    })
  assert.deepEqual(found, [], 'first what is wrong, then what to write instead: see docs/contributing/style.md')
})

/** A title with this beginning is a fragment or has no subject: "of several faults the first wins", "it is over after a while". */
const FRAGMENT = /^(?:What|Who|Whom|Whose|Whoever|Where|Which|Of|That|Whatever|It|They|Nor|So)\b/i

/** Words of riddles in a title. */
const GUESSED =
  /\b(?:is no (?!longer\b)[a-z]|of (?:its|their) own\b|that is none\b|nobody\b|all the same\b|is told\b|made up\b)/

test('a test title is a plain sentence', () => {
  const titles = /\b(?:test|describe|suite)(?:\.skip)?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g
  const found = testFiles.flatMap(({ path, text }) =>
    [...text.matchAll(titles)].flatMap(([, , title = '']) =>
      FRAGMENT.test(title) || GUESSED.test(title) ? [`${path}: ${title}`] : [],
    ),
  )
  assert.deepEqual(found, [], 'subject, verb, object: see docs/contributing/style.md')
})
