// An engine of a state whose answers are late at random.

import type { Engine } from '../../src/state/engines/engine.ts'
import { breathe } from '../../src/world/real-time.ts'

/** An engine that sometimes answers late, so that other operations come in between. */
export function slow(engine: Engine, late: () => boolean): Engine {
  const pause = async () => {
    while (late()) await breathe()
  }
  const since: Engine['since'] = async after => {
    await pause()
    const news = await engine.since(after)
    await pause()
    return news
  }
  const append: Engine['append'] = async (after, entries) => {
    await pause()
    const result = await engine.append(after, entries)
    await pause()
    return result
  }
  return new Proxy(engine, {
    get(target, key) {
      if (key === 'since') return since
      if (key === 'append') return append
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
