// The clock of the shown world: its time, its speed, and jumps to a date or to the next thing on the calendar.

import { useEffect, useState } from 'preact/hooks'
import type { CalendarEvent } from '../../http/control/types.ts'
import { type ClockOrder, loadCalendar, restoreClock, setClock } from '../model/calendar.ts'
import { epoch } from '../model/connection.ts'
import { hrefOf } from '../model/location.ts'
import { distanceOf, momentIn, momentOf } from '../model/moments.ts'
import { type ClockState, clock, worldTime } from '../model/worlds.ts'
import { announce, attempt } from '../parts/announce.tsx'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'

const SPEEDS = [1, 10, 60, 3600, 86_400] as const
const SPEED_WORDS: Readonly<Record<number, string>> = {
  1: 'as time goes',
  10: '10 × as fast',
  60: 'a minute a second',
  3600: 'an hour a second',
  86400: 'a day a second',
}
const STEPS = ['+1h', '+1d', '+30d'] as const

export function ClockPanel({ world }: { world: string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  const state = clock.value?.state
  const time = worldTime(now)
  if (state === undefined || time === undefined) return <section class="clock-panel" aria-label="Clock" />
  const change = (order: ClockOrder, done: string): Promise<boolean> =>
    attempt(() => setClock(world, order, state), done)
  const shown = new Date(time).toISOString()
  return (
    <section class="clock-panel" aria-label="Clock">
      <div class="clock-face">
        <p class={`clock-time number${state.real ? '' : ' adjusted'}`}>
          <time dateTime={shown}>
            {shown.slice(0, 10)} <b>{shown.slice(11, 19)}</b>
          </time>
          <span class="muted"> UTC</span>
        </p>
        <p class="muted clock-words">{describeClock(state, time - now)}</p>
      </div>
      <div class="clock-controls">
        <div class="tools">
          <button
            type="button"
            class="button"
            aria-pressed={state.frozen}
            onClick={() =>
              state.frozen
                ? change({ freeze: false }, 'The clock runs.')
                : change({ freeze: true }, 'The clock is frozen.')
            }
          >
            <Icon name={state.frozen ? 'play' : 'pause'} />
            {state.frozen ? 'Let it go on' : 'Freeze'}
          </button>
          <label class="speed">
            <span class="visually-hidden">Speed of the clock</span>
            <select
              value={String(state.frozen ? 0 : state.rate)}
              onChange={event => {
                const rate = Number((event.currentTarget as HTMLSelectElement).value)
                void change({ rate }, `The clock runs ${SPEED_WORDS[rate] ?? `${rate} × as fast`}.`)
              }}
            >
              {state.frozen ? <option value="0">frozen</option> : null}
              {[...new Set([...SPEEDS, ...(state.frozen ? [] : [state.rate])])].map(rate => (
                <option key={rate} value={String(rate)}>
                  {SPEED_WORDS[rate] ?? `${rate} × as fast`}
                </option>
              ))}
            </select>
          </label>
          {STEPS.map(step => (
            <button
              key={step}
              type="button"
              class="button"
              onClick={() => change({ now: step }, `The clock went on ${step}.`)}
            >
              {step}
            </button>
          ))}
          {state.real ? null : (
            <button
              type="button"
              class="button"
              onClick={() => attempt(() => restoreClock(world), 'The clock shows real time.')}
            >
              <Icon name="clock" />
              Real time
            </button>
          )}
        </div>
        <JumpForm change={change} />
      </div>
      <NextThing world={world} time={time} state={state} change={change} />
    </section>
  )
}

type Change = (order: ClockOrder, done: string) => Promise<boolean>

/** @param ahead milliseconds before real time */
function describeClock({ real, frozen, rate }: ClockState, ahead: number): string {
  if (real) return 'Real time'
  const course = frozen ? 'Frozen' : rate === 1 ? 'Running' : `Running ${SPEED_WORDS[rate] ?? `${rate} × as fast`}`
  return Math.abs(ahead) < 2000 ? course : `${course}, ${distanceOf(ahead).replace(/^in (.*)$/, '$1 ahead')}`
}

function JumpForm({ change }: { change: Change }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | undefined>()
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const now = momentIn(text)
    if (now === undefined) {
      setError('Write a date, a date with a time, or an offset: 2030-12-06, 2030-12-06 09:30, +30d.')
      return
    }
    setError(undefined)
    const target = /^[+-]/.test(now) ? now : momentOf(Date.parse(now))
    if (await change({ now }, `The clock jumped to ${target}.`)) setText('')
  }
  return (
    <form class="jump" onSubmit={submit}>
      <Field label="Jump to" error={error}>
        <input
          placeholder="2030-12-06 09:30, or +30d"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={event => setText((event.currentTarget as HTMLInputElement).value)}
        />
      </Field>
      <button type="submit" class="button">
        Jump
      </button>
    </form>
  )
}

interface NextThingProps {
  readonly world: string
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly state: ClockState
  readonly change: Change
}

function NextThing({ world, time, state, change }: NextThingProps) {
  const [next, setNext] = useState<CalendarEvent | null | undefined>()
  const passed = next !== null && next !== undefined && Date.parse(next.at) <= time
  const generation = epoch.value
  // Loaded again when the clock is set, when the event has passed, and each minute of real time, since records change.
  const minute = Math.floor(Date.now() / 60_000)
  const course = `${state.real} ${state.rate} ${Math.round((time - Date.now() * state.rate) / 10_000)}`
  useEffect(() => {
    const abort = new AbortController()
    loadCalendar(world, { limit: 1 }, { signal: abort.signal, quiet: true }).then(
      calendar => setNext(calendar.next),
      () => undefined,
    )
    return () => abort.abort()
  }, [world, course, passed, minute, generation])
  if (next === undefined || passed) return null
  if (next === null) {
    return (
      <p class="next-thing muted">
        Nothing is to come on the <a href={hrefOf('time')}>calendar</a>.
      </p>
    )
  }
  const at = Date.parse(next.at)
  const jump = async (): Promise<void> => {
    if (await change({ now: next.at }, `The clock jumped to ${momentOf(at)}.`)) announce(`Now: ${next.text}.`)
  }
  return (
    <p class="next-thing">
      <button type="button" class="button" onClick={jump}>
        <Icon name="calendar" />
        Jump to the next event
      </button>
      <span class="truncate" title={next.text}>
        {next.text}
      </span>
      <span class="muted">
        {momentOf(at)}, {distanceOf(at - time)}
      </span>
    </p>
  )
}
