// The gateway behind the page: its version, the address of its API and its plan, which views ask for names.

import { effect, signal } from '@preact/signals'
import type { DescribedPlan } from '../../http/control/types.ts'
import { epoch } from './connection.ts'
import { call } from './control-plane.ts'

export interface About {
  readonly version: string
  readonly title: string
  /** The address of the API: `http://127.0.0.1:4010`. */
  readonly api: string
  readonly basePaths: readonly string[]
  /** A command that the API answers with success; absent if it needs a secret key. */
  readonly firstCall?: string
  readonly workers?: number | null
}

export const about = signal<About | undefined>(undefined)
/** The plan without weather. It is loaded again after a reconnection and by `refreshPlan`. */
export const plan = signal<DescribedPlan | undefined>(undefined)

export async function refreshPlan(): Promise<void> {
  plan.value = await call<DescribedPlan>('GET', '/plan', { quiet: true })
}

/** Keeps both up to date from now on. */
export function followAbout(): void {
  effect(() => {
    void epoch.value
    refreshPlan().catch(() => undefined)
    call<About>('GET', '/version', { quiet: true }).then(
      found => {
        about.value = found
      },
      () => undefined,
    )
  })
}
