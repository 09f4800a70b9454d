// View 7: the contract as readable documentation, with the additions of the gateway. The library is loaded with
// this view and sends no request: it gets the document.

import { useEffect, useRef, useState } from 'preact/hooks'
import { useReply } from '../model/control-plane.ts'
import { hrefOf, parameter, setParameters } from '../model/location.ts'
import { ShowLoaded, Spinner } from '../parts/notices.tsx'
import { type ContractDocument, withAdditions } from './additions.ts'
import type { ShownDocument } from './swagger.ts'

export function ReferenceView() {
  const loaded = useReply<ContractDocument>('/contract')
  return <ShowLoaded of={loaded}>{document => <ReferenceDocument document={document} />}</ShowLoaded>
}

function ReferenceDocument({ document: contract }: { document: ContractDocument }) {
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
