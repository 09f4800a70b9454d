// One operation beside the list: its description, a form to try it, and its next replies.

import { AnswerForm } from '../answers/answer-form.tsx'
import { GivenAnswers } from '../answers/given-answers.tsx'
import { call, pathOf } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import { parameter, setParameters, shownWorld } from '../model/location.ts'
import type { DocumentedOperation, MeasuredOperation } from '../model/shapes.ts'
import { Method } from '../parts/badges.tsx'
import { Icon } from '../parts/icon.tsx'
import { Show } from '../parts/notices.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { OperationOverview } from './operation-overview.tsx'
import { Phase } from './phase.tsx'
import { TryForm } from './try-form.tsx'

export interface OperationDetailProps {
  readonly measured: MeasuredOperation
  /** The end of the last step of the series: a timestamp. */
  readonly at: string
  /** Seconds. */
  readonly step: number
}

const close = (): void => setParameters({ operation: undefined, tab: undefined }, 'push')

export function OperationDetail({ measured, at, step }: OperationDetailProps) {
  const { operation, method, path, phase, summary } = measured
  const documented = useLoaded(operation, signal =>
    call<DocumentedOperation>('GET', pathOf`/operations/${operation}`, { signal }),
  )
  const tab = parameter('tab') || 'overview'
  return (
    <aside
      class="side"
      aria-label="The chosen operation"
      onKeyDown={event => {
        if (event.key === 'Escape' && !(event.target as Element).closest('dialog')) close()
      }}
    >
      <header class="side-head">
        <div class="side-title">
          <Method method={method} />
          <h2 class="mono truncate" title={path}>
            {path}
          </h2>
          <Phase phase={phase} />
          <button type="button" class="button quiet icon-only" aria-label="Close the operation" onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <p class="muted">
          {operation}
          {summary === undefined ? '' : ` · ${summary}`}
        </p>
      </header>
      <Tabs
        label="Parts of the operation"
        tabs={[
          { id: 'overview', title: 'Overview' },
          { id: 'try', title: 'Try it' },
          { id: 'next', title: 'Answer next' },
        ]}
        chosen={tab}
        onChoose={chosen => setParameters({ tab: chosen === 'overview' ? undefined : chosen })}
      >
        {tab === 'overview' ? (
          <OperationOverview measured={measured} documented={documented} at={at} step={step} />
        ) : null}
        {tab === 'try' ? <Show of={documented}>{operationFound => <TryForm operation={operationFound} />}</Show> : null}
        {tab === 'next' ? (
          <section class="section">
            <p class="muted">The next requests get this instead of the usual reply. It has precedence over rules.</p>
            <GivenAnswers operation={operation} />
            <AnswerForm operation={operation} world={shownWorld.value} />
          </section>
        ) : null}
      </Tabs>
    </aside>
  )
}
