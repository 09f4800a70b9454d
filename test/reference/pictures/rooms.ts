// The rooms of src/ by their imports: each is above its imports. An import that others imply is not drawn.

import { sourceFiles } from '../../house/source-files.ts'
import { path, picture, rect, round, text } from './svg.ts'

const WIDTH = 760
const ROW = 62
const BOX = 150
/** The width of a room with named parts. */
const WIDE = 250

/** Describes the content of each room in a few words. */
const HOLDS: Readonly<Record<string, string>> = {
  cli: 'commands',
  wings: 'what stands beside',
  console: 'the web page',
  http: 'sockets, Koa, TLS',
  gateway: 'plan and worlds',
  load: 'files → Plan',
  plan: 'Contract × Simulation',
  behaviours: 'one file each',
  contract: 'OpenAPI',
  expression: 'CEL',
  sample: 'generates values',
  world: 'records and time',
  state: 'logs of changes',
  kernel: 'common types',
}
/** The files at the top of src/ are one room with the command line: the ways in. */
const WAYS_IN = new Set(['cli.ts', 'index.ts', 'wings.ts'])
/** Rooms whose folders are parts of the same subject. The folders of other rooms are behaviours and views. */
const DIVIDED = new Set(['http', 'gateway', 'load', 'contract'])

export function drawRooms(): string {
  const imports = importsByRoom()
  const floors = floorsOf(imports)
  const height = floors.length * ROW + 34
  const centre = new Map<string, { x: number; y: number }>()
  for (const [i, rooms] of floors.entries()) {
    for (const [k, room] of rooms.entries()) {
      centre.set(room, { x: (WIDTH * (k + 1)) / (rooms.length + 1), y: 22 + ROW * (floors.length - 1 - i) + 22 })
    }
  }
  const edges = [...imports].flatMap(([from, targets]) =>
    [...targets]
      .filter(to => ![...targets].some(between => between !== to && reaches(imports, between, to)))
      .map(to => edge(at(centre, from), at(centre, to))),
  )
  const boxes = [...centre].flatMap(([room, { x, y }]) => {
    const parts = partsOf(room)
    const width = parts === '' ? BOX : WIDE
    const name = room === 'ways in' ? 'cli.ts · index.ts' : parts === '' ? room : `${room}: ${HOLDS[room]}`
    return [
      rect(x - width / 2, y - 20, width, 40, 'box', 6),
      text(x, y - 3, name, 'strong', 'text-anchor="middle"'),
      text(x, y + 13, parts === '' ? (HOLDS[room] ?? '') : parts, 'quiet small', 'text-anchor="middle"'),
    ]
  })
  return picture(WIDTH, height, 'The rooms of src/: imports go down only', [...edges, ...boxes])
}

const roomOf = (file: string): string =>
  WAYS_IN.has(file) ? 'ways in' : (file.split('/')[0] as string).replace(/^(?:start|world-handle)\.ts$/, 'start')

/** The folders of a room, as `journal · metrics`; empty if it is not divided. */
function partsOf(room: string): string {
  const folders = sourceFiles.filter(file => DIVIDED.has(room) && file.path.startsWith(`${room}/`))
  const names = folders.flatMap(file => file.path.split('/').slice(1, -1).slice(0, 1))
  return [...new Set(names)].join(' · ')
}

function importsByRoom(): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>()
  for (const { path: file, imports } of sourceFiles) {
    const from = roomOf(file)
    const targets = rooms.get(from) ?? new Set()
    rooms.set(from, targets)
    for (const name of imports.filter(one => /\.tsx?$/.test(one)))
      if (roomOf(name) !== from && (from === 'ways in' || roomOf(name) !== 'wings')) targets.add(roomOf(name))
  }
  return rooms
}

function reaches(imports: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const targets = imports.get(from)
  return targets !== undefined && (targets.has(to) || [...targets].some(next => reaches(imports, next, to)))
}

/** From the ground up: a room is one floor above the highest that it imports. */
function floorsOf(imports: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const floors: string[][] = []
  const floorOf = (room: string): number => Math.max(-1, ...[...(imports.get(room) ?? [])].map(floorOf)) + 1
  for (const room of imports.keys()) {
    const floor = floorOf(room)
    floors[floor] ??= []
    floors[floor].push(room)
  }
  return floors
}

function at<T>(all: ReadonlyMap<string, T>, room: string): T {
  return all.get(room) as T
}

/** From the lower side of a box to the upper side of another. */
function edge(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const [y1, y2] = [from.y + 20, to.y - 20]
  const bend = Math.min(40, (y2 - y1) / 2)
  // A long line goes around the boxes between.
  const long = y2 - y1 > ROW && Math.abs(from.x - to.x) < 40
  const side = long ? from.x + BOX * 0.75 : undefined
  const d =
    side === undefined
      ? `M${round(from.x)} ${round(y1)}C${round(from.x)} ${round(y1 + bend)} ${round(to.x)} ${round(y2 - bend)} ${round(to.x)} ${round(y2)}`
      : `M${round(from.x + 40)} ${round(y1)}C${round(side)} ${round(y1 + 30)} ${round(side)} ${round(y2 - 30)} ${round(to.x + 40)} ${round(y2)}`
  return path(d, 'edge')
}
