// A collection whose changes are recorded.

export class RecordedPlace {
  readonly world: string
  readonly collection: string
  /** How the text of the change of a record begins: see `WorldChange.text`. */
  readonly head: string

  constructor(world: string, collection: string) {
    this.world = world
    this.collection = collection
    this.head = `[${JSON.stringify(world)},["in",${JSON.stringify(collection)},["row",`
  }
}
