// Every route of the control plane. Adding one is an entry in the file of its noun.

import { answerRoutes } from './answers.ts'
import { calendarRoutes, clockRoutes } from './clock.ts'
import { configRoutes } from './config.ts'
import { historyRoutes } from './history.ts'
import { openApiRoute } from './openapi.ts'
import { deprecationRoutes, operationRoutes } from './operations.ts'
import { planRoutes } from './plan.ts'
import { statusRoutes, versionRoutes } from './program.ts'
import { collectionRoutes, resourceRoutes } from './records.ts'
import { requestRoutes } from './requests.ts'
import type { Control, ControlRoute } from './route.ts'
import { sendRoutes } from './send.ts'
import { snapshotRoutes } from './snapshot.ts'
import { weatherRoutes } from './weather.ts'
import { worldRoutes } from './worlds.ts'

/** @param select leaves out routes; `/openapi.json` then has none of them */
export function controlRoutes(
  control: Control,
  select: (routes: readonly ControlRoute[]) => readonly ControlRoute[] = routes => routes,
): ControlRoute[] {
  const routes = select([
    ...versionRoutes(control), // /version
    ...statusRoutes(control), // /metrics /healthz /readyz
    ...planRoutes(control), //   /plan /reload
    ...operationRoutes(control), // /operations/{operation}
    ...weatherRoutes(control), // /weather
    ...answerRoutes(control), // /answers /worlds/{name}/answers
    ...worldRoutes(control), //  /reset /worlds /worlds/{name} /worlds/{name}/reset
    ...clockRoutes(control), //  /worlds/{name}/clock
    ...collectionRoutes(control), // /worlds/{name}/collections/{collection}/{id}
    ...resourceRoutes(control), // /resources/{resource}
    ...calendarRoutes(control), // /worlds/{name}/calendar
    ...snapshotRoutes(control), // /worlds/{name}/snapshot
    ...historyRoutes(control), // /worlds/{name}/history /worlds/{name}/rewind
    ...requestRoutes(control), // /requests
    ...sendRoutes(control), // /requests/{id} /requests/{id}/replay
    ...deprecationRoutes(control), // /deprecations
    ...configRoutes(control), // /config
  ])
  return [...routes, openApiRoute(routes, control.about.version)]
}
