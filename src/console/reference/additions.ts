// Writes the additions of the stand-in to an operation below its description.

type Document = Readonly<Record<string, unknown>>

interface Additions {
  readonly phase: string
  readonly refused?: number
  readonly until?: string
  readonly next?: { readonly what: string; readonly at: string }
  readonly behaviours: readonly string[]
}

/** Returns the document with the additions of each operation written below its description. */
export function withAdditions(document: Document): Document {
  const paths = Object.entries((document.paths ?? {}) as Readonly<Record<string, Document>>).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => {
      const added = isPart(operation) ? (operation['x-understudy'] as Additions | undefined) : undefined
      return [method, added === undefined ? operation : describe(operation as Document, added)] as const
    })
    return [path, Object.fromEntries(operations)] as const
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

function describe(operation: Document, { phase, refused, until, next, behaviours }: Additions): Document {
  const lines = [
    `- phase: **${phase}**${refused === undefined ? '' : `, answers ${refused}`}${until === undefined ? '' : ` until ${until}`}`,
    ...(next === undefined ? [] : [`- next: ${next.what} on ${next.at.slice(0, 10)}`]),
    ...behaviours.map(one => `- ${one.replace(/^[\w-]+/, '`$&`')}`),
  ]
  const before = typeof operation.description === 'string' ? `${operation.description}\n\n` : ''
  return { ...operation, description: `${before}**In this stand-in**\n\n${lines.join('\n')}` }
}

const isPart = (value: unknown): value is Document => typeof value === 'object' && value !== null
