// The page of the console begins here: the frame around the views, with navigation, the bar with world and clock, the banner of a
// lost connection, and the question for the token.

import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import {
  chosenWorld,
  clock,
  connection,
  giveToken,
  hrefOf,
  knownWorlds,
  reconnect,
  refreshPlan,
  refreshWorlds,
  runningVersion,
  setParameters,
  speedWords,
  tokenQuestion,
  underWay,
  useLoaded,
  useNow,
  usePolling,
  viewId,
  worldTime,
} from '../model/gateway.ts'
import {
  Announcements,
  Button,
  EmptyState,
  Icon,
  type IconName,
  Note,
  ProblemNotice,
  Select,
  Spinner,
  TaskForm,
  TextField,
  Timestamp,
} from '../parts/controls.tsx'
import { CommandBox, Dialog } from '../parts/panels.tsx'
import { VIEWS, type View } from './views.ts'

function Shell() {
  const shown = VIEWS.find(({ id }) => id === viewId.value) ?? (VIEWS[0] as View)
  // Requests make sandboxes, and scripts set clocks.
  usePolling(refreshWorlds, 4000)
  // The configuration may have been reloaded since the last view was opened.
  useLoaded(shown.id, refreshPlan)
  useEffect(() => {
    document.title = `${shown.title} · Understudy`
  }, [shown])
  const workers = runningVersion.value?.workers
  return (
    <div class="shell">
      {/* A button and no link, since the hash of the URL is the place in the console. */}
      <button
        type="button"
        class="skip-link button visually-hidden"
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to the content
      </button>
      <Navigation shown={shown} />
      <header class="bar top-bar">
        <h1>{shown.title}</h1>
        <p class="muted truncate">{shown.about}</p>
        <Announcements />
        {shown.worlds && <WorldChooser all={shown.worlds === 'all'} />}
        {shown.worlds && <ClockDisplay />}
        <span class={`spinner ${underWay.value > 0 ? 'on' : ''}`} aria-hidden="true" />
        <ThemeSwitch />
      </header>
      {connection.value === 'lost' && (
        <div class="lost-banner problem stack" role="alert">
          <Note text="The gateway does not answer. The console keeps trying and goes on by itself when it is back. Start it with `understudy serve`." />
          <Button onClick={() => reconnect(0)}>Try now</Button>
        </div>
      )}
      <main id="main" class="scroll" tabIndex={-1}>
        {shown.ofOneProcess && typeof workers === 'number' ? (
          <EmptyState
            icon="sliders"
            title={`${workers} processes serve this API`}
            text="Requests, worlds and weather live in each of them, and the control plane is in none. Start the gateway without `--workers` to see and steer them here:"
          >
            <CommandBox text="understudy serve" />
          </EmptyState>
        ) : (
          <LazyView key={shown.id} view={shown} />
        )}
      </main>
      {tokenQuestion.value !== undefined && <TokenPrompt refusal={tokenQuestion.value} />}
    </div>
  )
}

const CONNECTIONS = {
  connecting: ['plain', 'Connecting'],
  connected: ['good', 'Connected'],
  lost: ['bad', 'Connection lost'],
} as const

function Navigation({ shown }: { shown: View }) {
  const current = useRef<HTMLAnchorElement>(null)
  // In a narrow window the list scrolls.
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [shown])
  return (
    <nav class="navigation" aria-label="Views">
      <a class="brand entry row" href={hrefOf('live')} aria-label="Understudy, to the live view">
        <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
          <rect width="32" height="32" rx="8" fill="var(--accent-ground)" />
          <path d="M9 8v9a7 7 0 0 0 14 0V8M9 26.5h14" fill="none" stroke="var(--on-accent)" stroke-width="3" />
        </svg>
        <b>Understudy</b>
      </a>
      <ul>
        {VIEWS.map(({ id, title, about, icon }) => (
          <li key={id}>
            <a
              ref={id === shown.id ? current : undefined}
              class="entry row"
              href={hrefOf(id)}
              title={about}
              aria-label={title}
              aria-current={id === shown.id ? 'page' : undefined}
            >
              <Icon name={icon} size={18} />
              <span>{title}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class={`connection row tone-${CONNECTIONS[connection.value][0]}`} role="status">
        ● <span class="muted">{CONNECTIONS[connection.value][1]}</span>
      </p>
    </nav>
  )
}

/** Chooses the world that the views show. @param all whether the view can show all worlds at once */
function WorldChooser({ all }: { all: boolean }) {
  const names = knownWorlds.value.map(({ name }) => name).filter(name => all || name !== 'default')
  return (
    <div class="row nowrap">
      <span class="muted world-label">World</span>
      <Select
        label="World"
        value={all || chosenWorld.value !== 'default' ? chosenWorld.value : ''}
        options={[['', all ? 'All worlds' : 'default'], ...names]}
        onChange={world => setParameters({ world }, 'push')}
      />
    </div>
  )
}

/** Shows the time of the shown world, and the state of its clock. */
function ClockDisplay() {
  const time = worldTime(useNow(1000))
  if (time === undefined || clock.value === undefined) return null
  const { real, rate } = clock.value
  return (
    <p
      class={`clock-display row nowrap ${real ? 'muted' : 'tone-warn adjusted'}`}
      title="The clock of this world, in UTC"
    >
      <Icon name="clock" />
      <Timestamp at={time} />
      <span class="clock-mode">{real ? 'real time' : rate === 1 ? 'travelled' : speedWords(rate)}</span>
    </p>
  )
}

const THEME_ICONS = { system: 'display', light: 'sun', dark: 'moon' } as const satisfies Record<string, IconName>
type Theme = keyof typeof THEME_ICONS
const THEMES = Object.keys(THEME_ICONS) as Theme[]
const STORED_THEME = 'understudy.theme'

/** Light or dark: as the system has it, unless the person chose one here. */
const theme = signal<Theme>(THEMES.find(name => name === localStorage.getItem(STORED_THEME)) ?? 'system')

// The colours are in `style/base.css`.
effect(() => {
  document.documentElement.dataset.theme = theme.value
  localStorage.setItem(STORED_THEME, theme.value)
})

function ThemeSwitch() {
  const change = (): void => {
    theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] as Theme
  }
  return (
    <Button kind="quiet" icon={THEME_ICONS[theme.value]} label={`Theme: ${theme.value}. Change it`} onClick={change} />
  )
}

/** A view, once its code is there. */
function LazyView({ view: { id, load } }: { view: View }) {
  const { value, error } = useLoaded(id, async () => ({ Loaded: await load() }))
  if (error !== undefined) {
    const updated = new Error('This part of the console could not be loaded: the gateway may have been updated.')
    return <ProblemNotice error={updated} retry={() => location.reload()} />
  }
  return value === undefined ? <Spinner /> : <value.Loaded />
}

/** Asks for the control token, once for the tab. @param refusal that of the previous token; empty if none was entered */
function TokenPrompt({ refusal }: { refusal: string }) {
  const [token, setToken] = useState('')
  return (
    <Dialog title="This control plane asks for a token">
      <TaskForm action="Continue" work={async () => giveToken(token.trim())}>
        <Note text="The gateway was started with `UNDERSTUDY_CONTROL_TOKEN`. The token stays in this tab and is forgotten when you close it." />
        <TextField
          label="Control token"
          error={refusal || undefined}
          type="password"
          required
          value={token}
          onChange={setToken}
        />
      </TaskForm>
    </Dialog>
  )
}

render(<Shell />, document.body)
