// The route of the drift.

import { Mask } from '../../gateway/mask.ts'
import { json } from '../../http/control/replies.ts'
import { type Control, replyWith, shape, under } from '../../http/control/route.ts'
import { driftObserver } from './observe.ts'

export const driftRoutes = ({ gateway }: Control) => {
  const drift = gateway.observed(driftObserver)
  return under('absent', {
    getDrift: {
      at: 'GET /drift',
      summary:
        'The differences between the replies of the real API and the contract, since the configuration was loaded.',
      replies: { 200: replyWith('The findings, by operation and part.', shape('LiveDriftReport')) },
      handle: () => json(drift.report(new Mask(gateway.plan))),
    },
  })
}
