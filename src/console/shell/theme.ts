// Light or dark: as the system has it, unless the person chose one here.

import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'understudy.theme'
const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const kept = localStorage.getItem(KEY) as Theme | null

export const theme = signal<Theme>(kept !== null && THEMES.includes(kept) ? kept : 'system')

/** Makes the page show the chosen theme; the colours are in `style/tokens.css`. */
export function applyTheme(): void {
  const { dataset } = document.documentElement
  if (theme.value === 'system') delete dataset.theme
  else dataset.theme = theme.value
}

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] as Theme
  localStorage.setItem(KEY, theme.value)
  applyTheme()
}
