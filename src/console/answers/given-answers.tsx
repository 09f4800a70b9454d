// The answers that were ordered and are not used up: as a list with a button that removes each.

import { signal } from '@preact/signals'
import type { AnswerOrder } from '../../http/control/types.ts'
import { call, pathTo } from '../model/control-plane.ts'
import { usePolling } from '../model/loaded.ts'
import { Button } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { perform } from '../parts/notices.tsx'
import { describeOrder } from './answer-order.ts'

interface GivenAnswer extends AnswerOrder {
  readonly id: string
  /** null for every world. */
  readonly world: string | null
  readonly left: number | null
  /** How often it was given. */
  readonly given: number
}

const answers = signal<readonly GivenAnswer[]>([])

export async function refreshAnswers(): Promise<void> {
  answers.value = (await call<{ answers: GivenAnswer[] }>('GET', '/answers', { quiet: true })).answers
}

/** @param operation shows only its answers; unset for all */
export function GivenAnswers({ operation }: { operation?: string }) {
  usePolling(refreshAnswers, 2000)
  const shown = answers.value.filter(one => operation === undefined || (one.operation ?? operation) === operation)
  return shown.length === 0 ? null : (
    <ul class="given-answers">
      {shown.map(answer => (
        <li key={answer.id} class="row nowrap">
          <Icon name="bolt" />
          <span class="spring">
            {operation === undefined ? `${answer.operation ?? 'every operation'}: ` : ''}
            {describeOrder(answer)}
            <span class="muted">
              {' '}
              · {answer.world ?? 'every world'} ·{' '}
              {answer.left === null ? `given ${answer.given} times` : `${answer.left} left`}
            </span>
          </span>
          <Button
            kind="quiet"
            aria-label={`Switch off the answer ${answer.id}`}
            onClick={() => perform(() => removeAnswer(answer.id), 'Switched off.')}
          >
            Switch off
          </Button>
        </li>
      ))}
    </ul>
  )
}

async function removeAnswer(id: string): Promise<void> {
  await call('DELETE', pathTo`/answers/${id}`)
  await refreshAnswers()
}
