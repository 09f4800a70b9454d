// The list of the wings, in the order in which they may use each other: a later one an earlier one. Adding a wing is a folder below
// `wings/` and its lines here.

import type { Wing } from './cli/command.ts'
import type { Gateway } from './gateway/gateway.ts'
import { advice } from './wings/advice/wing.ts'
import { consoleWing } from './wings/console/wing.ts'
import { type CoverageSteering, steerCoverage } from './wings/coverage/steering.ts'
import { coverage } from './wings/coverage/wing.ts'
import { deprecations } from './wings/deprecations/wing.ts'
import { drift } from './wings/drift/wing.ts'
import { effects } from './wings/effects/wing.ts'
import { importing } from './wings/import/wing.ts'
import { infer } from './wings/infer/wing.ts'
import { mcp } from './wings/mcp/wing.ts'
import { next } from './wings/next/wing.ts'
import { overlay } from './wings/overlay/wing.ts'
import { probe } from './wings/probe/wing.ts'
import { project } from './wings/project/wing.ts'
import { realApi } from './wings/real-api/wing.ts'
import { record } from './wings/record/wing.ts'
import { redis } from './wings/redis/wing.ts'
import { stateFile } from './wings/state-file/wing.ts'
import { streams } from './wings/streams/wing.ts'
import { swagger } from './wings/swagger/wing.ts'
import { steerTokens, type TokenSteering } from './wings/tokens/steering.ts'
import { tokens } from './wings/tokens/wing.ts'
import { steerWebhooks, type WebhookSteering } from './wings/webhooks/steering.ts'
import { webhooks } from './wings/webhooks/wing.ts'
import { workers } from './wings/workers/wing.ts'

export type { CoverageFilter } from './wings/coverage/coverage.ts'
export type { CoverageReport, CoverageTotals, CoveredItem, CoveredOperation } from './wings/coverage/report.ts'
export type { TokenFlaw, TokenOrder } from './wings/tokens/mint.ts'
export type { DeliveryFilter } from './wings/webhooks/deliveries.ts'
export type { MadeUp } from './wings/webhooks/steering.ts'
export type { Attempt, Delivery, DeliveryVerdict, OtherDelivery, SubscriptionName } from './wings/webhooks/types.ts'

/** @internal The library exports the types of this file only. */
export const WINGS: readonly Wing[] = [
  swagger,
  stateFile,
  redis,
  workers,
  overlay,
  advice,
  probe,
  effects,
  streams,
  infer,
  realApi,
  project,
  record,
  drift,
  importing,
  coverage,
  deprecations,
  next,
  webhooks,
  tokens,
  mcp,
  consoleWing,
]

/** The members that wings add to a gateway of the library. */
export interface WingSteering extends CoverageSteering {}
export interface WingSteering extends TokenSteering {}
export interface WingSteering extends WebhookSteering {}

const STEERINGS: readonly ((gateway: Gateway) => object)[] = [steerCoverage, steerTokens, steerWebhooks]

/** @internal */
export const steerWings = (gateway: Gateway): WingSteering =>
  Object.assign({}, ...STEERINGS.map(steer => steer(gateway)))
