// The frame around the views: navigation, the bar with world and clock, the banner of a lost connection, the token.

import { useEffect, useRef, useState } from 'preact/hooks'
import { about, refreshPlan } from '../model/about.ts'
import { connection, tryNow } from '../model/connection.ts'
import { underWay } from '../model/control-plane.ts'
import { hrefOf, view } from '../model/location.ts'
import { tokenQuestion } from '../model/token.ts'
import { Announcements } from '../parts/announce.tsx'
import { CommandLine } from '../parts/copy-button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { EmptyState, Progress } from '../parts/notices.tsx'
import { ClockDisplay } from './clock-display.tsx'
import { nextTheme, type Theme, theme } from './theme.ts'
import { TokenPrompt } from './token-prompt.tsx'
import { VIEWS, type View, viewOf } from './views.ts'
import { WorldChooser } from './world-chooser.tsx'

export function Shell() {
  const shown = viewOf(view.value)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${shown.title} · Understudy`
    // The configuration may have been reloaded since the last view was opened.
    if (!isFirst.current) refreshPlan().catch(() => undefined)
    isFirst.current = false
  }, [shown])
  return (
    <div class="shell">
      <button type="button" class="skip-link" onClick={skipToMain}>
        Skip to the content
      </button>
      <Navigation shown={shown} />
      <header class="top-bar">
        <h1>{shown.title}</h1>
        <p class="about">{shown.about}</p>
        <div class="top-tools">
          <WorldChooser all={shown.allWorlds === true} />
          <ClockDisplay />
          <ThemeSwitch />
        </div>
        <span class={`busy-line${underWay.value > 0 ? ' on' : ''}`} aria-hidden="true" />
      </header>
      <LostBanner />
      <main id="main" tabIndex={-1}>
        {shown.ofOneProcess && typeof about.value?.workers === 'number' ? (
          <ManyProcesses count={about.value.workers} />
        ) : (
          <LazyView key={shown.id} view={shown} />
        )}
      </main>
      <Announcements />
      {tokenQuestion.value === undefined ? null : <TokenPrompt refused={tokenQuestion.value} />}
    </div>
  )
}

/** A button and no link, since the hash of the URL is the place in the console. */
const skipToMain = (): void => document.getElementById('main')?.focus()

const ManyProcesses = ({ count }: { count: number }) => (
  <EmptyState icon="sliders" title={`${count} processes serve this API`}>
    <p>
      Requests, worlds and weather live in each of them, and the control plane is in none. Start the gateway without{' '}
      <code>--workers</code> to see and steer them here:
    </p>
    <CommandLine text="understudy serve" />
  </EmptyState>
)

const Navigation = ({ shown }: { shown: View }) => (
  <nav class="navigation" aria-label="Views">
    <a class="brand" href={hrefOf('live')} aria-label="Understudy, to the live view">
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
        <rect width="32" height="32" rx="8" class="brand-ground" />
        <path d="M9 8v9a7 7 0 0 0 14 0V8M9 26.500h14" class="brand-line" />
      </svg>
      <span>Understudy</span>
    </a>
    <ul>
      {VIEWS.map(({ id, title, about, icon }) => (
        <li key={id}>
          <a href={hrefOf(id)} title={about} aria-current={id === shown.id ? 'page' : undefined}>
            <Icon name={icon} size={18} />
            <span>{title}</span>
          </a>
        </li>
      ))}
    </ul>
    <ConnectionState />
  </nav>
)

const CONNECTION_WORDS = { connecting: 'Connecting', connected: 'Connected', lost: 'Connection lost' } as const

const ConnectionState = () => (
  <p class={`connection ${connection.value}`} role="status">
    <span class="dot" aria-hidden="true" />
    <span>{CONNECTION_WORDS[connection.value]}</span>
  </p>
)

const LostBanner = () =>
  connection.value === 'lost' ? (
    <div class="lost-banner" role="alert">
      <Icon name="warning" />
      <p>
        The gateway does not answer. The console keeps trying and goes on by itself when it is back. Start it with{' '}
        <code>understudy serve</code>.
      </p>
      <button type="button" class="button" onClick={tryNow}>
        Try now
      </button>
    </div>
  ) : null

const THEME_ICONS: Readonly<Record<Theme, IconName>> = { system: 'display', light: 'sun', dark: 'moon' }

const ThemeSwitch = () => (
  <button
    type="button"
    class="button quiet icon-only"
    aria-label={`Theme: ${theme.value}. Change it`}
    title={`Theme: ${theme.value}`}
    onClick={nextTheme}
  >
    <Icon name={THEME_ICONS[theme.value]} />
  </button>
)

/** A view, once its code is there. */
function LazyView({ view: shown }: { view: View }) {
  const [loading] = useState(shown.load)
  const [found, setFound] = useState(loading instanceof Promise ? undefined : { view: loading })
  const [failed, setFailed] = useState(false)
  const wanted = useRef(true)
  useEffect(() => {
    wanted.current = true
    if (!(loading instanceof Promise)) return
    loading.then(
      component => wanted.current && setFound({ view: component }),
      () => wanted.current && setFailed(true),
    )
    return () => {
      wanted.current = false
    }
  }, [loading])
  if (failed) {
    return (
      <div class="problem" role="alert">
        <p class="problem-detail">This part of the console could not be loaded: the gateway may have been updated.</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    )
  }
  if (found === undefined) return <Progress />
  return <found.view />
}
