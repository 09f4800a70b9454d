import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-files.ts'

/** By folder, or by file for what lies at the top. */
const FLOORS: Readonly<Record<string, number>> = {
  kernel: 0,
  contract: 1,
  world: 1,
  expression: 1.5,
  behaviours: 2,
  plan: 3,
  gateway: 4,
  http: 5,
  'banner.ts': 6,
  'command-line.ts': 6,
  'commands.ts': 6,
  'first-call.ts': 6,
  'init.ts': 6,
  'version.ts': 6,
  'start.ts': 6,
  'index.ts': 6,
  'world-handle.ts': 6,
  'cli.ts': 6,
}

const houseOf = (path: string): string => path.split('/')[0] as string
const ours = sourceFiles.flatMap(({ path, imports }) =>
  imports
    .filter(name => name.endsWith('.ts'))
    .map(target => ({ path, target, from: houseOf(path), to: houseOf(target) })),
)

test('every file lives on a floor', () => {
  const homeless = sourceFiles.map(({ path }) => path).filter(path => FLOORS[houseOf(path)] === undefined)
  assert.deepEqual(homeless, [])
})

test('imports go down only, and folders of one floor do not know each other', () => {
  const wrong = ours.filter(({ from, to }) => {
    const [above, below] = [FLOORS[from] as number, FLOORS[to] as number]
    return from !== to && above < 6 && above <= below
  })
  assert.deepEqual(
    wrong.map(({ path, target }) => `${path} imports ${target}`),
    [],
  )
})

test('nothing imports the command line', () => {
  assert.deepEqual(
    ours.filter(({ target }) => target === 'cli.ts').map(({ path }) => path),
    [],
  )
})

test('no behaviour imports another behaviour', () => {
  // A behaviour is a file, or a folder for one with several parts; only the life-cycle knows them all.
  const nameOf = (path: string) => path.split('/')[1]?.replace(/\.ts$/, '')
  const shared = ['behaviour', 'index', 'expressions', 'scope', 'kept-body']
  const wrong = ours.filter(({ path, target, from, to }) => {
    if (from !== 'behaviours' || to !== 'behaviours' || shared.includes(nameOf(path) as string)) return false
    return ![...shared.filter(name => name !== 'index'), nameOf(path)].includes(nameOf(target) as string)
  })
  assert.deepEqual(
    wrong.map(({ path, target }) => `${path} imports ${target}`),
    [],
  )
})
