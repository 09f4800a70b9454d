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
  <Drawn
    draw={({ makeEditor }, element) => {
      const editor = makeEditor(element, options)
      hold.current = editor
      return () => {
        hold.current = undefined
        editor.destroy()
      }
    }}
  />
)

/** Shows two texts and their differences. */
export const Difference = ({ before, after }: { before: string; after: string }) => (
  <Drawn key={before + after} draw={({ showDifference }, element) => showDifference(element, before, after)} />
)

interface DrawnProps {
  /** Is called once; returns a function that cleans up. */
  readonly draw: (library: typeof import('./editor.ts'), element: HTMLElement) => () => void
}

function Drawn({ draw }: DrawnProps) {
  const box = useRef<HTMLDivElement>(null)
  const [loading, setLoading] = useState(true)
  useEffect(() => {
    let gone = false
    let clean: (() => void) | undefined
    void import('./editor.ts').then(library => {
      if (gone) return
      clean = draw(library, box.current as HTMLElement)
      setLoading(false)
    })
    return () => {
      gone = true
      clean?.()
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
  mistakes.length === 0 ? null : (
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
