// The library that shows an OpenAPI document. It is told to fetch nothing and to send nothing.

import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'

export function showDocument(element: HTMLElement, spec: object): void {
  linkStyle()
  SwaggerUI({
    domNode: element,
    spec,
    // A validator would be asked over the network.
    validatorUrl: null,
    supportedSubmitMethods: [],
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    deepLinking: false,
    persistAuthorization: false,
    layout: 'BaseLayout',
  })
}

/** Links the style of the library once; the build writes its address into the page. */
function linkStyle(): void {
  const href = document.querySelector<HTMLMetaElement>('meta[name="reference-style"]')?.content
  if (href === undefined || document.querySelector(`link[href="${href}"]`) !== null) return
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = href
  document.head.prepend(link)
}
