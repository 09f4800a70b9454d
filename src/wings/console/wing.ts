// The console: serves the page, and what it alone asks for.

import type { Wing } from '../../cli/command.ts'
import { consolePage } from './console-files.ts'
import replySchemas from './reply-schemas.json' with { type: 'json' }

export const consoleWing: Wing = {
  name: 'console',
  page: consolePage,
  routes: async control => [
    ...(await import('./operation-routes.ts')).operationRoutes(control),
    ...(await import('./calendar-routes.ts')).calendarRoutes(control),
  ],
  replySchemas,
  extensions: {
    serve: {
      options: { open: { about: 'open the console in a browser' } },
      async started({ controlOrigin }, { switches }, { platform, complain }) {
        if (!switches.has('open')) return
        const { openBrowser } = await import('./open-browser.ts')
        openBrowser(controlOrigin, platform, url => complain(`understudy: no browser could be opened; open ${url}\n`))
      },
    },
  },
}
