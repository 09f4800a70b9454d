// The parts that the actions on one record are compiled from.

import type { BrokenRule } from '../../kernel/problem.ts'
import type { Handler, Site } from '../behaviour.ts'
import type { Resource } from '../resource.ts'
import type { ActionConfig } from './config.ts'
import type { Within } from './key.ts'
import type { Give } from './reply.ts'

/** An action's configuration, compiled. */
export interface ActionParts {
  readonly resource: Resource
  readonly site: Site
  readonly within: Within | undefined
  readonly give: Give
  readonly config: ActionConfig
}
export type CompileAction = (parts: ActionParts) => Handler

export const NO_RULES: readonly BrokenRule[] = []
