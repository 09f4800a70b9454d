// Adds the stability of an operation to every reply, if the contract has `x-stability`.

import { type Reply, withHeaders } from '../kernel/http.ts'
import type { Behaviour } from './behaviour.ts'
import { setting } from './setting.ts'

export const stability: Behaviour<boolean> = {
  name: 'stability',
  decorates: true,
  schema: setting.flag('Whether replies carry the `x-stability` of their operation as `X-Stability`. Default: true.'),
  compile(config, { operation }) {
    if (operation.stability === undefined || config === false) return undefined
    const headers = { 'x-stability': operation.stability }
    const mark = (reply: Reply): Reply => withHeaders(reply, headers)
    return next => exchange => next(exchange).then(mark)
  },
  describe: (_, { operation }) => operation.stability,
}
