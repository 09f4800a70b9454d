// The calendar of config/rehearsal.yaml: the life of its deprecated operation, and its last month, day by day.

import { join } from 'node:path'
import { restsFrom } from '../../../src/behaviours/deprecation.ts'
import { isoDate } from '../../../src/world/dates.ts'
import { loadPlan } from '../../support/load.ts'
import { line, picture, rect, text } from './svg.ts'

const ROOT = join(import.meta.dirname, '../../..')
const WIDTH = 760
const LEFT = 40
const RIGHT = WIDTH - 40
const DAY = 86_400_000

export function drawCalendar(): string {
  const { plan } = loadPlan('config/rehearsal.yaml', ROOT, {})
  const planned = plan?.operations.find(({ lifecycle }) => lifecycle?.brownouts !== undefined)
  if (planned?.lifecycle?.brownouts === undefined) throw new Error('the rehearsal has no brown-outs to draw')
  const { since, brownouts, sunset = since } = planned.lifecycle
  const rests = [...restsFrom(brownouts, since)]
  const first = rests[0]?.start as number
  const life = { from: since - 200 * DAY, to: sunset + 200 * DAY }
  const month = { from: first - DAY, to: sunset + DAY }
  const on = (scale: { from: number; to: number }, time: number) =>
    LEFT + ((time - scale.from) / (scale.to - scale.from)) * (RIGHT - LEFT)
  const at = (time: number) => on(life, time)
  const zoomed = (time: number) => on(month, time)
  const day = (time: number) => isoDate(time).slice(0, 10)
  const parts = [
    text(LEFT, 30, `${planned.operation.method} ${planned.route}`, 'mono'),
    rect(LEFT, 44, at(since) - LEFT, 22, 'soft', 0),
    rect(at(since), 44, at(first) - at(since), 22, 'accent', 0),
    rect(at(first), 44, at(sunset) - at(first), 22, 'warm', 0),
    rect(at(sunset), 44, RIGHT - at(sunset), 22, 'gone', 0),
    text(LEFT, 82, 'active', 'quiet small'),
    text(at(since), 82, `deprecated since ${day(since)}: Deprecation, Sunset, Link`, 'quiet small'),
    text(RIGHT, 82, `gone on ${day(sunset)}: 410`, 'quiet small', 'text-anchor="end"'),
    line(at(first), 66, LEFT, 116),
    line(at(sunset), 66, RIGHT, 116),
    text(
      LEFT,
      134,
      `the last ${Math.round((sunset - first) / DAY)} days: ${rests.length} brown-outs, each answers ${brownouts.answer}`,
    ),
    rect(LEFT, 144, zoomed(sunset) - LEFT, 30, 'soft', 0),
    ...rests.map(({ start, end }) =>
      rect(zoomed(start), 144, Math.max(0.4, zoomed(end) - zoomed(start)), 30, 'warm', 0),
    ),
    rect(zoomed(sunset), 144, RIGHT - zoomed(sunset), 30, 'gone', 0),
    text(zoomed(first), 190, `${day(first)}: ${lengthOf(rests[0])}`, 'quiet small'),
    text(
      zoomed(sunset),
      190,
      `${day(sunset)}: ${lengthOf(rests.at(-1))}, then gone`,
      'quiet small',
      'text-anchor="end"',
    ),
  ]
  return picture(WIDTH, 206, `The calendar of ${planned.operation.id}: deprecated, browning out, gone`, parts)
}

/** `10 min` or `5 h 49 min`. */
function lengthOf(rest: { readonly start: number; readonly end: number } | undefined): string {
  const minutes = rest === undefined ? 0 : Math.floor((rest.end - rest.start) / 60_000)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
