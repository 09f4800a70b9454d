// Shows the time of the shown world, and the state of its clock.

import { useEffect, useState } from 'preact/hooks'
import { type ClockState, clock, worldTime } from '../model/worlds.ts'
import { Icon } from '../parts/icon.tsx'

export function ClockDisplay() {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const time = worldTime(now)
  if (time === undefined || clock.value === undefined) return null
  const { state } = clock.value
  const shown = new Date(time).toISOString()
  return (
    <p class={`clock-display${state.real ? '' : ' adjusted'}`} title="The clock of this world, in UTC">
      <Icon name="clock" />
      <time dateTime={shown}>
        {shown.slice(0, 10)} <b>{shown.slice(11, 19)}</b>
      </time>
      <span class="clock-mode">{modeOf(state)}</span>
    </p>
  )
}

function modeOf({ real, frozen, rate }: ClockState): string {
  if (real) return 'real time'
  if (frozen) return 'frozen'
  return rate === 1 ? 'travelled' : `×${rate}`
}
