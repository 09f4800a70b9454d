// The routes of the control plane in the primary of several processes.

import type { ControlRoute } from '../../http/control/route.ts'

/**
 * Returns the routes that the primary of several processes has (see `ControlRoute.underWorkers`).
 *
 * @param isShared whether the processes share their state
 * @param resetWorkers resets every worker
 */
export function primaryRoutes(
  routes: readonly ControlRoute[],
  isShared: boolean,
  resetWorkers: () => void,
): ControlRoute[] {
  if (isShared) return routes.filter(({ underWorkers }) => underWorkers !== 'absent')
  return routes.flatMap(route => {
    if (route.underWorkers === 'always') return route
    if (route.underWorkers !== 'reset') return []
    const handle: ControlRoute['handle'] = call => {
      resetWorkers()
      return route.handle(call)
    }
    return { ...route, handle }
  })
}
