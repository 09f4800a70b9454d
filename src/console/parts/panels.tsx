// Frames around contents: dialogs, tabs, an entry beside its list, pairs of a name and a value, commands to copy, and small
// coloured marks.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import {
  hasToken,
  hrefOf,
  knownConsumers,
  parameter,
  pathTo,
  runningVersion,
  servedOperations,
  setParameters,
  useReply,
} from '../model/gateway.ts'
import type { OperationForm } from '../model/replies.ts'
import { piecesOfJson, type Tone } from '../model/wording.ts'
import { announce, Button, Icon } from './controls.tsx'

interface DialogProps {
  readonly title: string
  /** Called when it was closed, by Escape as well. Unset: it cannot be closed. */
  readonly onClose?: () => void
  readonly children: ComponentChildren
}

/** A dialog above the page. The browser's own element keeps the focus inside and closes it on Escape. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => element.current?.showModal(), [])
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onCancel={event => onClose === undefined && event.preventDefault()}
      onClose={onClose}
    >
      <header class="row">
        <h2 id={id} class="spring">
          {title}
        </h2>
        {onClose && <Button kind="quiet" icon="close" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  )
}

/** A tab with the panel that it shows. */
export interface Tab {
  readonly id: string
  readonly title: string
  /** A number beside the title. */
  readonly count?: number | undefined
  readonly show: () => ComponentChildren
}

interface TabsProps {
  readonly label: string
  /** The parameter of the URL that names the chosen tab; without it the first one is chosen. */
  readonly parameter: string
  readonly tabs: readonly Tab[]
  /** Further parameters that another tab clears. */
  readonly clears?: readonly string[]
}

/** Tabs above the panel of the chosen one. Arrow keys move between them, as the ARIA pattern has it. */
export function Tabs({ label, parameter: name, tabs, clears = [] }: TabsProps) {
  const id = useId()
  const chosen = Math.max(
    0,
    tabs.findIndex(tab => tab.id === parameter(name)),
  )
  const choose = (next: number): void => {
    const cleared = Object.fromEntries(clears.map(other => [other, undefined]))
    setParameters({ ...cleared, [name]: next === 0 ? undefined : tabs[next]?.id }, 'push')
  }
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = (chosen + step + tabs.length) % tabs.length
    choose(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id: tab, title, count }, i) => (
          <button
            key={tab}
            id={`${id}-${i}`}
            type="button"
            role="tab"
            class="tab"
            aria-selected={i === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={i === chosen ? 0 : -1}
            onClick={() => choose(i)}
          >
            {title}
            {count !== undefined && <span class="count muted">{count}</span>}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} class="tab-panel" role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        {tabs[chosen]?.show()}
      </div>
    </>
  )
}

interface SideProps {
  /** The kind of the entry, `record`: the parameter of the URL that names it, too. */
  readonly of: string
  /** Names it for assistive technology. Default: `The chosen record`. */
  readonly label?: string
  readonly title: string
  /** Marks before and after the title. */
  readonly before?: ComponentChildren
  readonly after?: ComponentChildren
  /** Lines below the title. */
  readonly head?: ComponentChildren
  readonly children: ComponentChildren
}

/** Closes the panel beside a list. @param of as in `SideProps` */
export const closeSide = (of: string): void =>
  setParameters({ [of]: undefined, tab: undefined, new: undefined }, 'push')

/** The chosen entry of a list: beside it, or below it where there is no room. Escape closes it. */
export function SidePanel({ of, label = `The chosen ${of}`, title, before, after, head, children }: SideProps) {
  const panel = useRef<HTMLElement>(null)
  // A person who moves through the list by keyboard stays there.
  useEffect(() => {
    if (document.activeElement?.role !== 'grid') panel.current?.scrollIntoView({ block: 'nearest' })
  }, [title])
  return (
    <aside
      ref={panel}
      class="view side"
      aria-label={label}
      onKeyDown={event => {
        const { key, target, defaultPrevented } = event
        if (key === 'Escape' && !defaultPrevented && !(target as Element).closest('dialog')) closeSide(of)
      }}
    >
      <header class="stack padded">
        <div class="row nowrap">
          {before}
          <h2 class="mono truncate" title={title}>
            {title}
          </h2>
          {after}
          <span class="spring" />
          <Button kind="quiet" icon="close" label={`Close the ${of}`} onClick={() => closeSide(of)} />
        </div>
        {head}
      </header>
      {children}
    </aside>
  )
}

interface SectionProps {
  readonly title?: string
  /** Stands at the end of the line of the title. */
  readonly more?: ComponentChildren
  /** Names it for assistive technology. */
  readonly label?: string
  readonly children: ComponentChildren
}

export const Section = ({ title, more, label, children }: SectionProps) => (
  <section class="section" aria-label={label}>
    {title && (
      <div class="row between">
        <h3>{title}</h3>
        {more}
      </div>
    )}
    {children}
  </section>
)

interface PlainTableProps {
  readonly label: string
  /** The titles of the columns; those of numbers begin with `#`. */
  readonly head: readonly string[]
  /** The key of each row, and its cells. */
  readonly rows: readonly (readonly [key: string, ...cells: ComponentChildren[]])[]
}

/** A table of few rows, which scrolls in narrow windows. */
export const PlainTable = ({ label, head, rows }: PlainTableProps) => {
  const classOf = (i: number): string => (head[i]?.startsWith('#') ? 'end' : '')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((title, i) => (
              <th key={title} class={classOf(i)}>
                {title.replace('#', '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([key, ...cells]) => (
            <tr key={key}>
              {cells.map((cell, i) => (
                <td key={head[i]} class={classOf(i)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface PairsProps {
  readonly of: readonly (readonly [string, ComponentChildren])[]
  readonly mono?: boolean
}

/** Names with their values; those without a value are left out. */
export const Pairs = ({ of, mono }: PairsProps) => (
  <dl class={`pairs ${mono ? 'mono' : ''}`}>
    {of.map(
      ([name, value]) =>
        value !== undefined && (
          <div key={name} class="pair">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)

interface BadgeProps {
  readonly tone?: Tone | undefined
  readonly children: ComponentChildren
}

export const Badge = ({ tone = 'plain', children }: BadgeProps) => <span class={`badge tone-${tone}`}>{children}</span>

const STATUS_TONES: readonly Tone[] = ['cut', 'info', 'good', 'info', 'warn', 'bad']

/** The status of a reply; 0 where no reply reached the client. */
export const StatusMark = ({ status }: { status: number }) => (
  <span
    class={`badge status tone-${STATUS_TONES[Math.floor(status / 100)]}`}
    title={status === 0 ? 'the client got no reply' : undefined}
  >
    {status || 'cut'}
  </span>
)

const METHOD_TONES: Record<string, Tone> = { GET: 'info', POST: 'good', DELETE: 'bad', PUT: 'warn', PATCH: 'warn' }

export const MethodMark = ({ method }: { method: string }) => (
  <span class={`method tone-${METHOD_TONES[method] ?? 'plain'}`}>{method}</span>
)

/** The code and the rule of a refusal. */
export const RefusalNotice = ({ code, rule }: { code: string; rule: string }) => (
  <div class="problem refusal">
    <p class="row mono tone-bad">
      <Icon name="warning" /> {code}
    </p>
    <p>{rule}</p>
  </div>
)

/** The most of a body that is laid out and coloured, in characters; a longer one is shown as it is. */
const MOST_LAID_OUT = 200_000

/** Shows a body: JSON indented and coloured, other text unchanged. */
export const BodyView = ({ text, label }: { text: string; label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard
  <pre class="body-view" tabIndex={0} role="region" aria-label={label}>
    <code>
      {text.length > MOST_LAID_OUT
        ? text
        : piecesOfJson(text).map(({ text: piece, tone }, i) =>
            tone === undefined ? (
              piece
            ) : (
              <span key={i} class={`tone-${tone}`}>
                {piece}
              </span>
            ),
          )}
    </code>
  </pre>
)

/** Copies a text to the clipboard and announces it; a browser may forbid it. */
export const copyText = (text: string): Promise<void> =>
  navigator.clipboard.writeText(text).then(
    () => announce('Copied to the clipboard.'),
    () => announce('The browser does not let this page use the clipboard. Select the text and copy it.', 'failed'),
  )

export const CopyButton = ({ text, children = 'Copy' }: { text: string; children?: ComponentChildren }) => (
  <Button kind="quiet" icon="copy" onClick={() => copyText(text)}>
    {children}
  </Button>
)

/** A command for a terminal. */
export const CommandBox = ({ text }: { text: string }) => (
  <div class="row nowrap command-line">
    <pre>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} />
  </div>
)

/** A command that is answered, and the way to send it without a terminal. @param operation the operation to call; unset for the simplest one */
export function FirstCommand({ operation }: { operation?: string | undefined }) {
  const operations = servedOperations.value
  const simple = operations.find(({ method, path }) => method === 'GET' && !path.includes('{')) ?? operations[0]
  const tried = operation ?? simple?.operation
  const general = operation === undefined ? runningVersion.value?.firstCall : undefined
  const isWanted = tried !== undefined && general === undefined && runningVersion.value !== undefined
  const { value: documented } = useReply<OperationForm>(isWanted ? pathTo`/operations/${tried}` : undefined)
  const command = general ?? documented?.curl ?? (documented && viaControlPlane(documented))
  return (
    <>
      {command && <CommandBox text={command} />}
      {tried && (
        <p class="muted">
          Or, without a terminal, <a href={hrefOf('operations', { operation: tried, tab: 'try' })}>try {tried} here</a>.
        </p>
      )}
    </>
  )
}

/** A command for the control plane, which adds the credential of a consumer, since the page has no keys. */
function viaControlPlane({ method, path, sample, security }: OperationForm): string {
  const consumer = security.length === 0 ? undefined : knownConsumers.value[0]
  const request = {
    method,
    path: sample?.path ?? path,
    query: sample?.query || undefined,
    body: sample?.body,
    consumer,
  }
  const json = JSON.stringify(request).replaceAll("'", "'\\''")
  const token = hasToken() ? ' -H "Authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN"' : ''
  return `curl${token} --json '${json}' ${location.origin}/requests`
}
