// View 6: the gateway file in an editor. It is tried on the gateway while it is written, and served when it is applied; no
// file is written.

import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { refreshPlan } from '../model/about.ts'
import { ControlError, call } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import { parameter, setParameters } from '../model/location.ts'
import { announce, attempt } from '../parts/announce.tsx'
import { Icon } from '../parts/icon.tsx'
import { Show } from '../parts/notices.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type Editor, makeDifference, makeEditor } from './editor.ts'
import { countOf, type Finding, spanOf, wordsOf } from './findings.ts'
import type { SchemaPart } from './schema-path.ts'

interface Texts {
  readonly file: string
  /** The text that is being served. */
  readonly applied: string
  /** The text of the file; null where it cannot be read, or where none has the configuration. */
  readonly disk: string | null
  readonly same: boolean
}

/** The text that is not applied yet; it stays while other views are open. */
const draft = signal<string | undefined>(undefined)

export function ConfigurationView() {
  const loaded = useLoaded('configuration', async signal => {
    const [texts, schema] = await Promise.all([
      call<Texts>('GET', '/config/text', { signal }),
      call<SchemaPart>('GET', '/config/schema', { signal }),
    ])
    return { texts, schema }
  })
  return <Show of={loaded}>{value => <Workbench {...value} reload={loaded.reload} />}</Show>
}

function Workbench({ texts, schema, reload }: { texts: Texts; schema: SchemaPart; reload: () => void }) {
  const { file, applied, disk } = texts
  const [findings, setFindings] = useState<readonly Finding[]>([])
  const editor = useRef<Editor | undefined>(undefined)
  const text = draft.value ?? applied
  const changed = text !== applied
  const failed = findings.some(({ severity }) => severity === 'error')

  const apply = async (): Promise<void> => {
    try {
      const { diagnostics } = await put(text)
      draft.value = undefined
      setFindings(diagnostics)
      announce('The configuration is served from the next request on. The file was not changed.')
      reload()
      await refreshPlan()
    } catch (error) {
      setFindings(findingsOf(error))
      announce(`It was not applied: ${countOf(findingsOf(error))}.`, 'failed')
    }
  }
  const throwAway = (): void => {
    draft.value = undefined
    editor.current?.replace(applied)
  }
  const readFile = (): Promise<boolean> =>
    attempt(async () => {
      await call('POST', '/reload')
      draft.value = undefined
      reload()
      await refreshPlan()
    }, 'The file is served again.')

  const tab = parameter('show') === 'difference' ? 'difference' : 'edit'
  return (
    <div class="configuration">
      <div class="tools">
        <button type="button" class="button primary" disabled={!changed || failed} onClick={apply}>
          <Icon name="check" />
          Apply
        </button>
        <button type="button" class="button" disabled={!changed} onClick={throwAway}>
          Throw away
        </button>
        <button type="button" class="button" disabled={texts.same} onClick={readFile}>
          <Icon name="again" />
          Serve the file again
        </button>
        <button type="button" class="button" onClick={() => download(text, file)}>
          <Icon name="download" />
          Download
        </button>
        <p class="muted" role="status">
          {changed
            ? 'Changed, not applied'
            : texts.same
              ? `As in ${file}`
              : disk === null
                ? 'In no file'
                : `Applied, not in ${file}`}{' '}
          · {countOf(findings)}
        </p>
      </div>
      <Tabs
        label="Configuration"
        tabs={[
          { id: 'edit', title: 'Edit' },
          { id: 'difference', title: 'Difference to the file' },
        ]}
        chosen={tab}
        onChoose={id => setParameters({ show: id === 'edit' ? '' : id }, 'push')}
      >
        {tab === 'edit' ? (
          <EditorBox key={applied} text={text} schema={schema} file={file} onFindings={setFindings} hold={editor} />
        ) : disk === null ? (
          <p class="muted">
            There is no file to compare with, or it cannot be read. "Download" saves the configuration as one.
          </p>
        ) : (
          <Difference before={disk} after={text} />
        )}
      </Tabs>
      <Findings
        findings={findings}
        file={file}
        onChoose={finding => editor.current?.reveal(spanOf(finding, text, file).from)}
      />
    </div>
  )
}

interface EditorBoxProps {
  readonly text: string
  readonly schema: SchemaPart
  readonly file: string
  readonly onFindings: (findings: readonly Finding[]) => void
  readonly hold: { current: Editor | undefined }
}

function EditorBox({ text, schema, file, onFindings, hold }: EditorBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const made = makeEditor(box.current as HTMLElement, {
      text,
      schema,
      onChange: next => {
        draft.value = next
      },
      check: async written => {
        const findings = await dryRun(written)
        onFindings(findings)
        return findings.map(finding => ({
          ...spanOf(finding, written, file),
          severity: finding.severity,
          source: finding.code,
          message: wordsOf(finding, file),
        }))
      },
    })
    hold.current = made
    return () => {
      made.destroy()
      hold.current = undefined
    }
    // The editor keeps its own text from here on.
  }, [schema, file])
  return <div ref={box} class="editor-box" />
}

function Difference({ before, after }: { before: string; after: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => (box.current === null ? undefined : makeDifference(box.current, before, after)), [before, after])
  return before === after ? (
    <p class="muted">The configuration equals the file.</p>
  ) : (
    <div ref={box} class="editor-box" />
  )
}

interface FindingsProps {
  readonly findings: readonly Finding[]
  readonly file: string
  readonly onChoose: (finding: Finding) => void
}

const Findings = ({ findings, file, onChoose }: FindingsProps) =>
  findings.length === 0 ? null : (
    <section class="findings" aria-label="Mistakes">
      <ul>
        {findings.map(finding => (
          <li key={`${finding.file}:${finding.line}:${finding.column}:${finding.message}`} class={finding.severity}>
            <button type="button" class="button quiet" onClick={() => onChoose(finding)}>
              <Icon name="warning" />
              <span class="mono">
                {finding.line}:{finding.column}
              </span>
              <span>{wordsOf(finding, file)}</span>
              <span class="muted mono">{finding.code}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )

interface Adopted {
  readonly diagnostics: readonly Finding[]
}

const put = (text: string, query: { 'dry-run'?: boolean } = {}): Promise<Adopted> =>
  call<Adopted>('PUT', '/config', { body: text, query, quiet: query['dry-run'] === true })

/** Returns the mistakes that the gateway finds in a text, without applying it. */
async function dryRun(text: string): Promise<readonly Finding[]> {
  try {
    return (await put(text, { 'dry-run': true })).diagnostics
  } catch (error) {
    return findingsOf(error)
  }
}

/** The diagnostics of a refusal; a refusal without one is a mistake of the whole text. */
function findingsOf(error: unknown): readonly Finding[] {
  if (!(error instanceof ControlError)) return []
  if (Array.isArray(error.problem.diagnostics)) return error.problem.diagnostics as Finding[]
  return [{ severity: 'error', code: error.code, message: error.message, file: '', line: 1, column: 1, length: 1 }]
}

function download(text: string, file: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
  link.download = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}
