// View 7: the contract as readable documentation, with the additions of the gateway. Swagger UI is loaded with this view, and must
// neither fetch nor send anything: it gets the document.

import { useEffect, useRef, useState } from 'preact/hooks'
import { hrefOf, parameter, setParameters, useReply } from '../model/gateway.ts'
import { ShowLoaded, Spinner } from '../parts/controls.tsx'
import { type ContractDocument, tagOfOperation, withAdditions } from './additions.ts'

export function ReferenceView() {
  const loaded = useReply<ContractDocument>('/contract')
  return <ShowLoaded of={loaded}>{contract => <ReferenceDocument contract={contract} />}</ShowLoaded>
}

/** The part of Swagger UI that the view uses. */
interface SwaggerSystem {
  readonly layoutActions: { readonly show: ShowPart }
}

type ShowPart = (thing: readonly string[], shown: boolean) => unknown

function ReferenceDocument({ contract }: { contract: ContractDocument }) {
  const box = useRef<HTMLDivElement>(null)
  const [system, setSystem] = useState<SwaggerSystem | undefined>()
  const chosen = parameter('operation')
  useEffect(() => {
    let wanted = true
    void import('./swagger.ts').then(({ default: SwaggerUI }) => {
      if (!wanted) return
      linkStyle()
      const shown = SwaggerUI({
        domNode: box.current,
        spec: withAdditions(contract),
        // The default validator is a service on the network.
        validatorUrl: null,
        supportedSubmitMethods: [],
        docExpansion: 'list',
        defaultModelsExpandDepth: 0,
        deepLinking: false,
        persistAuthorization: false,
        layout: 'ReferenceLayout',
        plugins: [watchOpening, layOut],
      })
      setSystem(shown as SwaggerSystem)
    })
    return () => {
      wanted = false
    }
  }, [contract])
  useEffect(() => {
    const tag = system && tagOfOperation(withAdditions(contract), chosen)
    if (tag === undefined) return
    system?.layoutActions.show(['operations-tag', tag], true)
    system?.layoutActions.show(['operations', tag, chosen], true)
    scrollToOperation(box.current as HTMLElement, chosen)
  }, [system, chosen])
  return (
    <div class="reference padded">
      <p class="muted">
        The contract as it is served. Try an operation in the <a href={hrefOf('operations')}>view of operations</a>.
      </p>
      {!system && <Spinner label="Loading the reference" />}
      <div ref={box} />
    </div>
  )
}

/** Scrolls to an operation once the library has drawn it, within some frames. */
function scrollToOperation(element: HTMLElement, operation: string, frames = 120): void {
  const found = [...element.querySelectorAll('.opblock')].find(({ id }) => id.endsWith(`-${operation}`))
  if (found !== undefined) found.scrollIntoView({ block: 'start' })
  else if (frames > 0) requestAnimationFrame(() => scrollToOperation(element, operation, frames - 1))
}

/** A plugin of the library that writes the operation that is opened into the URL. */
const watchOpening = () => ({
  statePlugins: {
    layout: {
      wrapActions: {
        show:
          (original: ShowPart): ShowPart =>
          (thing, shown) => {
            const [kind, , operation] = thing
            if (kind === 'operations' && operation !== undefined && shown) setParameters({ operation }, 'push')
            return original(thing, shown)
          },
      },
    },
  },
})

type DrawPart = (of: unknown, props?: object, ...children: unknown[]) => unknown

/** A plugin of the library with the parts that are shown. Its own layout has a second `main`, and no heading above the tags. */
const layOut = ({ React: { createElement: draw } }: { readonly React: { readonly createElement: DrawPart } }) => ({
  components: {
    ReferenceLayout: ({ getComponent }: { readonly getComponent: (name: string, connected: true) => unknown }) => {
      const partsOf = (...names: readonly string[]) => names.map(name => draw(getComponent(name, true)))
      const heading = draw('h2', { className: 'visually-hidden' }, 'Operations')
      const [above, below] = [
        partsOf('SvgAssets', 'errors', 'InfoContainer'),
        partsOf('operations', 'Webhooks', 'Models'),
      ]
      return draw('div', { className: 'swagger-ui' }, ...above, heading, ...below)
    },
  },
})

/** Links the style of the library once; the build writes its address into the page. */
function linkStyle(): void {
  const href = document.querySelector<HTMLMetaElement>('meta[name="reference-style"]')?.content
  if (href === undefined || document.querySelector(`link[href="${href}"]`) !== null) return
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = href
  document.head.prepend(link)
}
