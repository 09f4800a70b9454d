// A promise that code does not wait for has a `catch`: an error in it would end the process. The linter refuses a statement that is
// a promise (`noFloatingPromises`); it takes `void` and an async listener for a decision, and these tests do not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesWith, type SourceFile, sourceFiles } from './source-files.ts'

/** The code of the process. In a page an error in a promise is a line in its console. */
const files = sourceFiles.filter(({ path }) => !path.startsWith('console/'))

/** Matches the definition of a function that returns a promise, with its name. */
const DEFINITIONS =
  /\basync (?:function )?(#?\w+)\(|\b(\w+) = async\b|(?:^|\s)(#?\w+)(?:<.*>)?\([^()]*\): Promise<|\b(\w+) = \(.*\): Promise</gm

/** Returns the lines that call such a function of their file behind `void`, without a `catch`. */
function uncaught(file: SourceFile): string[] {
  const names = [...file.code.matchAll(DEFINITIONS)].map(([, ...groups]) => groups.find(Boolean))
  const called = /\bvoid (?:this\.)?(#?\w+)\(/
  return linesWith(file, called).filter(line => names.includes(called.exec(line)?.[1]) && !line.includes('.catch('))
}

test('no `void` drops a promise without a `catch`', () => {
  assert.deepEqual(files.flatMap(uncaught), [], 'write .catch(…) behind it: what is done about an error?')
})

test('no listener is async', () => {
  const listener =
    /\b(?:on|once|addListener|addEventListener|setTimeout|setImmediate|setInterval)\((?:[^()]*, )?async\b/
  const lines = files.flatMap(file => linesWith(file, listener))
  assert.deepEqual(lines, [], 'nobody waits for what it returns: call an async function in it, with a catch')
})

test('a dropped promise is found', () => {
  const code = [
    'async function load() {}',
    'const look = async () => {}',
    '  #write(all: string): Promise<void> {',
    'void load()',
    'void look()',
    'if (one) void this.#write(a)',
    'void load().catch(fail)',
    'void other()',
  ].join('\n')
  const found = uncaught({ path: 'a.ts', text: code, code, imports: [] })
  assert.deepEqual(found, [
    'src/a.ts:4: void load()',
    'src/a.ts:5: void look()',
    'src/a.ts:6: if (one) void this.#write(a)',
  ])
})
