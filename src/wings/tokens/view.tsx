// The issuers: where their endpoints are, and any token for a test.

import { useState } from 'preact/hooks'
import { call, chosenWorld, knownConsumers, pathTo, useReply } from '../../console/model/gateway.ts'
import { EmptyState, SelectField, ShowLoaded, TaskForm } from '../../console/parts/controls.tsx'
import { CommandBox, PlainTable } from '../../console/parts/panels.tsx'

interface Issuers {
  readonly issuers: readonly { readonly name: string; readonly paths: Readonly<Record<string, string>> }[]
  readonly flaws: readonly string[]
}

export function TokensView() {
  return (
    <div class="view stack padded">
      <ShowLoaded of={useReply<Issuers>('/issuers')}>
        {({ issuers, flaws }) =>
          issuers.length === 0 ? (
            <EmptyState
              icon="check"
              title="No issuer gives tokens"
              text="Write `issuers: { default: {} }` in the configuration, and clients and users under `consumers`."
            />
          ) : (
            issuers.map(({ name, paths }) => (
              <section key={name} class="stack" aria-label={name}>
                <h2>{name}</h2>
                <TokenForm issuer={name} flaws={flaws} />
                <PlainTable
                  label={`Endpoints of ${name}`}
                  head={['Endpoint', 'Path']}
                  rows={Object.entries(paths).map(([endpoint, path]) => [endpoint, endpoint, <code>{path}</code>])}
                />
              </section>
            ))
          )
        }
      </ShowLoaded>
    </div>
  )
}

function TokenForm({ issuer, flaws }: { issuer: string; flaws: Issuers['flaws'] }) {
  const consumers = knownConsumers.value
  const [chosen, choose] = useState('')
  const [flaw, setFlaw] = useState('')
  const [token, setToken] = useState('')
  const consumer = chosen || (consumers[0] ?? '')
  const make = async (): Promise<void> => {
    const world = chosenWorld.value
    const body = { consumer, ...(world !== '' && { world }), ...(flaw !== '' && { flaw }) }
    setToken((await call<{ readonly token: string }>('POST', pathTo`/issuers/${issuer}/tokens`, { body })).token)
  }
  return (
    <>
      <TaskForm action="Make a token" work={make}>
        <SelectField label="As" value={consumer} options={consumers} onChange={choose} />
        <SelectField label="Flaw" value={flaw} options={[['', 'none'], ...flaws]} onChange={setFlaw} />
      </TaskForm>
      {token !== '' && <CommandBox text={`Authorization: Bearer ${token}`} />}
    </>
  )
}
