// Shows an OpenAPI document with Swagger UI, which must neither fetch nor send anything.

import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { type ContractDocument, tagOfOperation } from './additions.ts'

export interface ShownDocument {
  /** Opens an operation and scrolls to it. */
  open(operation: string): void
}

interface System {
  readonly layoutActions: { show(thing: readonly string[], shown: boolean): void }
}

/** @param onOpened is called with the operation that the user opened */
export function showDocument(
  element: HTMLElement,
  spec: ContractDocument,
  onOpened: (operation: string) => void,
): ShownDocument {
  linkStyle()
  let opening = false
  const { layoutActions } = SwaggerUI({
    domNode: element,
    spec,
    // The default validator is a service on the network.
    validatorUrl: null,
    supportedSubmitMethods: [],
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    deepLinking: false,
    persistAuthorization: false,
    layout: 'BaseLayout',
    plugins: [watchOpening(operation => opening || onOpened(operation))],
  }) as System
  return {
    open(operation) {
      const tag = tagOfOperation(spec, operation)
      if (tag === undefined) return
      opening = true
      layoutActions.show(['operations-tag', tag], true)
      layoutActions.show(['operations', tag, operation], true)
      opening = false
      scrollTo(element, operation, FRAMES)
    },
  }
}

/** Frames within which the library draws an operation that was opened. */
const FRAMES = 120

function scrollTo(element: HTMLElement, operation: string, frames: number): void {
  const found = [...element.querySelectorAll('.opblock.is-open')].find(({ id }) => id.endsWith(`-${operation}`))
  if (found !== undefined) found.scrollIntoView({ block: 'start' })
  else if (frames > 0) requestAnimationFrame(() => scrollTo(element, operation, frames - 1))
}

type ShowPart = (thing: readonly string[], shown: boolean) => unknown

/** A plugin of the library that is called when an operation is opened. */
const watchOpening = (onOpened: (operation: string) => void) => () => ({
  statePlugins: {
    layout: {
      wrapActions: {
        show:
          (original: ShowPart): ShowPart =>
          (thing, shown) => {
            const [kind, , operation] = thing
            if (kind === 'operations' && operation !== undefined && shown) onOpened(operation)
            return original(thing, shown)
          },
      },
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
