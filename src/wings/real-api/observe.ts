// The client of the real API, for as long as a gateway runs; and what is counted of its replies.

import { createJudging } from '../../behaviours/judging.ts'
import type { Finished } from '../../gateway/finished.ts'
import { Instrument, type Series } from '../../gateway/metrics/families.ts'
import type { Host, Observer } from '../../gateway/observer.ts'
import { createUpstream } from './client.ts'
import { upstreamBlock } from './settings.ts'
import type { Upstream } from './upstream.ts'

export class RealApi {
  /** Unset where nothing may leave the process. */
  client: Upstream | undefined
  readonly judging = createJudging('the real API')
  readonly #fail: Host['fail']
  readonly #replies: Instrument
  readonly #durations: Instrument
  readonly #violations: Instrument
  /** The series of replies by operation and by who gave them. */
  readonly #known = new Map<string, Series>()

  constructor({ environment, metrics, fail }: Host) {
    this.client = environment && createUpstream(environment)
    this.#fail = fail
    this.#replies = metrics.add(
      new Instrument(
        'understudy_replies_total{operation,replied}',
        'Replies by who gave them, the real API or the simulation, if there is a real API.',
      ),
    )
    this.#durations = metrics.add(
      new Instrument('understudy_upstream_duration_seconds{operation}', 'Time until the real API began its reply.'),
    )
    this.#violations = metrics.add(
      new Instrument(
        'understudy_upstream_violations_total{operation}',
        'Replies of the real API that break the contract, as far as they were judged.',
      ),
    )
  }

  /** Puts something around the client. */
  wrap(around: (client: Upstream) => Upstream): void {
    if (this.client !== undefined) this.client = around(this.client)
  }

  count({ exchange, reply, planned }: Finished): void {
    const operation = planned.operation.id
    const replied = reply.headers['understudy-replied']
    if (replied !== undefined) {
      const key = `${replied} ${operation}`
      let series = this.#known.get(key)
      if (series === undefined) {
        series = this.#replies.series({ operation, replied })
        this.#known.set(key, series)
      }
      series.add()
    }
    if (exchange.awaited > 0) this.#durations.series({ operation }).observe(exchange.awaited / 1000)
    reply.stream?.judged?.then(({ breaks }) => breaks && this.#violations.series({ operation }).add()).catch(this.#fail)
  }
}

export const realApiObserver: Observer<RealApi> = {
  name: 'real-api',
  open: host => new RealApi(host),
  compile: (plan, realApi) => (plan.settings(upstreamBlock) === undefined ? undefined : done => realApi.count(done)),
  close: async ({ client }) => client?.close(),
}
