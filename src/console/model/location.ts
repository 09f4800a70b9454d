// The place in the console that the URL names: `#/live?world=checkout&status=5xx`. A view reads its state from here and
// writes it back, so that every state can be linked and the back button works.

import { computed, signal } from '@preact/signals'
import { parsePlace, type ViewPlace, writePlace } from './place.ts'

const current = signal<ViewPlace>(parsePlace(location.hash))
addEventListener('hashchange', () => {
  current.value = parsePlace(location.hash)
})

/** The id of the view in the URL. */
export const viewId = computed(() => current.value.view)

/** The value of a parameter of the URL; empty if it has none. Reading it in a component subscribes to it. */
export const parameter = (name: string): string => current.value.parameters[name] ?? ''

/** The world that the URL names; empty for all worlds. It is kept when the view changes. */
export const chosenWorld = computed(() => parameter('world'))
/** The world of the views that show one: the chosen one, else the default world. */
export const shownWorld = computed(() => chosenWorld.value || 'default')

/**
 * Changes parameters of the URL; the empty text or `undefined` removes one.
 *
 * @param how `push` makes an entry in the browser's history (a selection), `replace` does not (typing in a filter)
 */
export const setParameters = (
  changes: Readonly<Record<string, string | undefined>>,
  how: 'push' | 'replace' = 'replace',
): void => go({ view: viewId.value, parameters: { ...current.value.parameters, ...changes } }, how)

/** The URL of a view with these parameters and the world that is chosen: for links. */
export const hrefOf = (view: string, parameters: Readonly<Record<string, string>> = {}): string =>
  writePlace({ view, parameters: { world: chosenWorld.value, ...parameters } })

/** Opens a view. */
export const openView = (view: string, parameters: Readonly<Record<string, string>> = {}): void =>
  go({ view, parameters: { world: chosenWorld.value, ...parameters } }, 'push')

function go(place: ViewPlace, how: 'push' | 'replace'): void {
  const url = writePlace(place)
  if (url === location.hash) return
  if (how === 'push') history.pushState(null, '', url)
  else history.replaceState(null, '', url)
  current.value = parsePlace(url)
}
