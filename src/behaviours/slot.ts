// A place on an exchange for one value of a wing, so that the exchange knows none of them.

/** A key for a value of one type; see `Exchange.get`. */
export class Slot<Value> {
  readonly name: string
  /** Never set: it gives the slot its type. */
  declare readonly value: Value

  constructor(name: string) {
    this.name = name
  }
}
