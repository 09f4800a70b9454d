// Every route of the control plane. Adding one is an entry in the file of its noun.

import { openApiRoute } from './openapi.ts'
import { planRoutes } from './plan.ts'
import type { Control, Route } from './route.ts'
import { statusRoutes } from './status.ts'
import { worldRoutes } from './worlds.ts'

export function controlRoutes(control: Control, version: string): Route[] {
  const routes = [
    ...statusRoutes(control), // /metrics /healthz /readyz
    ...planRoutes(control), //   /plan /reload
    ...worldRoutes(control), //  /reset
  ]
  return [...routes, openApiRoute(routes, version)]
}
