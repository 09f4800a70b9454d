// Answers of a wing on the port of the control plane beside its routes: a web page, for instance. Types only.

import type Koa from 'koa'

export interface ControlPage {
  /** Whether a path is open to clients without the token. */
  owns(path: string): boolean
  /** Answers requests for its own paths, and passes on all others. */
  readonly serve: Koa.Middleware
}
