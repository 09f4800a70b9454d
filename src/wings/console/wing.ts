// The console: serves the page, and what it alone asks for.

import type { Wing } from '../../cli/command.ts'

export const consoleWing: Wing = {
  name: 'console',
  routes: async control => (await import('./operation-routes.ts')).operationRoutes(control),
}
