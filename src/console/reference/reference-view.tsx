// View 7: the contract as readable documentation, with the additions of the gateway. The library is loaded with
// this view and sends no request: it gets the document.

import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../model/control-plane.ts'
import { useLoaded } from '../model/loaded.ts'
import { hrefOf, parameter, setParameters } from '../model/location.ts'
import { Loaded, Spinner } from '../parts/notices.tsx'
import { type ContractDocument, withAdditions } from './additions.ts'
import type { ShownDocument } from './swagger.ts'

export function ReferenceView() {
  const loaded = useLoaded('contract', signal => call<ContractDocument>('GET', '/contract', { signal }))
  return <Loaded of={loaded}>{document => <Reference document={document} />}</Loaded>
}

function Reference({ document: contract }: { document: ContractDocument }) {
  const box = useRef<HTMLDivElement>(null)
  const shown = useRef<ShownDocument | undefined>(undefined)
  const [ready, setReady] = useState(false)
  const chosen = parameter('operation')
  useEffect(() => {
    let wanted = true
    import('./swagger.ts').then(({ showDocument }) => {
      if (!wanted) return
      const onOpened = (operation: string): void => setParameters({ operation }, 'push')
      shown.current = showDocument(box.current as HTMLElement, withAdditions(contract), onOpened)
      setReady(true)
    })
    return () => {
      wanted = false
    }
  }, [contract])
  useEffect(() => {
    if (ready && chosen !== '') shown.current?.open(chosen)
  }, [ready, chosen])
  return (
    <div class="reference padded">
      <p class="muted">
        The contract as it is served. Try an operation in the <a href={hrefOf('operations')}>view of operations</a>.
      </p>
      {ready ? null : <Spinner label="Loading the reference" />}
      <div ref={box} />
    </div>
  )
}
