// Starts the console: applies the theme and mounts the shell into the page.

import { render } from 'preact'
import { applyTheme, Shell } from './shell/shell.tsx'

applyTheme()
render(<Shell />, document.body)
