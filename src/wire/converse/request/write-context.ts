import type { LossList } from '../../../canonical/loss.ts'
import { type ConverseModel, type Dialect, plainConverseModel } from '../../dialect.ts'

/** The context that every writer of a part of a request needs. */
export interface WriteContext {
  readonly dialect: Dialect
  readonly model: ConverseModel
  readonly losses: LossList
  readonly documentNames: DocumentNames
}

export function createWriteContext(dialect: Dialect, losses: LossList): WriteContext {
  return {
    dialect,
    model: dialect.converseModel ?? plainConverseModel,
    losses,
    documentNames: new DocumentNames(),
  }
}

/** The names of the documents of one request. All names are different. */
class DocumentNames {
  /** The number that the next document of each name gets. */
  readonly #nextNumbers = new Map<string, number>()

  /** Returns the name unchanged if it is free, otherwise with a number appended. */
  assign(name: string): string {
    let unique = name
    let number = this.#nextNumbers.get(name) ?? 2
    for (; this.#nextNumbers.has(unique); number += 1) unique = `${name} ${number}`
    this.#nextNumbers.set(unique, this.#nextNumbers.get(unique) ?? 2)
    this.#nextNumbers.set(name, number)
    return unique
  }
}
