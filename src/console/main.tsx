// Starts the console: requests the first data, applies the theme and mounts the shell into the page.

import { render } from 'preact'
import { followAbout } from './model/about.ts'
import { view } from './model/location.ts'
import { followWorlds } from './model/worlds.ts'
import { Shell } from './shell/shell.tsx'
import { applyTheme } from './shell/theme.ts'
import { viewOf } from './shell/views.ts'

// The replies are on their way while the page is rendered for the first time.
viewOf(view.value).prepare?.()
followWorlds()
followAbout()
applyTheme()
render(<Shell />, document.body)
