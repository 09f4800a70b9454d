// Reads server-sent events from pieces of text. A field that spans several lines is not supported: JSON never does.

export interface ServerEvent {
  /** The event's name; `message` where it has none. */
  readonly name: string
  readonly id: string
  readonly data: string
}

/** Returns a function that takes the next piece of the stream and returns the events that it completes. */
export function createEventParser(): (piece: string) => ServerEvent[] {
  let rest = ''
  return piece => {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() as string
    return blocks.flatMap(block => {
      let name = 'message'
      let id = ''
      let data: string | undefined
      for (const line of block.split('\n')) {
        if (line.startsWith('data: ')) data = line.slice(6)
        else if (line.startsWith('event: ')) name = line.slice(7)
        else if (line.startsWith('id: ')) id = line.slice(4)
      }
      return data === undefined ? [] : [{ name, id, data }]
    })
  }
}
