// A dialog above the page. The browser's own element keeps the focus inside and closes it on Escape.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

export interface DialogProps {
  readonly title: string
  /** Called when it was closed, by Escape as well. Unset: it cannot be closed. */
  readonly onClose?: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onCancel={event => onClose === undefined && event.preventDefault()}
      onClose={onClose}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {onClose === undefined ? null : (
          <button type="button" class="button quiet icon-only" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {children}
    </dialog>
  )
}
