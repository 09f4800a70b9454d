// Starts the console: applies the theme and mounts the shell into the page.

import { render } from 'preact'
import { Shell } from './shell/shell.tsx'
import { applyTheme } from './shell/theme.ts'

applyTheme()
render(<Shell />, document.body)
