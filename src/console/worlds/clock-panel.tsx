// The clock of the shown world: its time, its speed, and jumps to a date or to the next event of the calendar.

import { useEffect, useState } from 'preact/hooks'
import type { ClockWords, WorldCalendar } from '../../http/control/types.ts'
import { pathTo, useNow, useReply } from '../model/control-plane.ts'
import { clock, restoreClock, type ShownClock, setClock, speedWords, worldTime } from '../model/gateway.ts'
import { hrefOf } from '../model/location.ts'
import { readMoment, writeDistance, writeMoment } from '../model/wording.ts'
import { Button, Select, TextField } from '../parts/controls.tsx'
import { perform } from '../parts/notices.tsx'

const SPEEDS = [1, 10, 60, 3600, 86400]
const STEPS = ['+1h', '+1d', '+30d'] as const

type ChangeClock = (change: ClockWords, done: string) => Promise<boolean>

export function ClockPanel({ world }: { world: string }) {
  const now = useNow(250)
  const state = clock.value?.state
  const time = worldTime(now)
  if (state === undefined || time === undefined) return <section class="bar clock-panel" aria-label="Clock" />
  const { real, frozen, rate } = state
  const change: ChangeClock = (order, done) => perform(() => setClock(world, order), done)
  const shown = new Date(time).toISOString()
  return (
    <section class="bar clock-panel" aria-label="Clock">
      <div>
        <p class="clock-time">
          <time dateTime={shown} class={real ? '' : 'tone-warn'}>
            {shown.slice(0, 10)} <b>{shown.slice(11, 19)}</b>
          </time>{' '}
          <span class="muted">UTC</span>
        </p>
        <p class="muted">{courseWords(state, time - now)}</p>
      </div>
      <div class="row clock-controls">
        <Button
          icon={frozen ? 'play' : 'pause'}
          aria-pressed={frozen}
          onClick={() => change({ freeze: !frozen }, frozen ? 'The clock runs.' : 'The clock is frozen.')}
        >
          {frozen ? 'Let it go on' : 'Freeze'}
        </Button>
        <Select
          label="Speed of the clock"
          value={String(rate)}
          options={[...new Set([rate, ...SPEEDS])].map(one => [`${one}`, speedWords(one)] as const)}
          onChange={next => change({ rate: Number(next) }, `The clock runs ${speedWords(Number(next))}.`)}
        />
        {STEPS.map(step => (
          <Button key={step} onClick={() => change({ now: step }, `The clock went on ${step}.`)}>
            {step}
          </Button>
        ))}
        {real ? null : (
          <Button icon="clock" onClick={() => perform(() => restoreClock(world), 'The clock shows real time.')}>
            Real time
          </Button>
        )}
        <JumpForm change={change} />
      </div>
      <NextEvent world={world} time={time} state={state} change={change} />
    </section>
  )
}

/** @param ahead milliseconds before real time */
function courseWords({ real, frozen, rate }: ShownClock, ahead: number): string {
  if (real) return 'Real time'
  const course = frozen ? 'Frozen' : `Running${rate === 1 ? '' : ` ${speedWords(rate)}`}`
  return Math.abs(ahead) < 2000 ? course : `${course}, ${writeDistance(ahead).replace(/^in (.*)$/, '$1 ahead')}`
}

function JumpForm({ change }: { change: ChangeClock }) {
  const [text, setText] = useState('')
  const [refused, setRefused] = useState(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const now = readMoment(text)
    setRefused(now === undefined)
    if (now === undefined) return
    const target = /^[+-]/.test(now) ? now : writeMoment(Date.parse(now))
    if (await change({ now }, `The clock jumped to ${target}.`)) setText('')
  }
  return (
    <form class="row" onSubmit={submit}>
      <TextField
        label="Jump to"
        error={
          refused ? 'Write a date, a date with a time, or an offset: 2030-12-06, 2030-12-06 09:30, +30d.' : undefined
        }
        placeholder="2030-12-06 09:30, or +30d"
        value={text}
        onText={setText}
      />
      <Button submits>Jump</Button>
    </form>
  )
}

interface NextEventProps {
  readonly world: string
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly state: ShownClock
  readonly change: ChangeClock
}

function NextEvent({ world, time, state: { real, rate }, change }: NextEventProps) {
  // Requests change records, so that it is loaded again each minute of real time.
  const calendar = pathTo`/worlds/${world}/calendar`
  const { value, reload } = useReply<WorldCalendar>(calendar, { query: { limit: 1 }, every: 60_000 })
  const next = value?.next
  const at = Date.parse(next?.at ?? '')
  const course = `${real} ${rate} ${Math.round((time - Date.now() * rate) / 10_000)}`
  // Also when the clock is set, and when the event has passed.
  useEffect(() => void reload(), [course, at <= time])
  if (next === undefined || at <= time) return null
  if (next === null) {
    return (
      <p class="muted next-event">
        Nothing is to come on the <a href={hrefOf('time')}>calendar</a>.
      </p>
    )
  }
  return (
    <p class="row next-event">
      <Button
        icon="calendar"
        onClick={() => change({ now: next.at }, `The clock jumped to ${writeMoment(at)}. Now: ${next.text}.`)}
      >
        Jump to the next event
      </Button>
      <span>{next.text}</span>
      <span class="muted">
        {writeMoment(at)}, {writeDistance(at - time)}
      </span>
    </p>
  )
}
