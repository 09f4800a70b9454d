// Every route of the control plane: those of the house, and those of wings. Adding one is an entry in the file of its noun.

import { clockRoutes } from './clock.ts'
import { configurationRoutes } from './configuration.ts'
import { historyRoutes } from './history.ts'
import { openApiRoute } from './openapi.ts'
import { answerRoutes, weatherRoutes } from './overrides.ts'
import { programRoutes } from './program.ts'
import { recordRoutes } from './records.ts'
import { requestRoutes } from './requests.ts'
import type { Control, ControlRoute } from './route.ts'
import { worldRoutes } from './worlds.ts'

/** @param select leaves out routes; `/openapi.json` then has none of them */
export async function controlRoutes(
  control: Control,
  select: (routes: readonly ControlRoute[]) => readonly ControlRoute[] = routes => routes,
): Promise<ControlRoute[]> {
  const ofWings = await Promise.all(control.wings.map(wing => wing.routes?.(control) ?? []))
  const routes = select([
    ...programRoutes(control), // /version /metrics /healthz /readyz
    ...configurationRoutes(control), // /config /plan /contract /reload
    ...weatherRoutes(control), // /weather /worlds/{name}/weather
    ...answerRoutes(control), //  /answers /worlds/{name}/answers
    ...worldRoutes(control), //   /reset /worlds/{name} /worlds/{name}/snapshot
    ...clockRoutes(control), //   /worlds/{name}/clock /worlds/{name}/calendar
    ...recordRoutes(control), //  /worlds/{name}/collections/{collection}/{id} /resources/{resource}
    ...historyRoutes(control), // /worlds/{name}/history /worlds/{name}/rewind
    ...requestRoutes(control), // /requests
    ...ofWings.flat(),
  ])
  const schemas = control.wings.map(({ replySchemas }) => replySchemas)
  return [...routes, openApiRoute(routes, control.about.version, schemas)]
}
