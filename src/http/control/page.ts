// A web page that a wing serves on the port of the control plane. Types only.

import type Koa from 'koa'

export interface ControlPage {
  /** Whether a path belongs to the page, which needs no token; its calls of the control plane do. */
  owns(path: string): boolean
  /** Answers requests for the files of the page, and passes on all others. */
  readonly serve: Koa.Middleware
}
