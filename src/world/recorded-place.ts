// A collection whose changes are recorded.

export class RecordedPlace {
  readonly world: string
  readonly collection: string
  /** How the text of the change of a record begins: see `WorldChange.text`. */
  readonly head: string
  /** As `head`, of the change of several. */
  readonly headOfRows: string

  constructor(world: string, collection: string) {
    this.world = world
    this.collection = collection
    const inCollection = `[${JSON.stringify(world)},["in",${JSON.stringify(collection)},`
    this.head = `${inCollection}["row",`
    this.headOfRows = `${inCollection}["rows",[["row",`
  }
}
