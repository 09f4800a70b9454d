// The reply to a request that was tried, with the way to its explanation.

import type { SendResult } from '../../http/control/types.ts'
import { hrefOf } from '../model/location.ts'
import { Status } from '../parts/badges.tsx'
import { BodyView } from '../parts/body-view.tsx'

export function TryReply({ sent: { request, reply } }: { sent: SendResult }) {
  return (
    <section class="section" aria-label="The reply">
      <div class="section-head">
        <Status status={reply.status} />
        {request === null ? (
          <span class="muted">The journal is switched off.</span>
        ) : (
          <>
            <span class="muted">{Math.round(request.durationMs * 10) / 10} ms</span>
            <a href={hrefOf('live', { request: `${request.id}` })}>Why this reply?</a>
          </>
        )}
      </div>
      {request?.refusal === undefined ? null : (
        <div class="refusal">
          <p class="refusal-code">{request.refusal.code}</p>
          <p class="refusal-rule">{request.refusal.rule}</p>
        </div>
      )}
      {reply.wire === undefined ? null : <p>The client would have met this fault on the wire: {reply.wire}.</p>}
      {reply.body === null || reply.body === '' ? (
        <p class="muted">The reply has no body.</p>
      ) : (
        <BodyView
          text={reply.base64 ? `${reply.body.length} characters of Base64: the body is binary` : reply.body}
          label="Body of the reply"
        />
      )}
      <details>
        <summary>Headers</summary>
        <dl class="pairs">
          {Object.entries(reply.headers).map(([name, value]) => (
            <div key={name} class="pair">
              <dt class="mono">{name}</dt>
              <dd class="mono">{String(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}
