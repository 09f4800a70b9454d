// The request life-cycle of the house, outermost first, but for `respond`, which ends it and is made of the responders of the house
// and of wings. Adding a behaviour is one file and one line here.

import { authenticate } from './authenticate.ts'
import type { Behaviour } from './behaviour.ts'
import { conditional } from './conditional.ts'
import { deprecatedInputs, deprecation, stability } from './deprecation.ts'
import { errors } from './errors.ts'
import { fault } from './fault/index.ts'
import { idempotency } from './idempotency.ts'
import { latency } from './latency.ts'
import { capacity, rateLimit } from './limits.ts'
import { prefer } from './prefer.ts'
import { replies } from './replies.ts'
import { inTurns } from './turns.ts'
import { validate } from './validate/index.ts'

/**
 * Runs the part of the chain that may change a recorded world in its turn (see `Recorder`). Without recorded worlds it is not in
 * the chain.
 */
const state: Behaviour<never> = {
  name: 'state',
  compile: (_, { recorded, maxBody, passesOn, resources }) =>
    // No turn waits for another server, whose replies change nothing here.
    recorded && passesOn === undefined ? inTurns(maxBody, resources) : undefined,
}

// Each behaviour's schema has checked its configuration, so the list need not know its type.
export const behaviours = [
  errors, //       every refusal in the shape of this API
  replies, //      500 or a warning for a reply that breaks the contract
  stability, //    X-Stability
  deprecation, //  headers; brown-outs; 410 after the sunset
  capacity, //     limits concurrent requests, queues others; 503
  latency, //      waits by the world's clock
  fault, //        an error status, or a fault of the connection
  prefer, //       the reply that the client chose; 404 if it is not documented
  authenticate, // 401
  state, //        runs the rest in a turn, if changes of worlds are recorded
  rateLimit, //    429
  deprecatedInputs, // counts deprecated inputs; Understudy-Warning
  validate, //     400 404 413 415
  idempotency, //  409 422; the first reply again
  conditional, //  304 412 428
  // respond:      list · create · read · replace · update · delete · status · example · file, and the kinds of wings
] as readonly Behaviour<unknown>[]
