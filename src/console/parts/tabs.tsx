// Tabs above a panel. Arrow keys move between them, as the ARIA pattern has it.

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Tab {
  readonly id: string
  readonly title: string
  readonly count?: number
}

export interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
  /** The panel of the chosen tab. */
  readonly children: ComponentChildren
}

export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps) {
  const id = useId()
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const at = tabs.findIndex(tab => tab.id === chosen)
    const next = tabs[(at + step + tabs.length) % tabs.length] as Tab
    onChoose(next.id)
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(tab => (
          <button
            key={tab.id}
            id={`${id}-${tab.id}`}
            type="button"
            role="tab"
            class="tab"
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.title}
            {tab.count === undefined ? null : <span class="count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} class="tab-panel" role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  )
}
