// Every view of the console. Adding one is an entry here and a folder with its component. The first view comes with the
// page, so that its rows are there soon; the others are loaded when they are first opened.

import type { ComponentType } from 'preact'
import { UntouchedParts } from '../../wings/coverage/view.tsx'
import { LiveView } from '../live/live-view.tsx'
import type { OperationTab } from '../operations/operations-view.tsx'
import type { IconName } from '../parts/controls.tsx'

export interface View {
  /** Its name in the URL. */
  readonly id: string
  readonly title: string
  /** One sentence for the navigation's tooltip and for the heading. */
  readonly about: string
  readonly icon: IconName
  /** Whether the view shows all worlds at once, or the chosen one (unset: the default world). Unset where no world is chosen above. */
  readonly worlds?: 'all' | 'one'
  /** Whether its data is in the serving process, so that it is not available with several processes (`--workers`). */
  readonly ofOneProcess?: boolean
  readonly load: () => Promise<ComponentType>
}

/** The tabs of wings about one operation, beside the list of operations. */
const OPERATION_TABS: readonly OperationTab[] = [{ id: 'coverage', title: 'Coverage', Panel: UntouchedParts }]

export const VIEWS: readonly View[] = [
  {
    id: 'live',
    title: 'Live',
    about: 'Requests and their explanations.',
    icon: 'pulse',
    worlds: 'all',
    ofOneProcess: true,
    load: async () => LiveView,
  },
  {
    id: 'operations',
    title: 'Operations',
    about: 'Their rates and latencies, and their next replies.',
    icon: 'plug',
    worlds: 'all',
    ofOneProcess: true,
    load: async () => (await import('../operations/operations-view.tsx')).operationsViewWith(OPERATION_TABS),
  },
  {
    id: 'worlds',
    title: 'Worlds',
    about: 'Their clocks and their records.',
    icon: 'globe',
    ofOneProcess: true,
    load: async () => (await import('../worlds/worlds-view.tsx')).WorldsView,
  },
  {
    id: 'time',
    title: 'Time',
    about: 'The calendar, and the clock of the world.',
    icon: 'calendar',
    worlds: 'one',
    load: async () => (await import('../time/time-view.tsx')).TimeView,
  },
  {
    id: 'deprecations',
    title: 'Deprecations',
    about: 'Who still calls what is deprecated.',
    icon: 'hourglass',
    ofOneProcess: true,
    load: async () => (await import('../../wings/deprecations/view.tsx')).DeprecationsView,
  },
  {
    id: 'weather',
    title: 'Weather',
    about: 'Latency, faults and limits, set and measured.',
    icon: 'cloud',
    worlds: 'all',
    load: async () => (await import('../weather/weather-view.tsx')).WeatherView,
  },
  {
    id: 'webhooks',
    title: 'Webhooks',
    about: 'The deliveries to receivers, and their attempts.',
    icon: 'upload',
    worlds: 'all',
    ofOneProcess: true,
    load: async () => (await import('../../wings/webhooks/view.tsx')).WebhooksView,
  },
  {
    id: 'tokens',
    title: 'Tokens',
    about: 'The endpoints of the issuers, and tokens for tests.',
    icon: 'check',
    worlds: 'one',
    load: async () => (await import('../../wings/tokens/view.tsx')).TokensView,
  },
  {
    id: 'drift',
    title: 'Drift',
    about: 'Where the real API differs from the contract.',
    icon: 'warning',
    ofOneProcess: true,
    load: async () => (await import('../../wings/drift/view.tsx')).DriftView,
  },
  {
    id: 'next',
    title: 'Next',
    about: 'Who breaks on the next contract.',
    icon: 'next',
    load: async () => (await import('../../wings/next/view.tsx')).NextView,
  },
  {
    id: 'configuration',
    title: 'Configuration',
    about: 'The gateway file, checked while you type.',
    icon: 'sliders',
    load: async () => (await import('../configuration/configuration-view.tsx')).ConfigurationView,
  },
]
