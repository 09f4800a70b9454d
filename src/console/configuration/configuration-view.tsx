// View 6: the gateway file in an editor. It is tried on the gateway while it is written, and served when it is applied; no
// file is written.

import { signal } from '@preact/signals'
import { useRef, useState } from 'preact/hooks'
import type { ConfigurationTexts, Finding } from '../../http/control/types.ts'
import type { Editor } from '../editor/editor.ts'
import { Difference, EditorBox, Mistakes, type TextMistake } from '../editor/editor-box.tsx'
import type { SchemaPart } from '../editor/schema-path.ts'
import { ControlError, call, refreshPlan, useLoaded } from '../model/gateway.ts'
import { plural } from '../model/wording.ts'
import { announce, Button, perform, ShowLoaded, saveFile } from '../parts/controls.tsx'
import { Tabs } from '../parts/panels.tsx'

/** The text that is not applied yet; it stays while other views are open. */
const draft = signal<string | undefined>(undefined)

export function ConfigurationView() {
  const loaded = useLoaded('configuration', async signal => {
    const [texts, schema] = await Promise.all([
      call<ConfigurationTexts>('GET', '/config/text', { signal }),
      call<SchemaPart>('GET', '/config/schema', { signal }),
    ])
    return { texts, schema }
  })
  return <ShowLoaded of={loaded}>{value => <Workbench {...value} reload={loaded.reload} />}</ShowLoaded>
}

interface WorkbenchProps {
  readonly texts: ConfigurationTexts
  readonly schema: SchemaPart
  readonly reload: () => Promise<void>
}

function Workbench({ texts, schema, reload }: WorkbenchProps) {
  const { file, applied, disk } = texts
  const [mistakes, setMistakes] = useState<readonly TextMistake[]>([])
  const editor = useRef<Editor | undefined>(undefined)
  const text = draft.value ?? applied
  const put = async (written: string, dryRun: boolean): Promise<Tried> => {
    const { failed, diagnostics } = await putConfiguration(written, dryRun)
    const found = diagnostics.map(finding => mistakeOf(finding, written, file))
    setMistakes(found)
    return { failed, mistakes: found }
  }
  const showServed = async (): Promise<void> => {
    draft.value = undefined
    await Promise.all([reload(), refreshPlan()])
  }
  const apply = async (): Promise<void> => {
    const { failed, mistakes: found } = await put(text, false)
    if (failed) {
      if (found[0] !== undefined) editor.current?.reveal(found[0].from)
      return announce(`It was not applied: ${summaryOf(found)}.`, 'failed')
    }
    announce('The configuration is served from the next request on. The file was not changed.')
    await showServed()
  }
  const throwAway = (): void => {
    draft.value = undefined
    editor.current?.replace(applied)
  }
  const readFile = async (): Promise<void> => {
    await call('POST', '/reload')
    await showServed()
  }
  const edit = (
    <EditorBox
      key={applied}
      label="The configuration as YAML"
      text={text}
      schema={schema}
      check={async written => (await put(written, true)).mistakes}
      hold={editor}
      onChange={next => {
        draft.value = next
      }}
    />
  )
  return (
    <div class="view configuration">
      <Tools {...{ texts, text, mistakes, apply, throwAway, readFile }} />
      <Tabs
        label="Configuration"
        parameter="show"
        tabs={[
          { id: 'edit', title: 'Edit', show: () => edit },
          { id: 'difference', title: 'Difference to the file', show: () => <FileDifference disk={disk} text={text} /> },
        ]}
      />
      <Mistakes mistakes={mistakes} onChoose={({ from }) => editor.current?.reveal(from)} />
    </div>
  )
}

/** The outcome of a text that was served or tried. */
interface Tried {
  /** Whether it was refused. */
  readonly failed: boolean
  readonly mistakes: readonly TextMistake[]
}

/** Serves a text, or only tries it. */
const putConfiguration = (body: string, dryRun: boolean) =>
  call<{ diagnostics: readonly Finding[] }>('PUT', '/config', {
    body,
    query: dryRun ? { 'dry-run': true } : {},
    quiet: dryRun,
  }).then(
    ({ diagnostics }) => ({ failed: false, diagnostics }),
    (error: Error) => ({ failed: true, diagnostics: findingsIn(error) }),
  )

interface ToolsProps {
  readonly texts: ConfigurationTexts
  /** The text in the editor. */
  readonly text: string
  readonly mistakes: readonly TextMistake[]
  readonly apply: () => Promise<void>
  readonly throwAway: () => void
  readonly readFile: () => Promise<void>
}

/** The buttons above the editor, and the state of its text. */
function Tools({ texts, text, mistakes, apply, throwAway, readFile }: ToolsProps) {
  const { file, applied, same } = texts
  const changed = text !== applied
  const hasErrors = mistakes.some(({ severity }) => severity === 'error')
  const download = (): void => saveFile(file.replace(/^.*[/\\]/, ''), new Blob([text], { type: 'application/yaml' }))
  return (
    <div class="bar">
      <Button kind="primary" icon="check" disabled={!changed || hasErrors} onClick={apply}>
        Apply
      </Button>
      <Button disabled={!changed} onClick={throwAway}>
        Throw away
      </Button>
      <Button icon="again" disabled={same} onClick={() => perform(readFile, 'The file is served again.')}>
        Serve the file again
      </Button>
      <Button icon="download" onClick={download}>
        Download
      </Button>
      <p class="muted" role="status">
        {changed ? 'Changed, not applied' : placeOf(texts)} · {summaryOf(mistakes)}
      </p>
    </div>
  )
}

/** Says whether the file has the served text. */
function placeOf({ file, disk, same }: ConfigurationTexts): string {
  if (same) return `As in ${file}`
  return disk === null ? 'In no file' : `Applied, not in ${file}`
}

/** @param disk the text of the file; null if it cannot be read */
function FileDifference({ disk, text }: { disk: string | null; text: string }) {
  if (disk !== null && disk !== text) return <Difference before={disk} after={text} />
  return (
    <p class="muted padded">
      {disk === null
        ? 'There is no file to compare with, or it cannot be read. "Download" saves the configuration as one.'
        : 'The configuration equals the file.'}
    </p>
  )
}

/** Returns what a refusal found. One without a diagnostic is a mistake of the whole text. */
function findingsIn(error: Error): readonly Finding[] {
  if (!(error instanceof ControlError)) return []
  const { message, problem } = error
  const code = String(problem.code)
  const whole = { severity: 'error', code, message, file: '', line: 1, column: 1, length: 1 } as const
  return (problem.diagnostics as readonly Finding[] | undefined) ?? [whole]
}

/** Returns the place of a finding in a text and its words. One about another file is at the first line and names its place. */
function mistakeOf({ severity, code, message, hint, ...place }: Finding, text: string, file: string): TextMistake {
  const isHere = place.file === file
  const lines = text.split('\n')
  const before = isHere ? lines.splice(0, place.line - 1).map(line => `${line}\n`) : []
  const start = before.join('').length
  const end = start + (lines[0]?.length ?? 0)
  const from = isHere ? Math.min(start + place.column - 1, end) : start
  const at = `${place.line}:${place.column}`
  return {
    severity,
    from,
    to: isHere ? Math.min(from + place.length, end) : end,
    place: at,
    message: `${isHere ? '' : `${place.file}:${at} `}${message}${hint === undefined ? '' : ` (${hint})`}`,
    source: code,
  }
}

/** `2 errors, 1 warning`. */
const summaryOf = (mistakes: readonly TextMistake[]): string =>
  (['error', 'warning'] as const)
    .map(kind => [mistakes.filter(({ severity }) => severity === kind).length, kind] as const)
    .flatMap(([count, kind]) => (count > 0 ? plural(count, kind) : []))
    .join(', ') || 'no mistakes'
