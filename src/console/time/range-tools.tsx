// The buttons that choose which part of the time the axis shows.

import { DAY } from '../model/moments.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { pan, rangeAround, type TimeRange, zoom } from './axis.ts'

export interface RangeToolsProps {
  readonly range: TimeRange
  /** The time of the world, in milliseconds since the epoch. */
  readonly time: number
  /** Takes the part that is to be shown; `undefined` for all. */
  readonly onRange: (range: TimeRange | undefined) => void
}

const LENGTHS = [
  ['Year', 366 * DAY],
  ['Month', 31 * DAY],
  ['Day', DAY],
] as const

export const RangeTools = ({ range, time, onRange }: RangeToolsProps) => (
  <div class="tools" role="group" aria-label="The time that is shown">
    <IconButton label="Earlier" icon="left" onClick={() => onRange(pan(range, -0.5))} />
    <button type="button" class="button" onClick={() => onRange(undefined)}>
      All
    </button>
    {LENGTHS.map(([title, length]) => (
      <button key={title} type="button" class="button" onClick={() => onRange(rangeAround(time, length))}>
        {title}
      </button>
    ))}
    <IconButton label="Later" icon="right" onClick={() => onRange(pan(range, 0.5))} />
    <IconButton label="Show less time" icon="plus" onClick={() => onRange(zoom(range, 0.5, time))} />
    <IconButton label="Show more time" icon="minus" onClick={() => onRange(zoom(range, 2, time))} />
  </div>
)

const IconButton = ({ label, icon, onClick }: { label: string; icon: IconName; onClick: () => void }) => (
  <button type="button" class="button icon-only" aria-label={label} title={label} onClick={onClick}>
    <Icon name={icon} />
  </button>
)
