// The editor as a component, whose code is loaded when it is first shown, and the list of mistakes below it.

import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Spinner } from '../parts/controls.tsx'
import type { Editor, EditorOptions } from './editor.ts'
import type { TextRange } from './yaml-path.ts'

/** A mistake in a text, found by the gateway. */
export interface TextMistake extends TextRange {
  readonly severity: 'error' | 'warning'
  /** Its place as people read it: `3:12`, `/name`. */
  readonly place: string
  readonly message: string
  /** Stable. */
  readonly source?: string
}

interface EditorBoxProps extends Omit<EditorOptions, 'check'> {
  readonly check?: (text: string) => Promise<readonly TextMistake[]>
  /** Gets the editor. It keeps its own text from then on. */
  readonly hold: { current: Editor | undefined }
}

export const EditorBox = ({ hold, ...options }: EditorBoxProps) => (
  <Drawn hold={hold} draw={({ makeEditor }, element) => makeEditor(element, options)} />
)

/** Shows two texts and their differences. */
export const Difference = ({ before, after }: { before: string; after: string }) => (
  <Drawn key={before + after} draw={({ showDifference }, element) => showDifference(element, before, after)} />
)

interface DrawnProps<Made> {
  /** Is called once. */
  readonly draw: (library: typeof import('./editor.ts'), element: HTMLElement) => Made
  readonly hold?: { current: Made | undefined }
}

function Drawn<Made extends { destroy(): void }>({ draw, hold = { current: undefined } }: DrawnProps<Made>) {
  const box = useRef<HTMLDivElement>(null)
  const [loading, setLoading] = useState(true)
  useEffect(() => {
    let gone = false
    void import('./editor.ts').then(library => {
      if (gone) return
      hold.current = draw(library, box.current as HTMLElement)
      setLoading(false)
    })
    return () => {
      gone = true
      hold.current?.destroy()
      hold.current = undefined
    }
  }, [])
  return (
    <>
      {loading && <Spinner />}
      <div ref={box} class="editor-box fill" />
    </>
  )
}

interface MistakesProps {
  readonly mistakes: readonly TextMistake[]
  readonly onChoose: (mistake: TextMistake) => void
}

export const Mistakes = ({ mistakes, onChoose }: MistakesProps) =>
  mistakes.length > 0 && (
    <section class="mistakes scroll" aria-label="Mistakes" aria-live="polite">
      <ul>
        {mistakes.map(mistake => (
          <li key={mistake.place + mistake.message} class={mistake.severity === 'error' ? 'tone-bad' : 'tone-warn'}>
            <Button kind="quiet" icon="warning" onClick={() => onChoose(mistake)}>
              <span class="mono">{mistake.place}</span>
              <span>{mistake.message}</span>
              <span class="muted mono">{mistake.source}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
