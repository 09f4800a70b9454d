// The request life-cycle, outermost first. Adding a behaviour is one file and one line here.

import { authenticate } from './authenticate.ts'
import type { Behaviour } from './behaviour.ts'
import { capacity } from './capacity.ts'
import { conditional } from './conditional.ts'
import { deprecatedInputs } from './deprecated-inputs.ts'
import { deprecation } from './deprecation.ts'
import { errors } from './errors.ts'
import { fault } from './fault.ts'
import { idempotency } from './idempotency.ts'
import { latency } from './latency.ts'
import { prefer } from './prefer.ts'
import { rateLimit } from './rate-limit.ts'
import { replies } from './replies.ts'
import { respond } from './respond/index.ts'
import { stability } from './stability.ts'
import { state } from './state.ts'
import { validate } from './validate/index.ts'

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
  respond, //      list · create · read · replace · update · delete · fixed · example
] as readonly Behaviour<unknown>[]
