import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-files.ts'

/** The rooms from the ground up, a list for each floor; a room at the top of src/ is a file. Imports go down only. */
const FLOORS: readonly (readonly string[])[] = [
  ['kernel'],
  ['world', 'sample'],
  ['state'],
  ['contract', 'expression'],
  ['behaviours'],
  ['plan'],
  ['load'],
  ['gateway'],
  ['http'],
  ['start.ts', 'world-handle.ts'],
  ['cli'],
  ['wings'],
  ['wings.ts'],
  ['index.ts', 'cli.ts'],
  // For the runners of a project: they use the library only.
  ['fixtures'],
  // A page for the browser: see the last test.
  ['console'],
]

/** The view of a wing is a part of the page, and in the folder of its wing. */
const isView = (path: string): boolean => /^wings\/[^/]+\/[^/]+\.tsx$/.test(path)
/** The wing that serves the page makes the replies whose types the page has. */
const PAGE_TYPES = 'wings/console/types.ts'
const roomOf = (path: string): string => (isView(path) ? 'console' : (path.split('/')[0] as string))
const floorOf = (path: string): number => FLOORS.findIndex(rooms => rooms.includes(roomOf(path)))
const ours = sourceFiles.flatMap(({ path, imports }) =>
  imports
    .filter(name => /\.tsx?$/.test(name))
    .map(target => ({ path, target, from: roomOf(path), to: roomOf(target) })),
)

test('every file belongs to a room', () => {
  const homeless = sourceFiles.map(({ path }) => path).filter(path => floorOf(path) < 0)
  assert.deepEqual(homeless, [])
})

test('imports go down only, and rooms of one floor do not import each other', () => {
  const wrong = ours.filter(
    ({ path, target, from, to }) => path !== PAGE_TYPES && from !== to && floorOf(path) <= floorOf(target),
  )
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
  // A behaviour is a file, or a folder for one with several parts; only the life-cycle imports them all.
  const nameOf = (path: string) => path.split('/')[1]?.replace(/\.ts$/, '')
  const shared = [
    'behaviour',
    'consumer',
    'entity-tags',
    'exchange',
    'judging',
    'expressions',
    'index',
    'references',
    'resource',
    'responder',
  ]
  const wrong = ours.filter(({ path, target, from, to }) => {
    if (from !== 'behaviours' || to !== 'behaviours' || shared.includes(nameOf(path) as string)) return false
    return ![...shared.filter(name => name !== 'index'), nameOf(path)].includes(nameOf(target) as string)
  })
  assert.deepEqual(
    wrong.map(({ path, target }) => `${path} imports ${target}`),
    [],
  )
})

test('the console imports the types of the control plane and of kernel/ only what a browser has', () => {
  const importsOf = (path: string) => sourceFiles.find(file => file.path === path)?.imports ?? []
  const isPortable = (path: string): boolean =>
    path.startsWith('kernel/') && importsOf(path).every(target => isPortable(target))
  const wrong = ours
    .filter(({ from, to }) => from !== to && (from === 'console' || to === 'console'))
    .filter(({ path, target }) => {
      const isTypes = target === 'http/control/types.ts' || (isView(path) && /^wings\/[^/]+\/types\.ts$/.test(target))
      return path !== PAGE_TYPES && !isTypes && !isPortable(target)
    })
  assert.deepEqual(
    wrong.map(({ path, target }) => `${path} imports ${target}`),
    [],
  )
  const values = sourceFiles
    .filter(({ path }) => roomOf(path) === 'console')
    .filter(({ text }) => /import (?!type )[^;'"]*['"](?:[./]+http\/|\.\/types\.ts)/.test(text))
  assert.deepEqual(
    values.map(({ path }) => path),
    [],
  )
})

test('no view of the console imports another view', () => {
  const shared = ['shell', 'model', 'parts', 'style', 'forms', 'editor']
  const viewOf = (path: string): string => (isView(path) ? path : (path.split('/')[1] as string))
  const wrong = ours.filter(({ path, target, from, to }) => {
    if (from !== 'console' || to !== 'console') return false
    return !shared.includes(viewOf(target)) && viewOf(path) !== viewOf(target) && path !== 'console/shell/views.ts'
  })
  assert.deepEqual(
    wrong.map(({ path, target }) => `${path} imports ${target}`),
    [],
  )
})
